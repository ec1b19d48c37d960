import type { ByteWriter } from './byte-writer.ts'
import { DEFAULT_FRAME_SIZE, FLAG, FRAME, HEADER_BYTES, patchFrameHeader, writeFrameHeader } from './frames.ts'
import { HpackEncoder } from './hpack.ts'
import type { PushRequest } from './types.ts'

/** Writes requests as frames, within the limits of the peer's SETTINGS. */
export class RequestWriter {
  /** The peer's SETTINGS_MAX_FRAME_SIZE. */
  frameSize = DEFAULT_FRAME_SIZE
  readonly #out: ByteWriter
  readonly #scheme: string
  readonly #authority: string
  readonly #encoder: HpackEncoder

  constructor(out: ByteWriter, origin: URL, neverIndexed: readonly string[]) {
    this.#out = out
    this.#scheme = origin.protocol.slice(0, -1)
    this.#authority = origin.host
    this.#encoder = new HpackEncoder(neverIndexed)
  }

  /** The peer's SETTINGS_HEADER_TABLE_SIZE. */
  setTableSize(bytes: number): void {
    this.#encoder.setPeerTableSize(bytes)
  }

  /** Writes the headers of a request: a HEADERS frame, and CONTINUATION frames if one frame is too small. */
  head({ path, headers }: PushRequest, id: number, endStream: boolean): void {
    const out = this.#out
    const encoder = this.#encoder
    const end = endStream ? FLAG.endStream : 0
    out.reserve(HEADER_BYTES)
    const frameAt = out.size
    writeFrameHeader(out, 0, FRAME.headers, 0, id)
    encoder.begin(out)
    encoder.field(out, ':method', 'POST')
    encoder.field(out, ':scheme', this.#scheme)
    encoder.field(out, ':authority', this.#authority)
    encoder.field(out, ':path', path)
    for (const name in headers) encoder.field(out, name, headers[name]!)
    const length = out.size - frameAt - HEADER_BYTES
    if (length > this.frameSize) return this.#split(id, end, frameAt, length)
    patchFrameHeader(out, frameAt, length, end | FLAG.endHeaders)
  }

  /** Splits the header block after the frame header at `frameAt` into frames of the allowed size. */
  #split(id: number, end: number, frameAt: number, length: number): void {
    const out = this.#out
    const { frameSize } = this
    const from = out.position(frameAt)
    const block = Buffer.from(out.bytes.subarray(from + HEADER_BYTES, from + HEADER_BYTES + length))
    out.end = from
    for (let at = 0; at < length; at += frameSize) {
      const part = Math.min(frameSize, length - at)
      const flags = (at === 0 ? end : 0) | (at + part === length ? FLAG.endHeaders : 0)
      out.reserve(HEADER_BYTES + part)
      writeFrameHeader(out, part, at === 0 ? FRAME.headers : FRAME.continuation, flags, id)
      out.copy(block, at, at + part)
    }
  }

  /** Writes one DATA frame with `body[from, to)`; the caller respects windows and frame size. */
  data(body: Buffer, from: number, to: number, id: number): void {
    const out = this.#out
    out.reserve(HEADER_BYTES + to - from)
    writeFrameHeader(out, to - from, FRAME.data, to === body.length ? FLAG.endStream : 0, id)
    out.copy(body, from, to)
  }
}
