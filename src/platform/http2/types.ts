import type { LookupFunction } from 'node:net'
import type { ByteWriter } from './byte-writer.ts'

/**
 * The part of HTTP/2 that push needs: POST a small body, read a small reply. `client.ts` speaks it; tests compare it with the
 * client of Node.js.
 */

/**
 * One request. Header names are lower-case and hold no pseudo headers; `:method` is POST, `:authority` comes from the
 * origin.
 */
export interface PushRequest {
  path: string
  headers: Readonly<Record<string, string>>
  body: Buffer
}

/**
 * One reply; header names lower-case, body decoded as UTF-8 and cut off at 64 KiB. Equal names are joined with `, `.
 */
export interface PushReply {
  status: number
  headers: Record<string, string>
  body: string
}

/**
 * Requests that a pool sends by index, without an object, promise or timer for each. Their common parts are made once; the
 * others are asked for when a request is written, which happens again for a request that is sent again.
 */
export interface Batch {
  /** The headers of `PushRequest`. Return the same object for the same headers: their encoded form is kept by it. */
  headers(index: number): Readonly<Record<string, string>>
  path(index: number): string
  /** Adds the body of the request to `out`. */
  writeBody(index: number, out: ByteWriter): void
  /** The answer is a 200. Without this function, `replied` gets its headers and body. */
  accepted?(index: number): void
  /** Any other answer. */
  replied(index: number, reply: PushReply): void
  /** No answer: an `Http2Failure`, or `TypeError` for a request that can never be sent. */
  failed(index: number, error: Error): void
}

/**
 * The reasons why a request has no reply.
 * - `not_processed`: the peer certainly did nothing with it (never written, above GOAWAY's last id, REFUSED_STREAM):
 *   free to resend.
 * - `calm`: as `not_processed`, and the peer asked to slow down (ENHANCE_YOUR_CALM).
 * - `unreachable`: no session could be made (DNS, refused, time-out, handshake cut). Nothing was written.
 * - `untrusted`: the peer's certificate did not verify. Nothing was written.
 * - `rejected`: the peer refused our client certificate during or right after the TLS handshake. Nothing was processed.
 * - `uncertain`: bytes of the request left and no full answer came back.
 */
export type Http2FailureKind = 'not_processed' | 'calm' | 'unreachable' | 'untrusted' | 'rejected' | 'uncertain'

/** The error of a request without a reply. */
export class Http2Failure extends Error {
  readonly kind: Http2FailureKind

  constructor(kind: Http2FailureKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'Http2Failure'
    this.kind = kind
  }
}

/** The cause of `unreachable` if the peer speaks only HTTP/1.1: the handshake succeeded, and nothing was written. */
export class NoHttp2 extends Error {
  override name = 'NoHttp2'
}

/** The error of this class in the chain of causes, if any. */
export function causedBy<E extends Error>(error: unknown, kind: abstract new (...args: never[]) => E): E | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth++) {
    if (at instanceof kind) return at
  }
  return undefined
}

export interface PoolOptions {
  /** `https://host:port`; `http://` means cleartext HTTP/2 with prior knowledge (tests and benchmarks only). */
  origin: string
  /** Extra certificate authorities (PEM) besides the built-in ones. Verification itself cannot be turned off. */
  ca?: readonly string[]
  /** Client certificate and key (PEM). */
  cert?: string
  key?: string
  /**
   * Replaces `dns.lookup` for origins that callers supply: it may refuse addresses. Not called if the host is an
   * address.
   */
  lookup?: LookupFunction
  /** Max sessions. A new one opens when all are at their stream limit. Default 10. */
  maxSessions?: number
  /** Max streams per session, in addition to the peer's limit. Default: the peer's alone. */
  maxStreams?: number
  /**
   * Time limit from the first byte of a request to the last byte of its reply. A request that takes longer is `uncertain`.
   * Default 15 000.
   */
  deadlineMs?: number
  connectTimeoutMs?: number
  /**
   * Time without traffic after which a PING is sent before the next request. Without an answer within `pingTimeoutMs` the session
   * is dead. Defaults 60 000 and 10 000.
   */
  pingIdleMs?: number
  pingTimeoutMs?: number
  /** Header names that no hop may keep in a compression table. Default `:path` and `authorization`. */
  neverIndexed?: readonly string[]
}

/** Sessions to one origin with one credential. */
export interface Http2Pool {
  /**
   * Sends and waits for the whole reply. Waits for a free stream when all are taken. Throws `Http2Failure`, but
   * `TypeError` for a request that can never be sent (a line break in a header, a path without `/`).
   */
  request(request: PushRequest): Promise<PushReply>
  /**
   * Sends one request of a batch. Exactly one of the batch's callbacks gets its result, never before `send` returns. Never
   * throws. Waits as `request` does; a caller limits how many wait.
   */
  send(batch: Batch, index: number): void
  /**
   * Opens a session ahead of the first request; an idle one is checked with a PING instead. Resolves when the session is
   * open or cannot be opened. Never throws.
   */
  warm(): Promise<void>
  /** Live sessions, streams in use, requests waiting for a stream. */
  stats(): { sessions: number; streams: number; waiting: number }
  /** Lets running requests finish (at most their deadline), then closes. Further requests fail `not_processed`. */
  close(): Promise<void>
}

/** Opens nothing yet. Throws `AppError('config')` when origin, certificate, key or authorities cannot be used. */
export type OpenPool = (options: PoolOptions) => Http2Pool
