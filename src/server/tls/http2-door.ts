import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import http2 from 'node:http2'
import type { TLSSocket } from 'node:tls'
import type { SocketRefusal } from '../../platform/net/sockets.ts'
import { createNoise, type Noise } from './http2-noise.ts'

/** Limits of HTTP/2 connections. Times in milliseconds. */
export interface Http2Limits {
  /** A connection without a request is closed after this. */
  idleMs: number
  /** A request must have arrived as a whole within this. */
  requestMs: number
  /** A client that takes nothing of an answer for so long loses it, at the latest after twice this time. */
  writeMs: number
  onRefused(why: SocketRefusal, address: string): void
}

export interface Http2Door {
  /** Speaks HTTP/2 on a connection that agreed to it. */
  accept(socket: TLSSocket): void
  /** Lets running requests finish and refuses others. Close the sockets that stay open after that. */
  close(): void
}

const { NGHTTP2_CANCEL, NGHTTP2_ENHANCE_YOUR_CALM, NGHTTP2_REFUSED_STREAM } = http2.constants

/**
 * Streams that a connection may have open (RFC 9113 6.5.2 advises 100). Each may hold a window of 64 KiB of a body that
 * nobody reads yet.
 */
const MOST_STREAMS = 100
/** Requests of all connections of the thread whose body has not arrived: 64 KiB each. */
const MOST_BODIES = 1000
/** Requests that a client took back before they were answered (CVE-2023-44487); browsers take back a handful. */
const MOST_TAKEN_BACK = 100
/** The same as for HTTP/1.1. */
const MOST_HEADER_BYTES = 16_384
const SWEEP_MS = 5000
/** The time (ms) for which a flood may last, besides what a connection may send ahead (http2-noise.ts). */
const NOISE_MS = 1000
/** A longer answer goes out in parts, so that it shows whether the client reads. */
const PART = 16_384

interface Session {
  readonly session: http2.Http2Session
  readonly address: string
  readonly noise: Noise
  takenBack: number
  /** The time since which no request has been open (clock of `performance`). */
  idleSince: number
}

interface Started {
  readonly request: DoorRequest
  readonly response: DoorResponse
  readonly of: Session
  readonly at: number
  isBodyAwaited: boolean
  /** The part of the answer that was unread at an earlier look, and the time of that look. */
  unread: string | undefined
  unreadAt: number
}

/** Node's request for HTTP/2 that counts the bytes of its body. */
class DoorRequest extends http2.Http2ServerRequest {
  #bytes = 0
  #frames = 0

  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    if (chunk !== null) {
      this.#bytes += chunk.length
      this.#frames++
    }
    return super.push(chunk, encoding)
  }

  /** Tells `noise` of the bytes that have come since the last time. */
  account(noise: Noise): void {
    noise.body(this.#bytes, this.#frames)
    this.#bytes = 0
    this.#frames = 0
  }
}

/**
 * Node's response for HTTP/2 with the facts that the server asks of one for HTTP/1.1: whether it is closed, whether all of it was
 * sent, and how much the client has not taken.
 */
class DoorResponse extends http2.Http2ServerResponse {
  #left = 0

  /** A text that changes whenever the client takes a part; undefined when nothing waits for it. */
  unread(): string | undefined {
    if (this.stream.destroyed) return undefined
    const waiting = this.#left + this.stream.bufferSize
    return waiting === 0 ? undefined : String(waiting)
  }

  override end(...given: unknown[]): this {
    const [body] = given
    if ((typeof body !== 'string' && !Buffer.isBuffer(body)) || body.length <= PART) {
      return Reflect.apply(super.end, this, given) as this
    }
    const bytes = typeof body === 'string' ? Buffer.from(body) : body
    this.#left = bytes.length
    this.#pump(bytes)
    return this
  }

