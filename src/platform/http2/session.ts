import type { LookupFunction } from 'node:net'
import type { SecureContext } from 'node:tls'
import type { Batch, Http2Failure, PushRequest } from './types.ts'

/** Shared by `pool.ts` and the two session implementations. */

/** Settings of a session, with defaults filled in. Times in ms. */
export interface SessionSettings {
  origin: URL
  /** TLS context; undefined for cleartext. Created once for each pool, because parsing some 150 root certificates is slow. */
  context: SecureContext | undefined
  /** True when we present a client certificate. */
  hasCertificate: boolean
  lookup?: LookupFunction | undefined
  maxStreams: number
  deadlineMs: number
  connectTimeoutMs: number
  pingIdleMs: number
  pingTimeoutMs: number
  neverIndexed: readonly string[]
  /** 1, except in tests that exhaust the ids. */
  firstStreamId: number
}

export interface SessionEvents {
  /** Streams ended or the peer raised its limit, so there may be room. */
  freed(): void
  /** The connection is gone and every request settled. `reason` says why. */
  closed(reason: Http2Failure): void
}

/** One connection that speaks HTTP/2. */
export interface Session {
  /** Number of requests that may start now; 0 once it drains. */
  readonly room: number
  /** Number of unsettled requests. */
  readonly streams: number
  /** True once a reply has arrived. */
  readonly answered: boolean
  /** True once a request was started. */
  readonly used: boolean
  /** Accepts no new request: after GOAWAY, long silence, or `drain`. */
  readonly draining: boolean
  /** Starts a request; call only while there is room. Settles it later, once. */
  start(batch: Batch, index: number): void
  /** Asks the peer with a PING whether it is there, if it was silent for long and nothing is in flight. */
  check(): void
  /** Accepts nothing new and closes after its last stream. */
  drain(): void
}

/**
 * Connects, and resolves once the peer's SETTINGS have arrived. Throws `Http2Failure`: `unreachable`, `untrusted` or
 * `rejected`.
 */
export type OpenSession = (settings: SessionSettings, events: SessionEvents, signal: AbortSignal) => Promise<Session>

/** Maximum size of the body of a reply, in bytes. The rest is cut off. */
export const REPLY_LIMIT = 65_536
/** Maximum size of reply headers in bytes, counted as in RFC 9113 section 6.5.2. */
export const HEADER_LIST_LIMIT = 32_768
/** Receive window of one connection: enough for thousands of small replies. */
export const CONNECTION_WINDOW = 1_048_576
/** Time for the peer to close after our GOAWAY. */
export const GOODBYE_MS = 1_000
/** Consecutive missed deadlines after which a session is replaced. */
export const SILENT_DEADLINES = 2

const PATH = /^\/[\x21-\x7e]*$/
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/
const BAD_VALUE = /[^\t\x20-\x7e\x80-\xff]|^[\t ]|[\t ]$/
/** Headers of HTTP/1.1 connections, which make an HTTP/2 request malformed (RFC 9113 section 8.2.2). */
const FORBIDDEN = new Set([
  'connection',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
])
const goodNames = new Set<string>()

/** The reason why a request cannot be written, if so; it names the header. `checked`: headers that passed before. */
export function refusalOf(path: string, headers: PushRequest['headers'], checked?: object): TypeError | undefined {
  if (!PATH.test(path)) return new TypeError('the path must start with / and contain only visible ASCII characters')
  if (headers === checked) return undefined
  for (const name in headers) {
    if (!goodNames.has(name) && !isGoodName(name)) {
      return new TypeError(`${JSON.stringify(name)} is not an allowed header name (lower case, no connection headers)`)
    }
    if (BAD_VALUE.test(headers[name]!)) {
      return new TypeError(
        `the header ${name} contains characters that HTTP does not allow, or starts or ends with a space`,
      )
    }
  }
  return undefined
}

function isGoodName(name: string): boolean {
  if (!NAME.test(name) || FORBIDDEN.has(name)) return false
  // All names come from our own code today. Should that change, this limit bounds the memory.
  if (goodNames.size < 1000) goodNames.add(name)
  return true
}

/** The message of a socket error. Node's AggregateError for several addresses has none. */
export function describeError(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(describeError).join('; ')
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return error.message.includes(code) ? error.message : `${error.message} (${code})`
}
