import type { ByteWriter } from './byte-writer.ts'
import { DEFAULT_TABLE_SIZE, ENTRY_OVERHEAD, FIRST_DYNAMIC, STATIC_TABLE } from './hpack-static.ts'
import { encodeHuffman } from './huffman.ts'

/** Header compression of requests (RFC 7541). */

/** Maximum number of bytes of an encoded integer: ours stay below 2³². */
const MAX_INTEGER_BYTES = 6

/**
 * Writes an HPACK integer (RFC 7541 section 5.1), which begins in the last `prefixBits` bits of `first`. Reserve 6
 * bytes before.
 */
export function writeInteger(out: ByteWriter, first: number, prefixBits: number, value: number): void {
  const most = (1 << prefixBits) - 1
  if (value < most) return out.byte(first | value)
  out.byte(first | most)
  let rest = value - most
  for (; rest >= 128; rest = Math.floor(rest / 128)) out.byte((rest % 128) | 128)
  out.byte(rest)
}

/** The encoder's knowledge of one header name. */
interface KnownName {
  name: string
  /** Index in the static table, or 0. */
  staticIndex: number
  staticValues: Map<string, number>
  /** Value in the peer's dynamic table -> number of the insertion that put it there. */
  dynamicValues: Map<string, number>
  /** Insertion number of the newest entry with this name that is still in the table, or 0. */
  newest: number
  /** Values recently sent as literals. One that repeats is added to the table. */
  seen: string[]
  neverIndexed: boolean
  /** The last value of a never-indexed name, and its Huffman code once the value was sent twice in a row. */
  lastValue: string
  lastCoded: Buffer | undefined
}

const VALUES_REMEMBERED = 4
/** Maximum number of names to remember. Fields with further names are sent as literals. */
const NAMES_REMEMBERED = 256

/**
 * Writes header blocks. A value that repeats (topic, priority, content type) is added to the peer's table when it is
 * sent the second time; from then on it takes one byte. Values that change with each request (ids) are not added, so
 * they do not evict others; only one is added if the table lacks its name. Fields whose name is listed as never-indexed
 * are sent as literals that no hop may store. If the value stays the same (authorization), it is Huffman-coded once and
 * then copied.
 */
export class HpackEncoder {
  readonly #names = new Map<string, KnownName>()
  readonly #neverIndexed: ReadonlySet<string>
  /** The table's entries are those from the index `oldest` on, the oldest first. */
  #entries: { known: KnownName; value: string; size: number }[] = []
  #oldest = 0
  #inserted = 0
  #size = 0
  #limit = DEFAULT_TABLE_SIZE
  #smallestLimit: number | undefined
  /** Changes whenever the table does, so that what was encoded before may mean something else. */
  generation = 0
  /** Counts the fields that may be encoded shorter the next time. */
  unsettled = 0

  constructor(neverIndexed: readonly string[]) {
    this.#neverIndexed = new Set(neverIndexed)
    STATIC_TABLE.forEach(([name, value], i) => {
      const known = this.#known(name)
      known.staticIndex ||= i + 1
      if (value !== '') known.staticValues.set(value, i + 1)
    })
  }

