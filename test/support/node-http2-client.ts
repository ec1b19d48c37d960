import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
  sensitiveHeaders,
} from 'node:http2'
import type { Socket } from 'node:net'
import { answer, requestOf } from '../../src/platform/http2/batch.ts'
import { CODE, codeName } from '../../src/platform/http2/frames.ts'
import { Liveness } from '../../src/platform/http2/liveness.ts'
import { openPoolOver } from '../../src/platform/http2/pool.ts'
import { ReplyBuilder } from '../../src/platform/http2/reply.ts'
import {
  describeError,
  GOODBYE_MS,
  HEADER_LIST_LIMIT,
  type OpenSession,
  refusalOf,
  type Session,
  type SessionEvents,
  type SessionSettings,
} from '../../src/platform/http2/session.ts'
import { isCertificateRefusal, openSocket } from '../../src/platform/http2/socket.ts'
import { type Batch, Http2Failure, type Http2FailureKind, type OpenPool } from '../../src/platform/http2/types.ts'

/**
 * Does the same as our HTTP/2 client with Node's, which is an order of magnitude slower but maintained by others: what tests and the
 * bench compare ours with. One difference: Node destroys a session on a GOAWAY with an error code, so streams that could have finished
 * end as `uncertain`.
 */
export const openNodePool: OpenPool = (options) => openPoolOver(options, openNodeSession)

const openNodeSession: OpenSession = async (settings, events, signal) => {
  const socket = await openSocket(settings, signal)
  const { promise, resolve, reject } = Promise.withResolvers<Session>()
  const session = new NodeSession(socket, settings, events, { resolve, reject })
  const abort = () => session.abandon(describeError(signal.reason))
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  return promise.finally(() => signal.removeEventListener('abort', abort))
}

/** One request of a batch. */
interface Exchange {
  batch: Batch
  index: number
}

class NodeSession implements Session {
  readonly #settings: SessionSettings
  readonly #events: SessionEvents
  #opening: { resolve(session: Session): void; reject(failure: Http2Failure): void } | undefined
  readonly #session: ClientHttp2Session
  readonly #liveness: Liveness
  readonly #live = new Set<Exchange>()
  /** Requests that are accepted and wait for the answer to a PING. */
  #held: Exchange[] = []
  #goaway: { code: number; lastId: number; message: string } | undefined
  #error: Error | undefined
  #gone = false
  answered = false
  used = false
  draining = false

