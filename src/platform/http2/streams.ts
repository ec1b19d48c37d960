import { DEFAULT_WINDOW } from './frames.ts'
import { ReplyBuilder } from './reply.ts'
import type { Batch, PushReply } from './types.ts'

/** One request on its way and what came of its reply. Objects are used again for later streams. */
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
  /** Collects the reply; undefined before its head, and for one of which nobody wants more than the status 200. */
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

/** The open streams of a connection, the oldest first. */
export class Streams {
  readonly #live = new Map<number, Stream>()
  readonly #free: Stream[] = []

  get size(): number {
    return this.#live.size
  }

  open(id: number, batch: Batch, index: number, now: number, sendWindow: number): Stream {
    const stream = this.#free.pop() ?? new Stream()
    stream.open(id, batch, index, now, sendWindow)
    this.#live.set(id, stream)
    return stream
  }

  find(id: number): Stream | undefined {
    return this.#live.get(id)
  }

  /** Removes it; nobody may use the object afterwards. */
  close(stream: Stream): void {
    this.#live.delete(stream.id)
    stream.body = undefined
    this.#free.push(stream)
  }

  values(): IterableIterator<Stream> {
    return this.#live.values()
  }
}