  /**
   * The peer's SETTINGS_HEADER_TABLE_SIZE. We use at most 4096 bytes of it and say so at the start of the next block.
   */
  setPeerTableSize(bytes: number): void {
    const limit = Math.min(bytes, DEFAULT_TABLE_SIZE)
    if (limit === this.#limit && this.#smallestLimit === undefined) return
    this.generation++
    this.#smallestLimit = Math.min(this.#smallestLimit ?? limit, limit)
    this.#limit = limit
    this.#evict(0, this.#smallestLimit)
  }

  /** Starts a header block: announces a changed table size (RFC 7541 section 4.2: the smallest one first). */
  begin(out: ByteWriter): void {
    if (this.#smallestLimit === undefined) return
    out.reserve(2 * MAX_INTEGER_BYTES)
    if (this.#smallestLimit < this.#limit) writeInteger(out, 0x20, 5, this.#smallestLimit)
    writeInteger(out, 0x20, 5, this.#limit)
    this.#smallestLimit = undefined
  }

  /** Writes one field. Both strings must be latin1, and the caller must write pseudo headers first. */
  field(out: ByteWriter, name: string, value: string): void {
    out.reserve(name.length + value.length + 3 * MAX_INTEGER_BYTES)
    const known = this.#known(name)
    if (known.neverIndexed) return this.#neverIndexedField(out, known, value)
    const fixed = known.staticValues.get(value)
    if (fixed !== undefined) return writeInteger(out, 0x80, 7, fixed)
    const insertion = known.dynamicValues.get(value)
    if (insertion !== undefined) return writeInteger(out, 0x80, 7, this.#indexOf(insertion))

    this.unsettled++
    const size = name.length + value.length + ENTRY_OVERHEAD
    const cameBack = known.seen.includes(value)
    // A name without an index is written out in every block, so an entry is worth its space even if the values change.
    const nameless = known.staticIndex === 0 && known.newest === 0 && known.seen.length > 0
    if ((cameBack || nameless) && size <= this.#limit / 2) {
      this.#name(out, 0x40, 6, known)
      this.#coded(out, encodeHuffman(value))
      this.#insert(known, value, size)
      return
    }
    if (!cameBack) {
      known.seen.push(value)
      if (known.seen.length > VALUES_REMEMBERED) known.seen.shift()
    }
    this.#name(out, 0x00, 4, known)
    this.#plain(out, value)
  }

  #neverIndexedField(out: ByteWriter, known: KnownName, value: string): void {
    this.#name(out, 0x10, 4, known)
    if (value !== known.lastValue) {
      known.lastValue = value
      known.lastCoded = undefined
      this.unsettled++
      return this.#plain(out, value)
    }
    this.#coded(out, (known.lastCoded ??= encodeHuffman(value)))
  }

  #name(out: ByteWriter, pattern: number, prefixBits: number, known: KnownName): void {
    const index = known.staticIndex || (known.newest > 0 ? this.#indexOf(known.newest) : 0)
    writeInteger(out, pattern, prefixBits, index)
    if (index === 0) this.#plain(out, known.name)
  }

  #plain(out: ByteWriter, text: string): void {
    writeInteger(out, 0x00, 7, text.length)
    out.latin1(text)
  }

  #coded(out: ByteWriter, huffman: Buffer): void {
    // Rare characters have codes of up to 30 bits, so the coded form can be longer than the reserved text.
    out.reserve(huffman.length + MAX_INTEGER_BYTES)
    writeInteger(out, 0x80, 7, huffman.length)
    out.copy(huffman)
  }

  #known(name: string): KnownName {
    let known = this.#names.get(name)
    if (!known) {
      known = {
        name,
        staticIndex: 0,
        staticValues: new Map(),
        dynamicValues: new Map(),
        newest: 0,
        seen: [],
        neverIndexed: this.#neverIndexed.has(name),
        lastValue: '',
        lastCoded: undefined,
      }
      if (this.#names.size < NAMES_REMEMBERED) this.#names.set(name, known)
    }
    return known
  }

  #indexOf(insertion: number): number {
    return FIRST_DYNAMIC + this.#inserted - insertion
  }

  #insert(known: KnownName, value: string, size: number): void {
    this.generation++
    this.#evict(size, this.#limit)
    this.#entries.push({ known, value, size })
    this.#size += size
    this.#inserted++
    known.dynamicValues.set(value, this.#inserted)
    known.newest = this.#inserted
  }

  #evict(room: number, limit: number): void {
    while (this.#size + room > limit) {
      const { known, value, size } = this.#entries[this.#oldest++]!
      this.#size -= size
      const insertion = this.#inserted - (this.#entries.length - this.#oldest)
      known.dynamicValues.delete(value)
      if (known.newest === insertion) known.newest = 0
    }
    if (this.#oldest > 64) {
      this.#entries = this.#entries.slice(this.#oldest)
      this.#oldest = 0
    }
  }
}
