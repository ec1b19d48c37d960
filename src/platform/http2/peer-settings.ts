import type { ByteWriter } from './byte-writer.ts'
import {
  CODE,
  ConnectionError,
  DEFAULT_FRAME_SIZE,
  DEFAULT_WINDOW,
  expectSize,
  FLAG,
  MAX_FRAME_SIZE,
  PREFACE,
  SETTING,
  writeSettings,
  writeSettingsAck,
  writeWindowUpdate,
} from './frames.ts'
import type { Outflow } from './outflow.ts'
import { CONNECTION_WINDOW, HEADER_LIST_LIMIT } from './session.ts'

/** Writes the first bytes of a client: the preface, our settings and the window of the connection. */
export function writeIntroduction(out: ByteWriter): void {
  out.reserve(PREFACE.length)
  out.copy(PREFACE)
  writeSettings(out, [
    [SETTING.enablePush, 0],
    [SETTING.maxHeaderListSize, HEADER_LIST_LIMIT],
  ])
  writeWindowUpdate(out, 0, CONNECTION_WINDOW - DEFAULT_WINDOW)
}

/** The limits that the peer's SETTINGS set. */
export class PeerSettings {
  /** Streams at a time. */
  maxStreams = Number.POSITIVE_INFINITY
  readonly #out: ByteWriter
  readonly #outflow: Outflow

  constructor(out: ByteWriter, outflow: Outflow) {
    this.#out = out
    this.#outflow = outflow
  }

  /** Applies and acknowledges a SETTINGS frame. False for an acknowledgement. Throws `ConnectionError`. */
  frame(flags: number, id: number, bytes: Buffer, start: number, end: number): boolean {
    if (id !== 0) throw new ConnectionError(CODE.PROTOCOL_ERROR, 'SETTINGS arrived on a stream')
    if ((flags & FLAG.ack) !== 0) {
      expectSize(end - start, 0, 'the acknowledgement of SETTINGS')
      return false
    }
    if ((end - start) % 6 !== 0) throw new ConnectionError(CODE.FRAME_SIZE_ERROR, 'SETTINGS has the wrong size')
    for (let at = start; at < end; at += 6) this.#apply(bytes.readUInt16BE(at), bytes.readUInt32BE(at + 2))
    writeSettingsAck(this.#out)
    return true
  }

  #apply(id: number, value: number): void {
    switch (id) {
      case SETTING.headerTableSize:
        return this.#outflow.writer.setTableSize(value)
      case SETTING.enablePush:
        if (value !== 0) throw new ConnectionError(CODE.PROTOCOL_ERROR, 'a server cannot enable push')
        return
      case SETTING.maxConcurrentStreams:
        this.maxStreams = value
        return
      case SETTING.initialWindowSize:
        return this.#outflow.setInitialWindow(value)
      case SETTING.maxFrameSize:
        if (value < DEFAULT_FRAME_SIZE || value > MAX_FRAME_SIZE) {
          throw new ConnectionError(CODE.PROTOCOL_ERROR, `${value} is not a frame size`)
        }
        this.#outflow.writer.frameSize = value
        return
      default:
      // Unknown settings are ignored (RFC 9113 section 6.5.2).
    }
  }
}
