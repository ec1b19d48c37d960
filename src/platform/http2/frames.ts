import type { ByteWriter } from './byte-writer.ts'

/** HTTP/2 frames (RFC 9113 sections 4, 6 and 7): constants, writing, and reading from a stream split at any byte. */

export const FRAME = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const

export const FLAG = { ack: 1, endStream: 1, endHeaders: 4, padded: 8, priority: 0x20 } as const

export const SETTING = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
  maxHeaderListSize: 6,
} as const

export const CODE = {
  NO_ERROR: 0,
  PROTOCOL_ERROR: 1,
  INTERNAL_ERROR: 2,
  FLOW_CONTROL_ERROR: 3,
  SETTINGS_TIMEOUT: 4,
  STREAM_CLOSED: 5,
  FRAME_SIZE_ERROR: 6,
  REFUSED_STREAM: 7,
  CANCEL: 8,
  COMPRESSION_ERROR: 9,
  CONNECT_ERROR: 10,
  ENHANCE_YOUR_CALM: 11,
  INADEQUATE_SECURITY: 12,
  HTTP_1_1_REQUIRED: 13,
} as const

/** The RFC's name of an error code. */
export function codeName(code: number): string {
  return Object.entries(CODE).find(([, value]) => value === code)?.[0] ?? `error code ${code}`
}

export const HEADER_BYTES = 9
/**
 * The flow-control window and the maximum frame size before SETTINGS, then the highest values that the protocol allows.
 */
export const DEFAULT_WINDOW = 65_535
export const DEFAULT_FRAME_SIZE = 16_384
export const MAX_WINDOW = 2 ** 31 - 1
export const MAX_FRAME_SIZE = 2 ** 24 - 1
export const MAX_STREAM_ID = 2 ** 31 - 1

/** First bytes a client sends (RFC 9113 section 3.4). */
export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1')

/** The peer broke the protocol: the connection ends with GOAWAY and this code. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** Writes a frame header; reserve `HEADER_BYTES` before. */
export function writeFrameHeader(out: ByteWriter, length: number, type: number, flags: number, streamId: number): void {
  const { bytes, end } = out
  bytes[end] = length >>> 16
  bytes[end + 1] = length >>> 8
  bytes[end + 2] = length
  bytes[end + 3] = type
  bytes[end + 4] = flags
  bytes[end + 5] = streamId >>> 24
  bytes[end + 6] = streamId >>> 16
  bytes[end + 7] = streamId >>> 8
  bytes[end + 8] = streamId
  out.end = end + HEADER_BYTES
}

/**
 * Overwrites the length and flags of a frame header once its payload is known. The header begins `offset` bytes after
 * the last `take`.
 */
export function patchFrameHeader(out: ByteWriter, offset: number, length: number, flags: number): void {
  const at = out.position(offset)
  out.bytes[at] = length >>> 16
  out.bytes[at + 1] = length >>> 8
  out.bytes[at + 2] = length
  out.bytes[at + 4] = flags
}

export function writeSettings(out: ByteWriter, settings: readonly (readonly [id: number, value: number])[]): void {
  out.reserve(HEADER_BYTES + settings.length * 6)
  writeFrameHeader(out, settings.length * 6, FRAME.settings, 0, 0)
  for (const [id, value] of settings) {
    out.byte(id >>> 8)
    out.byte(id)
    out.uint32(value)
  }
}

export function writeSettingsAck(out: ByteWriter): void {
  out.reserve(HEADER_BYTES)
  writeFrameHeader(out, 0, FRAME.settings, FLAG.ack, 0)
}

export function writePing(out: ByteWriter, payload: Buffer, ack: boolean): void {
  out.reserve(HEADER_BYTES + 8)
  writeFrameHeader(out, 8, FRAME.ping, ack ? FLAG.ack : 0, 0)
  out.copy(payload, 0, 8)
}

export function writeReset(out: ByteWriter, streamId: number, code: number): void {
  out.reserve(HEADER_BYTES + 4)
  writeFrameHeader(out, 4, FRAME.reset, 0, streamId)
  out.uint32(code)
}

