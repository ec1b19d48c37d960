import type { TLSSocket } from 'node:tls'

/**
 * Tells a connection that floods with frames which carry no request from one that works. Node (nghttp2) itself ends those that
 * send many empty, broken or needless frames; it takes WINDOW_UPDATE frames without an end, and PING frames as long as the client
 * reads the answers. Node shows no such frame, so the bytes of a connection are compared with those that its requests account
 * for.
 */
export interface Noise {
  /** Notes that a request began. `hasBody`: bytes that are on their way when it is refused do not count against it. */
  request(hasBody: boolean): void
  /** Notes the bytes and frames of a body that came. */
  body(bytes: number, frames: number): void
  /** Notes that a PING or SETTINGS frame came, which costs more than its bytes. True when there were too many. */
  signal(): boolean
  /** Compares, at `now` (clock of `performance`). True when the connection sent too much: end it. */
  look(now: number): boolean
}

/** Bytes that a connection may send ahead: 80 000 WINDOW_UPDATE frames, which cost 4 ms. */
const BURST = 1_048_576
/** Bytes that a connection gains in a second without any request. */
const PER_SECOND = 65_536
/** Headers of a request (`MOST_HEADER_BYTES` of http2-door.ts), and frames that go with it. */
const PER_REQUEST = 20_480
/** The initial window of a stream: so much of a body may come after it was refused. */
const WINDOW = 65_536
/** Header and padding of a DATA frame (RFC 9113 6.1). */
const PER_FRAME = 9 + 1 + 255
/**
 * Bytes that a client may send for a byte that it gets. Two WINDOW_UPDATE frames, of 13 bytes, for each DATA frame of 16 kB are
 * 1/600; for answers in small frames it is more.
 */
const PER_BYTE = 1 / 8
/** One PING or SETTINGS frame: 64 in a second, 1024 at once. Clients that look whether we live send a few in a minute. */
const PER_SIGNAL = 1024

export function createNoise(socket: Pick<TLSSocket, 'bytesRead' | 'bytesWritten'>, begun: number): Noise {
  let left = BURST
  let read = socket.bytesRead
  let written = socket.bytesWritten
  let at = begun
  return {
    request(hasBody) {
      left += PER_REQUEST + (hasBody ? WINDOW : 0)
    },
    body(bytes, frames) {
      left += bytes + frames * PER_FRAME
    },
    signal() {
      left -= PER_SIGNAL
      return left < 0
    },
    look(now) {
      const { bytesRead, bytesWritten } = socket
      left += ((now - at) / 1000) * PER_SECOND + (bytesWritten - written) * PER_BYTE - (bytesRead - read)
      left = Math.min(left, BURST)
      at = now
      read = bytesRead
      written = bytesWritten
      return left < 0
    },
  }
}
