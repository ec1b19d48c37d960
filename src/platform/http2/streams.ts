import { DEFAULT_WINDOW } from './frames.ts'
import { ReplyBuilder } from './reply.ts'
import type { Batch, PushReply } from './types.ts'

/** One request on its way, and its reply as far as it has come. */
export class Stream {
  id = 0
  batch!: Batch
  index = 0
  /** Monotonic time when its first byte left. */
  startedAt = 0
  sendWindow = 0
  receiveWindow = 0
  /** Set while flow control holds back a part of the body. */
  body: Buffer | undefined
  /** Bytes of `body` already sent. */
  sent = 0
  /** The head of the reply is here. */
  hasHead = false
  /** Collects the reply; undefined before its head, and where only the status 200 is wanted. */
  #reply: ReplyBuilder | undefined
  #received = 0
  /** Announced length of the body of a plain reply, or -1. */
  #announced = -1

  open(id: number, batch: Batch, index: number, now: number, sendWindow: number): void {
    this.id = id
    this.batch = batch
    this.index = index
    this.startedAt = now
    this.sendWindow = sendWindow
    this.receiveWindow = DEFAULT_WINDOW
    this.body = undefined
    this.sent = 0
    this.hasHead = false
    this.#reply = undefined
    this.#received = 0
    this.#announced = -1
  }

  /** The head of a plain 200 came. `announced`: its content-length, or -1. */
  plainHead(announced: number): void {
    this.hasHead = true
    this.#announced = announced
  }

  head(status: number, headers: Record<string, string>): void {
    this.hasHead = true
    this.#reply = new ReplyBuilder()
    this.#reply.head(status, headers)
  }

  /** A part of the reply's body, `bytes[start, end)`. */
  data(bytes: Buffer, start: number, end: number): void {
    this.#received += end - start
    this.#reply?.data(bytes, start, end)
  }

  /** Body bytes of the reply so far. */
  get received(): number {
    return this.#received
  }

  /** False if the body is not as long as announced: the reply was cut on the way. */
  get complete(): boolean {
    return this.#reply ? this.#reply.complete : this.#announced < 0 || this.#announced === this.#received
  }

  /** The reply, or undefined for a plain 200. */
  build(): PushReply | undefined {
    return this.#reply?.build()
  }
}

/** Places of the table at first; a power of two. */
const PLACES = 256

/**
 * The open streams of a connection. A hash table by id with open addressing: a Map with ids that only grow makes a new
 * table for every fifty or so, which live long enough to be promoted to the old generation. Ids follow each other, so
 * streams rarely meet at a place.
 */
export class Streams {
  #table = emptyTable(PLACES)
  #size = 0
  readonly #free: Stream[] = []

  get size(): number {
    return this.#size
  }

  open(id: number, batch: Batch, index: number, now: number, sendWindow: number): Stream {
    const stream = this.#free.pop() ?? new Stream()
    stream.open(id, batch, index, now, sendWindow)
    if (this.#size * 2 >= this.#table.length) this.#grow()
    this.#table[this.#placeOf(id)] = stream
    this.#size++
    return stream
  }

  find(id: number): Stream | undefined {
    return this.#table[this.#placeOf(id)]
  }

  /** Removes it; nobody may use the object afterwards. */
  close(stream: Stream): void {
    const table = this.#table
    const mask = table.length - 1
    let hole = this.#placeOf(stream.id)
    if (table[hole] !== stream) return
    table[hole] = undefined
    this.#size--
    // Streams behind it that would be found at or before the hole move up, or they would be found no more.
    for (let place = (hole + 1) & mask; table[place]; place = (place + 1) & mask) {
      const wanted = (table[place]!.id >>> 1) & mask
      if (((place - wanted) & mask) < ((place - hole) & mask)) continue
      table[hole] = table[place]
      table[place] = undefined
      hole = place
    }
    stream.body = undefined
    this.#free.push(stream)
  }

  /** The streams, the oldest first, without those that are closed while they are walked. */
  *values(): IterableIterator<Stream> {
    const open = this.#table.filter((stream) => stream !== undefined)
    const ids = open.map(({ id }) => id).sort((a, b) => a - b)
    for (const id of ids) {
      const stream = this.find(id)
      if (stream) yield stream
    }
  }

  /** The place of the stream, or the one where it would be put. */
  #placeOf(id: number): number {
    const table = this.#table
    const mask = table.length - 1
    let place = (id >>> 1) & mask
    for (let found = table[place]; found && found.id !== id; found = table[place]) place = (place + 1) & mask
    return place
  }

  #grow(): void {
    const open = this.#table
    this.#table = emptyTable(open.length * 2)
    for (const stream of open) if (stream) this.#table[this.#placeOf(stream.id)] = stream
  }
}

const emptyTable = (length: number) => Array.from<Stream | undefined>({ length })