export function writeWindowUpdate(out: ByteWriter, streamId: number, increment: number): void {
  out.reserve(HEADER_BYTES + 4)
  writeFrameHeader(out, 4, FRAME.windowUpdate, 0, streamId)
  out.uint32(increment)
}

export function writeGoaway(out: ByteWriter, lastStreamId: number, code: number, debug = ''): void {
  const text = Buffer.from(debug)
  out.reserve(HEADER_BYTES + 8 + text.length)
  writeFrameHeader(out, 8 + text.length, FRAME.goaway, 0, 0)
  out.uint32(lastStreamId)
  out.uint32(code)
  out.copy(text)
}

/** Throws unless a frame has the one size that its type allows. */
export function expectSize(size: number, wanted: number, what: string): void {
  if (size !== wanted) throw new ConnectionError(CODE.FRAME_SIZE_ERROR, `${what} has the wrong size`)
}

/** The range of the payload without its padding and without its first `skip` bytes (the priority fields). */
export function unpad(
  flags: number,
  bytes: Buffer,
  start: number,
  end: number,
  skip: number,
): [from: number, to: number] {
  const padded = (flags & FLAG.padded) !== 0
  const from = start + (padded ? 1 : 0) + skip
  const to = end - (padded ? bytes[start]! : 0)
  if ((padded && start === end) || to < from) throw new ConnectionError(CODE.PROTOCOL_ERROR, 'a frame is all padding')
  return [from, to]
}

/** Gets one whole frame. The payload is `bytes[start, end)` and valid only during the call. */
export type OnFrame = (type: number, flags: number, streamId: number, bytes: Buffer, start: number, end: number) => void

/** Splits a byte stream into frames. Throws `ConnectionError` for a frame larger than `maxFrameSize`. */
export class FrameParser {
  readonly #onFrame: OnFrame
  readonly #maxFrameSize: number
  /** The beginning of an incomplete frame. */
  readonly #partial: Buffer
  #filled = 0
  #stopped = false

  constructor(onFrame: OnFrame, maxFrameSize = DEFAULT_FRAME_SIZE) {
    this.#onFrame = onFrame
    this.#maxFrameSize = maxFrameSize
    this.#partial = Buffer.allocUnsafeSlow(HEADER_BYTES + maxFrameSize)
  }

  /** Delivers no more frames, not even from buffered bytes. */
  stop(): void {
    this.#stopped = true
  }

  push(chunk: Buffer): void {
    let at = 0
    while (at < chunk.length && !this.#stopped) {
      if (this.#filled > 0) {
        at += this.#complete(chunk, at)
        continue
      }
      const left = chunk.length - at
      const size = left < HEADER_BYTES ? HEADER_BYTES : HEADER_BYTES + this.#payloadLength(chunk, at)
      if (left < size) {
        this.#filled = chunk.copy(this.#partial, 0, at)
        return
      }
      this.#emit(chunk, at, size)
      at += size
    }
  }

  /**
   * Copies bytes into the partial frame: first the rest of its header, then the rest of its payload. Returns how many
   * bytes it took.
   */
  #complete(chunk: Buffer, at: number): number {
    const hasHeader = this.#filled >= HEADER_BYTES
    const wanted = HEADER_BYTES + (hasHeader ? this.#payloadLength(this.#partial, 0) : 0)
    const taken = chunk.copy(this.#partial, this.#filled, at, at + wanted - this.#filled)
    this.#filled += taken
    if (this.#filled < HEADER_BYTES) return taken
    const size = HEADER_BYTES + this.#payloadLength(this.#partial, 0)
    if (this.#filled < size) return taken
    this.#filled = 0
    this.#emit(this.#partial, 0, size)
    return taken
  }

  #payloadLength(bytes: Buffer, at: number): number {
    const length = (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!
    if (length > this.#maxFrameSize) {
      throw new ConnectionError(CODE.FRAME_SIZE_ERROR, `a frame of ${length} bytes exceeds our limit`)
    }
    return length
  }

  #emit(bytes: Buffer, at: number, size: number): void {
    const streamId = bytes.readUInt32BE(at + 5) & 0x7fffffff
    this.#onFrame(bytes[at + 3]!, bytes[at + 4]!, streamId, bytes, at + HEADER_BYTES, at + size)
  }
}
