import type { ByteWriter } from './byte-writer.ts'
import { DEFAULT_FRAME_SIZE, FLAG, FRAME, HEADER_BYTES, patchFrameHeader, writeFrameHeader } from './frames.ts'
import { HpackEncoder } from './hpack-encoder.ts'
import type { PushRequest } from './types.ts'

type Headers = PushRequest['headers']

/** Fields as they were last encoded, valid while the encoder's table does not change. */
interface Encoded {
  bytes: Buffer
  generation: number
}

/** Max sets of headers whose encoded form is kept: messages times topics that are on their way together. */
const MAX_ENCODED = 64

/** Writes requests as frames, within the limits of the peer's SETTINGS. */
export class RequestWriter {
  /** The peer's SETTINGS_MAX_FRAME_SIZE. */
  frameSize = DEFAULT_FRAME_SIZE
  readonly #out: ByteWriter
  readonly #encoder: HpackEncoder
  /** The pseudo headers before `:path`. */
  readonly #pseudo: Headers
  readonly #encoded = new Map<Headers, Encoded>()

  constructor(out: ByteWriter, origin: URL, neverIndexed: readonly string[]) {
    this.#out = out
    this.#pseudo = { ':method': 'POST', ':scheme': origin.protocol.slice(0, -1), ':authority': origin.host }
    this.#encoder = new HpackEncoder(neverIndexed)
  }

  /** The peer's SETTINGS_HEADER_TABLE_SIZE. */
  setTableSize(bytes: number): void {
    this.#encoder.setPeerTableSize(bytes)
  }

  /**
   * Writes the headers of a request: a HEADERS frame, and CONTINUATION frames if one frame is too small. Returns how
   * many bytes after the last `take` the first frame begins.
   */
  head(path: string, headers: Headers, id: number): number {
    const out = this.#out
    out.reserve(HEADER_BYTES)
    const frameAt = out.size
    writeFrameHeader(out, 0, FRAME.headers, 0, id)
    this.#encoder.begin(out)
    this.#fields(this.#pseudo)
    this.#encoder.field(out, ':path', path)
    this.#fields(headers)
    const length = out.size - frameAt - HEADER_BYTES
    if (length > this.frameSize) this.#split(id, frameAt, length)
    else patchFrameHeader(out, frameAt, length, FLAG.endHeaders)
    return frameAt
  }

  /** Writes fields: once each has its shortest form, by copying what was written before. */
  #fields(headers: Headers): void {
    const out = this.#out
    const encoder = this.#encoder
    const known = this.#encoded.get(headers)
    if (known?.generation === encoder.generation) {
      out.reserve(known.bytes.length)
      out.copy(known.bytes)
      return
    }
    const { unsettled } = encoder
    const from = out.size
    for (const name in headers) encoder.field(out, name, headers[name]!)
    if (encoder.unsettled !== unsettled) return
    if (this.#encoded.size >= MAX_ENCODED) this.#encoded.clear()
    const bytes = Buffer.from(out.bytes.subarray(out.position(from), out.end))
    this.#encoded.set(headers, { bytes, generation: encoder.generation })
  }

  /** Splits the header block after the frame header at `frameAt` into frames of the allowed size. */
  #split(id: number, frameAt: number, length: number): void {
    const out = this.#out
    const { frameSize } = this
    const from = out.position(frameAt) + HEADER_BYTES
    const block = Buffer.from(out.bytes.subarray(from, from + length))
    out.rewind(frameAt)
    for (let at = 0; at < length; at += frameSize) {
      const part = Math.min(frameSize, length - at)
      out.reserve(HEADER_BYTES + part)
      const type = at === 0 ? FRAME.headers : FRAME.continuation
      writeFrameHeader(out, part, type, at + part === length ? FLAG.endHeaders : 0, id)
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