  #pump(bytes: Buffer): void {
    while (!this.closed) {
      const part = bytes.subarray(bytes.length - this.#left, bytes.length - this.#left + PART)
      this.#left -= part.length
      if (this.#left === 0) return void super.end(part)
      if (super.write(part)) continue
      this.stream.once('drain', () => this.#pump(bytes))
      return
    }
  }
}

// Accessors, which a class cannot put in the place of what its base declares as properties.
Object.defineProperties(DoorResponse.prototype, {
  closed: {
    get(this: DoorResponse) {
      return this.stream.closed || this.stream.destroyed
    },
  },
  writableFinished: {
    get(this: DoorResponse) {
      return this.stream.writableFinished && this.stream.rstCode === 0
    },
  },
})

const SERVER = {
  settings: {
    maxConcurrentStreams: MOST_STREAMS,
    maxHeaderListSize: MOST_HEADER_BYTES,
    enableConnectProtocol: false,
  },
  maxHeaderListPairs: 100,
  maxSettings: 32,
  maxOutstandingPings: 4,
  maxSessionInvalidFrames: 20,
  maxSessionRejectedStreams: 50,
  streamResetBurst: 2 * MOST_TAKEN_BACK,
  streamResetRate: 20,
  Http2ServerRequest: DoorRequest,
  Http2ServerResponse: DoorResponse as unknown as typeof http2.Http2ServerResponse,
} satisfies Parameters<typeof http2.createServer>[0]

/** HTTP/2 for a request listener that is written for HTTP/1.1. */
export function createHttp2Door(listener: RequestListener, limits: Http2Limits): Http2Door {
  const { idleMs, requestMs, writeMs, onRefused } = limits
  const sessions = new Map<http2.Http2Session, Session>()
  const open = new Set<Started>()
  let bodies = 0

  const server = http2.createServer(SERVER)
  server.on('session', begin)
  server.on('sessionError', () => {})
  server.on('request', (request, response) => take(request, response as unknown as DoorResponse))

  function begin(session: http2.ServerHttp2Session): void {
    const { socket } = session
    const now = performance.now()
    const noise = createNoise(socket, now)
    const of = { session, address: socket.remoteAddress ?? '', noise, takenBack: 0, idleSince: now }
    sessions.set(session, of)
    const count = () => void (noise.signal() && calm(of))
    session.on('ping', count)
    session.on('remoteSettings', count)
    session.once('close', () => sessions.delete(session))
    // Broken frames and the like: Node closes the connection.
    session.on('error', () => {})
  }

  function take(request: DoorRequest, response: DoorResponse): void {
    const { stream } = response
    const of = sessions.get(stream.session!)
    if (!of) return stream.close(NGHTTP2_REFUSED_STREAM)
    const isBodyAwaited = !request.readableEnded && !stream.endAfterHeaders
    of.noise.request(isBodyAwaited)
    if (isBodyAwaited && bodies >= MOST_BODIES) return stream.close(NGHTTP2_REFUSED_STREAM)
    const at = performance.now()
    const started: Started = { request, response, of, at, isBodyAwaited, unread: undefined, unreadAt: at }
    if (isBodyAwaited) {
      bodies++
      request.once('end', () => bodyCame(started))
    }
    open.add(started)
    stream.once('close', () => leave(started))
    stream.on('error', () => {})
    // Not at once: a request that is taken back in the same breath costs nothing.
    setImmediate(run, request, response)
  }

  /** Ends a connection that asks too much. */
  function calm({ session }: Session): void {
    if (session.destroyed) return
    session.destroy(new Error('the client asks too much'), NGHTTP2_ENHANCE_YOUR_CALM)
  }

  function bodyCame(started: Started): void {
    if (!started.isBodyAwaited) return
    started.isBodyAwaited = false
    bodies--
  }

  function leave(started: Started): void {
    const { of, response } = started
    open.delete(started)
    started.request.account(of.noise)
    bodyCame(started)
    if (!response.writableFinished && response.stream.rstCode !== 0 && ++of.takenBack > MOST_TAKEN_BACK) calm(of)
    if (response.writableFinished && of.takenBack > 0) of.takenBack--
    of.idleSince = performance.now()
  }

  function run(request: http2.Http2ServerRequest, response: DoorResponse): void {
    if (response.closed) return
    const { headers } = request
    // There is one: nghttp2 refuses a request that names no host (RFC 9113 8.3.1).
    const host = (headers[':authority'] ?? headers.host)!
    if (headers.host !== undefined && headers.host.toLowerCase() !== host.toLowerCase()) {
      // RFC 9113 8.3.1: they must say the same.
      response.writeHead(400, { 'Content-Type': 'application/json; charset=utf-8' })
      response.end('{"error":"the request names two hosts: :authority and Host differ"}')
      return
    }
    headers.host = host
    // Node's own classes for HTTP/2 have what listeners for HTTP/1.1 use; DoorResponse adds what they lack.
    listener(request as unknown as IncomingMessage, response as unknown as ServerResponse)
  }

  function sweep(): void {
    const now = performance.now()
    for (const started of open) {
      const { request, response, of, at, isBodyAwaited } = started
      if (isBodyAwaited && now - at > requestMs && !request.complete) response.stream.close(NGHTTP2_CANCEL)
      const unread = response.unread()
      if (unread === undefined || unread !== started.unread) {
        started.unread = unread
        started.unreadAt = now
      } else if (now - started.unreadAt > writeMs) {
        onRefused('writeTimeout', of.address)
        response.stream.close(NGHTTP2_CANCEL)
        // A client that does not even take the frame that ends the answer.
        if (response.stream.session === undefined) of.session.destroy()
      }
    }
    const busy = new Set([...open].map(({ of }) => of))
    for (const of of sessions.values()) {
      if (busy.has(of) || now - of.idleSince <= idleMs) continue
      // The second time the client has not taken the notice.
      if (of.session.closed) of.session.destroy()
      else of.session.close()
    }
  }

  function listen(): void {
    const now = performance.now()
    for (const { request, of } of open) request.account(of.noise)
    for (const of of sessions.values()) if (!of.session.destroyed && of.noise.look(now)) calm(of)
  }

  const sweeping = setInterval(sweep, SWEEP_MS)
  const listening = setInterval(listen, NOISE_MS)
  sweeping.unref()
  listening.unref()
  return {
    accept: (socket) => void server.emit('connection', socket),
    close() {
      clearInterval(sweeping)
      clearInterval(listening)
      for (const { session } of sessions.values()) session.close()
    },
  }
}
