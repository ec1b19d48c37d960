import { CODE, ConnectionError, FLAG, FRAME, unpad } from './frames.ts'
import { HEADER_LIST_LIMIT } from './session.ts'

/** Maximum number of frames of one header block, HEADERS included. A block that needs more is an attack. */
const MAX_BLOCK_FRAMES = 32

/** Receives one complete header block, `bytes[start, end)`; valid only during the call. */
export type OnBlock = (streamId: number, endStream: boolean, bytes: Buffer, start: number, end: number) => void

/**
 * Joins a HEADERS frame and the CONTINUATION frames that follow it. Throws `ConnectionError` when another frame comes
 * in between.
 */
export class HeaderBlocks {
  readonly #onBlock: OnBlock
  #open: { streamId: number; endStream: boolean; parts: Buffer[]; bytes: number } | undefined

  constructor(onBlock: OnBlock) {
    this.#onBlock = onBlock
  }

  /** Call this first for every frame that arrives. */
  check(type: number, streamId: number): void {
    if (this.#open && (type !== FRAME.continuation || streamId !== this.#open.streamId)) {
      throw new ConnectionError(CODE.PROTOCOL_ERROR, 'a header block was interrupted by another frame')
    }
  }

  headers(flags: number, streamId: number, bytes: Buffer, start: number, end: number): void {
    const [from, to] = unpad(flags, bytes, start, end, (flags & FLAG.priority) === 0 ? 0 : 5)
    const endStream = (flags & FLAG.endStream) !== 0
    if ((flags & FLAG.endHeaders) !== 0) return this.#onBlock(streamId, endStream, bytes, from, to)
    this.#open = { streamId, endStream, parts: [Buffer.from(bytes.subarray(from, to))], bytes: to - from }
  }

  continuation(flags: number, bytes: Buffer, start: number, end: number): void {
    const open = this.#open
    if (!open) throw new ConnectionError(CODE.PROTOCOL_ERROR, 'a CONTINUATION frame follows no header block')
    open.parts.push(Buffer.from(bytes.subarray(start, end)))
    open.bytes += end - start
    if (open.bytes > HEADER_LIST_LIMIT || open.parts.length > MAX_BLOCK_FRAMES) {
      throw new ConnectionError(CODE.ENHANCE_YOUR_CALM, 'the headers of a reply are too large')
    }
    if ((flags & FLAG.endHeaders) === 0) return
    this.#open = undefined
    this.#onBlock(open.streamId, open.endStream, Buffer.concat(open.parts), 0, open.bytes)
  }
}
