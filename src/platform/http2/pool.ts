import { AppError, messageOf } from '../errors.ts'
import { Single } from './batch.ts'
import { openFastSession } from './client.ts'
import { ConnectPace } from './connect-pace.ts'
import { RequestQueue } from './request-queue.ts'
import { type OpenSession, refusalOf, type Session, type SessionSettings } from './session.ts'
import { openContext } from './socket.ts'
import {
  type Batch,
  Http2Failure,
  type Http2Pool,
  type OpenPool,
  type PoolOptions,
  type PushReply,
  type PushRequest,
} from './types.ts'

/** A pool of sessions of our own client (`client.ts`). */
export const openPool: OpenPool = (options) => new Pool(options, openFastSession)

/** A pool over any kind of session. */
export function openPoolOver(options: PoolOptions, openSession: OpenSession): Http2Pool {
  return new Pool(options, openSession)
}

function fillIn(options: PoolOptions): SessionSettings {
  const origin = parseOrigin(options.origin)
  const cleartext = origin.protocol === 'http:'
  return {
    origin,
    context: cleartext ? undefined : openContext(options),
    hasCertificate: options.cert !== undefined,
    lookup: options.lookup,
    maxStreams: options.maxStreams ?? Number.POSITIVE_INFINITY,
    deadlineMs: options.deadlineMs ?? 15_000,
    connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
    pingIdleMs: options.pingIdleMs ?? 60_000,
    pingTimeoutMs: options.pingTimeoutMs ?? 10_000,
    neverIndexed: options.neverIndexed ?? [':path', 'authorization'],
    firstStreamId: 1,
  }
}

function parseOrigin(text: string): URL {
  try {
    const origin = new URL(text)
    if (origin.protocol === 'https:' || origin.protocol === 'http:') return origin
  } catch (error) {
    throw new AppError('config', `${JSON.stringify(text)} is not the origin of a gateway: ${messageOf(error)}`)
  }
  throw new AppError('config', `${JSON.stringify(text)} is not the origin of a gateway: it must start with https://`)
}

class Pool implements Http2Pool {
  readonly #settings: SessionSettings
  readonly #openSession: OpenSession
  readonly #maxSessions: number
  readonly #pace: ConnectPace
  /** Live sessions, including draining ones. */
  #sessions: Session[] = []
  readonly #waiting = new RequestQueue()
  #pumping = false
  #connecting: AbortController | undefined
  /** Resolves when the running connection attempt has ended. */
  #attempt = Promise.resolve()
  #lastFailure: Http2Failure | undefined
  #paceTimer: NodeJS.Timeout | undefined
  #stallTimer: NodeJS.Timeout | undefined
  #closing: { promise: Promise<void>; done: () => void } | undefined

  constructor(options: PoolOptions, openSession: OpenSession) {
    this.#settings = fillIn(options)
    this.#openSession = openSession
    this.#maxSessions = options.maxSessions ?? 10
    this.#pace = new ConnectPace(this.#maxSessions)
  }

  request(request: PushRequest): Promise<PushReply> {
    return new Promise((resolve, reject) => {
      const refusal = refusalOf(request.path, request.headers)
      if (refusal) return reject(refusal)
      this.send(new Single(request, resolve, reject), 0)
    })
  }

  send(batch: Batch, index: number): void {
    if (this.#closing) {
      const failure = new Http2Failure('not_processed', 'the connection pool is closed')
      setImmediate(() => batch.failed(index, failure))
      return
    }
    const session = this.#waiting.size === 0 ? this.#sessionWithRoom() : undefined
    if (session) return session.start(batch, index)
    this.#waiting.push(batch, index, 0)
    this.#pumpSoon()
  }

