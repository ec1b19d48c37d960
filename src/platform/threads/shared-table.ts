import { randomBytes } from 'node:crypto'

/**
 * Numbers by name, in memory that the threads of a process share. Each name has a row of `columns` numbers. The table
 * does not grow: the owner of a table limits the number of rows to less than its capacity.
 */
export interface SharedTable {
  /** Number of rows. */
  readonly size: number
  /** Runs `work` while no other thread uses the table. Keep it short; it must not await. */
  locked<T>(work: (rows: SharedRows) => T): T
}

/** The rows of a table, while it is locked. The number of a row is valid until a row is removed. */
interface SharedRows {
  /** The row of a name; -1 when it has none. */
  find(name: string): number
  /** The row of a name, made of zeros when it has none. */
  make(name: string): number
  get(row: number, column: number): number
  set(row: number, column: number, value: number): void
  remove(row: number): void
  /** Removes all rows for which `keep` is false. Visits every row. */
  sift(keep: (row: number) => boolean): void
}

export interface TableShape {
  /** How many rows fit; memory that no row has used is not taken from the system. */
  most: number
  columns: number
}

/** Words of the header. The seeds make it unpredictable which names collide. */
const LOCK = 0
const SIZE = 1
const SEED_A = 2
const SEED_B = 3
const HEADER_BYTES = 16

const FREE = 0
const HELD = 1
const AWAITED = 2
/** A row is read and written in less than a microsecond, so most waits are over after a few turns. */
const SPINS = 200
/**
 * A thread that has held the lock for so long has ended in the middle; one on a busy machine that was not given a processor meanwhile has not, and
 * two in the table lose numbers.
 */
const STEAL_MS = 10_000

/** Twice as many places as rows: then a look-up visits two places on average. */
const placesFor = ({ most }: TableShape) => 2 ** Math.ceil(Math.log2(Math.max(16, 2 * most)))

/** The memory of a table; pass it along in `workerData`. */
export function newTableCell(shape: TableShape): SharedArrayBuffer {
  const places = placesFor(shape)
  const cell = new SharedArrayBuffer(HEADER_BYTES + places * (8 + 8 * shape.columns))
  const header = new Int32Array(cell, 0, 4)
  header.set(new Int32Array(randomBytes(8).buffer.slice(0, 8)), SEED_A)
  return cell
}

/**
 * The table in a cell of `newTableCell`, with the same shape. A name is kept as a digest of 64 bits: of a million names
 * two are taken for the same once in thirty million tables. `stealMs`: how long somebody may hold it before it is taken from them.
 */
export function sharedTable(cell: SharedArrayBuffer, shape: TableShape, stealMs = STEAL_MS): SharedTable {
  const { columns } = shape
  const places = placesFor(shape)
  const mask = places - 1
  const header = new Int32Array(cell, 0, 4)
  const tags = new Int32Array(cell, HEADER_BYTES, 2 * places)
  const values = new Float64Array(cell, HEADER_BYTES + 8 * places, columns * places)
  const seedA = header[SEED_A]!
  const seedB = header[SEED_B]!
  /** The digest of the latest name. Never 0 and 0, which mark a free place. */
  let a = 0
  let b = 0

  function digest(name: string): void {
    a = seedA
    b = seedB
    for (let i = 0; i < name.length; i++) {
      const code = name.charCodeAt(i)
      a = Math.imul(a ^ code, 0x9e3779b1)
      a ^= a >>> 15
      b = Math.imul(b ^ code, 0x85ebca77)
      b ^= b >>> 13
    }
    a = Math.imul(a ^ (a >>> 16), 0xc2b2ae35)
    a ^= a >>> 13
    b = Math.imul(b ^ (b >>> 16), 0x27d4eb2f) | 1
  }

  const isFree = (place: number) => tags[2 * place + 1] === 0

  /** The place of the latest digest, or the free one where it belongs. */
  function seek(): number {
    let place = a & mask
    while (!isFree(place) && (tags[2 * place] !== a || tags[2 * place + 1] !== b)) place = (place + 1) & mask
    return place
  }

  function move(from: number, to: number): void {
    tags[2 * to] = tags[2 * from]!
    tags[2 * to + 1] = tags[2 * from + 1]!
    for (let column = 0; column < columns; column++) values[to * columns + column] = values[from * columns + column]!
  }

  function clear(place: number): void {
    tags[2 * place] = 0
    tags[2 * place + 1] = 0
    for (let column = 0; column < columns; column++) values[place * columns + column] = 0
  }

  const rows: SharedRows = {
    find(name) {
      digest(name)
      const place = seek()
      return isFree(place) ? -1 : place
    },
    make(name) {
      digest(name)
      const place = seek()
      if (isFree(place)) {
        tags[2 * place] = a
        tags[2 * place + 1] = b
        header[SIZE]!++
      }
      return place
    },
    get: (row, column) => values[row * columns + column]!,
    set(row, column, value) {
      values[row * columns + column] = value
    },
    remove(row) {
      // What stands behind is moved up, so that a look-up may stop at the first free place.
      let gap = row
      for (let place = (gap + 1) & mask; !isFree(place); place = (place + 1) & mask) {
        const home = tags[2 * place]! & mask
        if (((place - home) & mask) < ((place - gap) & mask)) continue
        move(place, gap)
        gap = place
      }
      clear(gap)
      header[SIZE]!--
    },
    sift(keep) {
      const kept: number[][] = []
      for (let place = 0; place < places; place++) {
        if (isFree(place)) continue
        if (keep(place)) {
          const row = values.subarray(place * columns, (place + 1) * columns)
          kept.push([tags[2 * place]!, tags[2 * place + 1]!, ...row])
        }
        clear(place)
      }
      for (const [first, second, ...row] of kept) {
        a = first!
        b = second!
        const place = seek()
        tags[2 * place] = a
        tags[2 * place + 1] = b
        values.set(row, place * columns)
      }
      header[SIZE] = kept.length
    },
  }

  function lock(): void {
    for (let i = 0; i < SPINS; i++) if (Atomics.compareExchange(header, LOCK, FREE, HELD) === FREE) return
    while (Atomics.exchange(header, LOCK, AWAITED) !== FREE) {
      if (Atomics.wait(header, LOCK, AWAITED, stealMs) === 'timed-out') return
    }
  }

  function unlock(): void {
    if (Atomics.exchange(header, LOCK, FREE) === AWAITED) Atomics.notify(header, LOCK, 1)
  }

  return {
    get size() {
      return Atomics.load(header, SIZE)
    },
    locked(work) {
      lock()
      try {
        return work(rows)
      } finally {
        unlock()
      }
    },
  }
}
