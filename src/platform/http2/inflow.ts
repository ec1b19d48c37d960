import type { ByteWriter } from './byte-writer.ts'
import { CODE, ConnectionError, DEFAULT_WINDOW, FLAG, unpad, writeWindowUpdate } from './frames.ts'
import { HeaderBlocks } from './header-blocks.ts'
import { HpackDecoder } from './hpack-decoder.ts'
import { DEFAULT_TABLE_SIZE } from './hpack-static.ts'
import { readHead } from './reply.ts'
import { CONNECTION_WINDOW, HEADER_LIST_LIMIT, REPLY_LIMIT } from './session.ts'
import type { Stream, Streams } from './streams.ts'

/** The first byte of a header block that says `:status: 200` (RFC 7541 appendix A, index 8). */
const STATUS_200 = 0x88

/** Messages of `Inflow` to its session. */
export interface InflowActions {
  /** The reply is here. */
  finished(stream: Stream): void
  /** The reply goes on beyond `REPLY_LIMIT`: its status and beginning are enough. */
  enough(stream: Stream): void
  /** The reply is malformed, too large or breaks flow control: the stream ends. */
  broken(stream: Stream, code: number, reason: string): void
}

/** Reads replies: header blocks and bodies, within the windows that we gave. */
export class Inflow {
  readonly #out: ByteWriter
  readonly #streams: Streams
  readonly #actions: InflowActions
  readonly #decoder = new HpackDecoder(DEFAULT_TABLE_SIZE, HEADER_LIST_LIMIT)
  readonly blocks = new HeaderBlocks((id, endStream, bytes, start, end) =>
    this.#block(id, endStream, bytes, start, end),
  )
  #window = CONNECTION_WINDOW

  constructor(out: ByteWriter, streams: Streams, actions: InflowActions) {
    this.#out = out
    this.#streams = streams
    this.#actions = actions
  }

  /**
   * Handles one whole header block. That of an unknown stream is decoded too, because later blocks may refer to the
   * table entries that it adds.
   */
  #block(id: number, endStream: boolean, bytes: Buffer, start: number, end: number): void {
    const stream = this.#streams.find(id)
    if (stream && !stream.hasHead && bytes[start] === STATUS_200 && stream.batch.accepted) {
      return this.#plainHead(stream, endStream, bytes, start, end)
    }
    const fields = this.#decoder.decode(bytes, start, end)
    if (!stream) return
    if (this.#decoder.tooLarge) return this.#tooLarge(stream)
    if (stream.hasHead) {
      if (!endStream) return this.#actions.broken(stream, CODE.PROTOCOL_ERROR, 'a reply has two heads')
      return this.#actions.finished(stream)
    }
    const head = readHead(fields)
    if (head.kind === 'malformed') return this.#actions.broken(stream, CODE.PROTOCOL_ERROR, head.reason)
    if (head.kind === 'informational') {
      if (endStream) this.#actions.broken(stream, CODE.PROTOCOL_ERROR, 'the reply ends before its final status')
      return
    }
    stream.head(head.status, head.headers)
    if (endStream) this.#actions.finished(stream)
  }

  /** The head of a 200 whose batch wants to know no more: it is checked and not kept. */
  #plainHead(stream: Stream, endStream: boolean, bytes: Buffer, start: number, end: number): void {
    const flaw = this.#decoder.skim(bytes, start, end)
    if (this.#decoder.tooLarge) return this.#tooLarge(stream)
    if (flaw !== undefined) return this.#actions.broken(stream, CODE.PROTOCOL_ERROR, flaw)
    stream.plainHead(this.#decoder.contentLength)
    if (endStream) this.#actions.finished(stream)
  }

  #tooLarge(stream: Stream): void {
    this.#actions.broken(stream, CODE.CANCEL, 'the headers of the reply are too large')
  }

  data(flags: number, id: number, bytes: Buffer, start: number, end: number): void {
    const length = end - start
    // Padding counts towards the window, and so does data for finished streams.
    this.#window -= length
    if (this.#window < 0) {
      throw new ConnectionError(CODE.FLOW_CONTROL_ERROR, 'the peer exceeded our flow-control window')
    }
    if (this.#window < CONNECTION_WINDOW / 2) {
      writeWindowUpdate(this.#out, 0, CONNECTION_WINDOW - this.#window)
      this.#window = CONNECTION_WINDOW
    }
    const isPadded = (flags & FLAG.padded) !== 0
    const [from, to] = isPadded ? unpad(flags, bytes, start, end, 0) : [start, end]
    const stream = this.#streams.find(id)
    if (!stream) return
    stream.receiveWindow -= length
    if (stream.receiveWindow < 0) {
      return this.#actions.broken(stream, CODE.FLOW_CONTROL_ERROR, 'the peer overran the window of the stream')
    }
    if (!stream.hasHead) {
      return this.#actions.broken(stream, CODE.PROTOCOL_ERROR, 'the reply has a body and no head')
    }
    stream.data(bytes, from, to)
    if ((flags & FLAG.endStream) !== 0) return this.#actions.finished(stream)
    if (stream.received > REPLY_LIMIT) return this.#actions.enough(stream)
    if (stream.receiveWindow < DEFAULT_WINDOW / 2) {
      writeWindowUpdate(this.#out, id, DEFAULT_WINDOW - stream.receiveWindow)
      stream.receiveWindow = DEFAULT_WINDOW
    }
  }
}