  warm(): Promise<void> {
    if (this.#closing) return Promise.resolve()
    const open = this.#sessions.filter((session) => !session.draining)
    for (const session of open) session.check()
    const now = performance.now()
    const mayConnect = this.#pace.backoff(now) === 0 && this.#pace.wait(now) === 0
    if (open.length === 0 && !this.#connecting && mayConnect) this.#connect(now)
    return this.#attempt
  }

  stats(): { sessions: number; streams: number; waiting: number } {
    return { sessions: this.#sessions.length, streams: this.#streams(), waiting: this.#waiting.size }
  }

  close(): Promise<void> {
    if (this.#closing) return this.#closing.promise
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#closing = { promise, done: resolve }
    clearTimeout(this.#paceTimer)
    clearTimeout(this.#stallTimer)
    this.#waiting.fail(new Http2Failure('not_processed', 'the connection pool is closed'))
    this.#connecting?.abort(new Error('the connection pool is closed'))
    this.#sessions.forEach((session) => session.drain())
    this.#finishClosing()
    return promise
  }

  #finishClosing(): void {
    if (this.#closing && this.#sessions.length === 0 && !this.#connecting) this.#closing.done()
  }

  #streams(): number {
    return this.#sessions.reduce((sum, session) => sum + session.streams, 0)
  }

  #sessionWithRoom(): Session | undefined {
    for (const session of this.#sessions) if (session.room > 0) return session
    return undefined
  }

  /** Calls `pump` in a later turn: its failures must not fail inside `send`. */
  #pumpSoon(): void {
    if (this.#pumping) return
    this.#pumping = true
    setImmediate(() => {
      this.#pumping = false
      this.#pump()
    })
  }

  /** Assigns waiting requests to free streams; opens another session if some still wait. */
  #pump(): void {
    const waiting = this.#waiting
    while (waiting.size > 0) {
      const session = this.#sessionWithRoom()
      if (!session) break
      for (let count = Math.min(session.room, waiting.size); count > 0; count--) {
        const { batch, index } = waiting
        waiting.drop()
        session.start(batch, index)
      }
    }
    if (this.#waiting.size > 0 && !this.#connecting && !this.#closing) this.#seekRoom()
    this.#watchForStall()
  }

  #seekRoom(): void {
    const open = this.#sessions.filter((session) => !session.draining)
    // APNs allows a fresh session one stream until its first request is accepted: wait for its real limit.
    if (open.length >= this.#maxSessions || open.some((session) => !session.answered)) return
    const now = performance.now()
    const backoff = this.#pace.backoff(now)
    if (backoff > 0) {
      // While a session is alive, requests wait for it; without one they fail fast instead of piling up.
      if (open.length === 0) this.#waiting.fail(this.#whileBackingOff(backoff))
      return
    }
    const wait = this.#pace.wait(now)
    if (wait === 0) return this.#connect(now)
    clearTimeout(this.#paceTimer)
    this.#paceTimer = setTimeout(() => this.#pump(), wait)
  }

  #whileBackingOff(ms: number): Http2Failure {
    const { kind, message } = this.#lastFailure ?? {
      kind: 'unreachable' as const,
      message: 'the peer closed the connection',
    }
    return new Http2Failure(kind, `${message}; next attempt in ${(ms / 1000).toFixed(1)} s`, {
      cause: this.#lastFailure,
    })
  }

  /** Makes one connection attempt at a time, however many requests wait. */
  #connect(now: number): void {
    this.#pace.started(now)
    const attempt = new AbortController()
    this.#connecting = attempt
    const { connectTimeoutMs, origin } = this.#settings
    const timer = setTimeout(
      () => attempt.abort(new Error(`${origin.host} did not answer within ${connectTimeoutMs} ms`)),
      connectTimeoutMs,
    )
    let session: Session | undefined
    let gone = false
    const events = {
      freed: () => {
        if (session?.answered) this.#pace.answered()
        this.#pump()
      },
      closed: (reason: Http2Failure) => {
        gone = true
        this.#sessionClosed(session, reason)
      },
    }
    this.#attempt = this.#openSession(this.#settings, events, attempt.signal)
      .then((opened) => {
        session = opened
        if (gone) return
        this.#sessions.push(opened)
        if (this.#closing) opened.drain()
      })
      .catch((error: unknown) => {
        this.#lastFailure =
          error instanceof Http2Failure ? error : new Http2Failure('unreachable', messageOf(error), { cause: error })
        this.#pace.failed(performance.now())
        if (this.#sessions.every(({ draining }) => draining)) this.#waiting.fail(this.#lastFailure)
      })
      .finally(() => {
        clearTimeout(timer)
        this.#connecting = undefined
        this.#pump()
        this.#finishClosing()
      })
  }

  #sessionClosed(session: Session | undefined, reason: Http2Failure): void {
    this.#sessions = this.#sessions.filter((other) => other !== session)
    // A session that was opened ahead and never used proves nothing when the peer closes it.
    const idle = session !== undefined && !session.used && this.#waiting.size === 0
    if (!session?.answered && !idle) {
      this.#lastFailure = reason
      if (reason.kind === 'rejected') this.#pace.failed(performance.now())
      else this.#pace.cutShort(performance.now())
    }
    this.#pump()
    this.#finishClosing()
  }

  /** A peer that allows no streams would keep requests waiting forever, so they fail after one deadline. */
  #watchForStall(): void {
    const stalled = this.#waiting.size > 0 && this.#sessions.length > 0 && !this.#connecting && this.#streams() === 0
    if (!stalled) {
      clearTimeout(this.#stallTimer)
      this.#stallTimer = undefined
      return
    }
    this.#stallTimer ??= setTimeout(() => {
      this.#stallTimer = undefined
      this.#waiting.fail(new Http2Failure('calm', `${this.#settings.origin.host} allows no requests at the moment`))
    }, this.#settings.deadlineMs)
  }
}