  constructor(
    socket: Socket,
    settings: SessionSettings,
    events: SessionEvents,
    opening: { resolve(session: Session): void; reject(failure: Http2Failure): void },
  ) {
    this.#settings = settings
    this.#events = events
    this.#opening = opening
    this.#session = connect(settings.origin, {
      createConnection: () => socket,
      settings: { enablePush: false, maxHeaderListSize: HEADER_LIST_LIMIT },
      // In MB. With Node's default of 10, a thousand streams make it refuse the next one.
      maxSessionMemory: 100,
    })
    this.#liveness = new Liveness(settings, {
      ping: () => this.#ping(),
      alive: () => this.#startHeld(),
      dead: () => this.#end(new Error(`no answer to PING within ${settings.pingTimeoutMs} ms`)),
      replace: () => {
        this.drain()
        this.#events.freed()
      },
    })
    this.#session
      .on('remoteSettings', () => {
        const opening = this.#opening
        this.#opening = undefined
        if (opening) opening.resolve(this)
        else if (this.room > 0) this.#events.freed()
      })
      .on('goaway', (code: number, lastId: number, debug?: Buffer) => this.#hearGoaway(code, lastId, debug))
      .on('error', (error: Error) => this.#end(error))
      .on('close', () => this.#end(new Error('the connection was closed')))
    socket.once('error', (error) => this.#end(error))
    socket.once('close', () => this.#end(new Error('the connection was closed')))
    if (socket.destroyed) this.#end(socket.errored ?? new Error('the connection was closed'))
  }

  get room(): number {
    if (this.draining || this.#opening) return 0
    const peerStreams = this.#session.remoteSettings.maxConcurrentStreams ?? Number.POSITIVE_INFINITY
    return Math.min(peerStreams, this.#settings.maxStreams) - this.streams
  }

  get streams(): number {
    return this.#live.size + this.#held.length
  }

  start(batch: Batch, index: number): void {
    this.used = true
    const exchange = { batch, index }
    if (this.#live.size > 0 || !this.#liveness.mustAsk(performance.now())) return this.#startNow(exchange)
    this.#held.push(exchange)
    this.#liveness.ask()
  }

  check(): void {
    if (this.streams === 0 && this.#liveness.mustAsk(performance.now())) this.#liveness.ask()
  }

  drain(): void {
    this.draining = true
    this.#leaveWhenDone()
  }

  /** Aborts while still connecting. */
  abandon(reason: string): void {
    this.#end(new Error(reason))
  }

  #ping(): void {
    try {
      this.#session.ping((error) => {
        if (!error) this.#liveness.acknowledged(performance.now())
      })
    } catch (error) {
      this.#end(error instanceof Error ? error : new Error(String(error)))
    }
  }

  #startHeld(): void {
    const held = this.#held
    this.#held = []
    for (const exchange of held) this.#startNow(exchange)
  }

  #startNow(exchange: Exchange): void {
    const { batch, index } = exchange
    let stream: ClientHttp2Stream
    const { path, headers, body } = requestOf(batch, index)
    const refusal = refusalOf(path, headers)
    if (refusal) return this.#failLater(exchange, refusal)
    try {
      stream = this.#session.request(
        {
          ...headers,
          ':method': 'POST',
          ':path': path,
          [sensitiveHeaders]: this.#settings.neverIndexed.filter((name) => name === ':path' || name in headers),
        },
        { endStream: body.length === 0 },
      )
    } catch (error) {
      // Node throws before it writes anything: after GOAWAY, or when stream ids are exhausted.
      this.draining = true
      this.#failLater(exchange, new Http2Failure('not_processed', describeError(error), { cause: error }))
      this.#leaveWhenDone()
      return
    }
    this.#live.add(exchange)
    this.#follow(stream, exchange)
    if (body.length > 0) stream.end(body)
  }

  /** Nothing is settled while it is being started. */
  #failLater({ batch, index }: Exchange, error: Error): void {
    setImmediate(() => batch.failed(index, error))
  }

  #follow(stream: ClientHttp2Stream, exchange: Exchange): void {
    const reply = new ReplyBuilder()
    let late = false
    const settle = (finish: () => void) => {
      if (!this.#live.delete(exchange)) return
      clearTimeout(timer)
      finish()
      if (this.draining) this.#leaveWhenDone()
      this.#events.freed()
    }
    const succeed = () =>
      settle(() => {
        this.answered = true
        this.#liveness.answered()
        answer(exchange.batch, exchange.index, reply.build())
      })
    const timer = setTimeout(() => {
      late = true
      stream.close(CODE.CANCEL)
      const failure = new Http2Failure('uncertain', `no answer within ${this.#settings.deadlineMs} ms`)
      settle(() => exchange.batch.failed(exchange.index, failure))
      this.#liveness.missed()
    }, this.#settings.deadlineMs)

    let ended = false
    let failed: Error | undefined
    stream
      .on('response', (headers) => {
        this.#liveness.heard(performance.now())
        reply.head(headers[':status'] ?? 0, plainHeaders(headers))
      })
      .on('data', (chunk: Buffer) => {
        reply.data(chunk, 0, chunk.length)
        if (!reply.overLimit) return
        stream.close(CODE.CANCEL)
        succeed()
      })
      .on('end', () => {
        ended = true
      })
      .on('error', (error) => {
        failed = error
      })
      .on('close', () => {
        if (late || !this.#live.has(exchange)) return
        const clean = stream.rstCode === CODE.NO_ERROR
        if (clean && ended && reply.hasHead && !stream.aborted && !failed) return succeed()
        // Events of the session (GOAWAY, error) follow in the same turn of the event loop. `failureOf` needs what they
        // say.
        setImmediate(() => settle(() => exchange.batch.failed(exchange.index, this.#failureOf(stream, failed))))
      })
  }

  #failureOf(stream: ClientHttp2Stream, error: Error | undefined): Http2Failure {
    const goaway = this.#goaway
    const cause = this.#error ?? error
    const id = stream.id
    if (goaway && (id === undefined || id > goaway.lastId)) {
      return new Http2Failure(goaway.code === CODE.ENHANCE_YOUR_CALM ? 'calm' : 'not_processed', goaway.message)
    }
    if (goaway) return new Http2Failure('uncertain', goaway.message)
    if (this.#isRefusal(cause)) return this.#failure('rejected', cause!)
    if (id === undefined) return this.#failure('not_processed', cause ?? new Error('the stream never began'))
    const code = stream.rstCode
    const ours = this.#error !== undefined
    if (!ours && code === constants.NGHTTP2_REFUSED_STREAM) {
      return new Http2Failure('not_processed', `the peer reset the stream with ${codeName(code)}`)
    }
    if (!ours && code) return new Http2Failure('uncertain', `the peer reset the stream with ${codeName(code)}`)
    return this.#failure('uncertain', cause ?? new Error('the stream ended early'))
  }

  #hearGoaway(code: number, lastId: number, debug: Buffer | undefined): void {
    const text = debug ? `: ${debug.toString('utf8', 0, 200)}` : ''
    // A second GOAWAY may only lower the last id.
    this.#goaway = { code, lastId, message: `the peer said GOAWAY with ${codeName(code)}${text}` }
    this.draining = true
    this.#rejectHeld(new Http2Failure(code === CODE.ENHANCE_YOUR_CALM ? 'calm' : 'not_processed', this.#goaway.message))
    this.#leaveWhenDone()
    this.#events.freed()
  }

  #rejectHeld(failure: Http2Failure): void {
    const held = this.#held
    this.#held = []
    for (const { batch, index } of held) batch.failed(index, failure)
  }

  #leaveWhenDone(): void {
    if (this.streams > 0 || this.#gone || this.#opening || this.#session.closed) return
    this.#session.close()
    setTimeout(() => this.#session.destroy(), GOODBYE_MS).unref()
  }

  #isRefusal(error: unknown): boolean {
    return !this.answered && isCertificateRefusal(error, this.#settings.hasCertificate)
  }

  #failure(kind: Http2FailureKind, cause: Error): Http2Failure {
    const { host } = this.#settings.origin
    const what = kind === 'rejected' ? `${host} refused our certificate` : `connection to ${host} lost`
    return new Http2Failure(kind, `${what}: ${describeError(cause)}`, { cause })
  }

  /** The connection is gone. Requests with a stream are settled by its `close` event, held ones here. */
  #end(error: Error): void {
    if (this.#gone) return
    this.#gone = true
    this.draining = true
    this.#error = error
    this.#liveness.stop()
    this.#session.destroy()
    const kind = this.#isRefusal(error) ? 'rejected' : undefined
    if (this.#opening) return this.#opening.reject(this.#failure(kind ?? 'unreachable', error))
    this.#rejectHeld(this.#failure(kind ?? 'not_processed', error))
    this.#events.closed(this.#failure(kind ?? 'unreachable', error))
  }
}

function plainHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const plain: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(':') || value === undefined) continue
    plain[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return plain
}
