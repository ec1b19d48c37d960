import type { ByteWriter } from './byte-writer.ts'
import {
  CODE,
  ConnectionError,
  DEFAULT_WINDOW,
  FLAG,
  FRAME,
  HEADER_BYTES,
  MAX_WINDOW,
  patchFrameHeader,
  writeFrameHeader,
} from './frames.ts'
import { RequestWriter } from './request-writer.ts'
import { refusalOf } from './session.ts'
import type { Stream, Streams } from './streams.ts'
import type { Batch } from './types.ts'

/** Writes requests as flow control allows it. */
export class Outflow {
  readonly writer: RequestWriter
  readonly #out: ByteWriter
  readonly #streams: Streams
  /** Streams whose body is not fully sent. */
  readonly #unsent = new Set<Stream>()
  #peerWindow = DEFAULT_WINDOW
  #window = DEFAULT_WINDOW
  #checked: object | undefined

  constructor(out: ByteWriter, streams: Streams, settings: { origin: URL; neverIndexed: readonly string[] }) {
    this.#out = out
    this.#streams = streams
    this.writer = new RequestWriter(out, settings.origin, settings.neverIndexed)
  }

  /** Some bodies wait for the peer's window. */
  get hasUnsent(): boolean {
    return this.#unsent.size > 0
  }

  /** Tells whether the body of a request can begin now. */
  allows(batch: Batch, index: number): boolean {
    if (this.#window > 0) return true
    const before = this.#out.size
    batch.writeBody(index, this.#out)
    const hasBody = this.#out.size > before
    this.#out.rewind(before)
    return !hasBody
  }

  /** Opens a stream and writes its request. Returns why not, and has written nothing, for one that cannot be sent. */
  start(id: number, batch: Batch, index: number, now: number): Error | undefined {
    const path = batch.path(index)
    const headers = batch.headers(index)
    const refusal = refusalOf(path, headers, this.#checked)
    if (refusal) return refusal
    this.#checked = headers
    const out = this.#out
    const stream = this.#streams.open(id, batch, index, now, this.#peerWindow)
    const headAt = this.writer.head(path, headers, id)
    out.reserve(HEADER_BYTES)
    const dataAt = out.size
    writeFrameHeader(out, 0, FRAME.data, 0, id)
    batch.writeBody(index, out)
    const length = out.size - dataAt - HEADER_BYTES
    if (length === 0) {
      out.rewind(dataAt)
      out.bytes[out.position(headAt) + 4]! |= FLAG.endStream
    } else if (length <= this.writer.frameSize && length <= this.#window && length <= stream.sendWindow) {
      patchFrameHeader(out, dataAt, length, FLAG.endStream)
      stream.sendWindow -= length
      this.#window -= length
    } else {
      const from = out.position(dataAt) + HEADER_BYTES
      stream.body = Buffer.from(out.bytes.subarray(from, from + length))
      out.rewind(dataAt)
      this.#sendBody(stream)
    }
    return undefined
  }

  /** Sends more of the bodies that wait. */
  sendBodies(): void {
    for (const stream of this.#unsent) {
      if (this.#window <= 0) return
      this.#sendBody(stream)
    }
  }

  /** Sends as much of a body as windows and frame size allow. */
  #sendBody(stream: Stream): void {
    const body = stream.body!
    while (stream.sent < body.length) {
      const part = Math.min(body.length - stream.sent, this.#window, stream.sendWindow, this.writer.frameSize)
      if (part <= 0) {
        this.#unsent.add(stream)
        return
      }
      this.writer.data(body, stream.sent, stream.sent + part, stream.id)
      stream.sent += part
      stream.sendWindow -= part
      this.#window -= part
    }
    stream.body = undefined
    this.#unsent.delete(stream)
  }

  /** The stream is over: sends no more of its body. */
  forget(stream: Stream): void {
    if (stream.body) this.#unsent.delete(stream)
  }

  /** WINDOW_UPDATE of the connection. */
  widen(increment: number): void {
    if (increment === 0) throw new ConnectionError(CODE.PROTOCOL_ERROR, 'a WINDOW_UPDATE has an increment of 0')
    this.#window += increment
    if (this.#window > MAX_WINDOW) throw new ConnectionError(CODE.FLOW_CONTROL_ERROR, 'our window is too large')
  }

  /** WINDOW_UPDATE of a stream. Returns why the stream must end, if so. */
  widenStream(stream: Stream, increment: number): ConnectionError | undefined {
    if (increment === 0) return new ConnectionError(CODE.PROTOCOL_ERROR, 'a WINDOW_UPDATE has an increment of 0')
    stream.sendWindow += increment
    if (stream.sendWindow <= MAX_WINDOW) return undefined
    return new ConnectionError(CODE.FLOW_CONTROL_ERROR, 'the window of a stream is too large')
  }

  /**
   * SETTINGS_INITIAL_WINDOW_SIZE. Windows of running streams change by the difference and may become negative (RFC 9113
   * section 6.9.2).
   */
  setInitialWindow(value: number): void {
    if (value > MAX_WINDOW) throw new ConnectionError(CODE.FLOW_CONTROL_ERROR, 'the initial window is too large')
    const change = value - this.#peerWindow
    this.#peerWindow = value
    for (const stream of this.#streams.values()) {
      stream.sendWindow += change
      if (stream.sendWindow > MAX_WINDOW) {
        throw new ConnectionError(CODE.FLOW_CONTROL_ERROR, 'the window of a stream is too large')
      }
    }
  }
}
