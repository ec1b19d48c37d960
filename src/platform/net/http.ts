import http from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import tls from 'node:tls'
import { urlToHttpOptions } from 'node:url'
import { exchange, HttpFailure } from './http-exchange.ts'

/**
 * Small requests to servers that an operator configured (token servers and the like): verified TLS, one deadline,
 * a capped reply, no redirects, no cookies, no proxies. Not for addresses that callers supply.
 */
export interface HttpRequest {
  method: 'GET' | 'POST'
  /** `https:`; `http:` only when the host is loopback. */
  url: string
  headers?: Record<string, string>
  body?: string | Buffer
  /** Certificate authorities (PEM) besides the built-in ones. */
  ca?: readonly string[]
  /** From the call to the last byte of the reply. Default 15 000. */
  deadlineMs?: number
  /** Connections to reuse; without them each request opens its own. Their authorities apply, not `ca`. */
  connections?: Connections
  /** Max bytes of a reply; a longer one is a failure. Default 65 536. */
  largestReply?: number
}

/** Connections to one server that stay open between requests (HTTP/1.1). */
export interface Connections {
  readonly agents: { readonly http: http.Agent; readonly https: https.Agent }
  /** Closes all connections; wait for running requests first. */
  close(): void
}

/**
 * Close idle connections before servers do (often after 5 s): a request on a connection that is being closed is lost.
 */
const IDLE_MS = 4000

/** Opens nothing yet. At most `max` connections at a time; further requests wait. */
export function keepConnections({ ca, max }: { ca?: readonly string[]; max: number }): Connections {
  const options = { keepAlive: true, maxSockets: max, timeout: IDLE_MS }
  const agents = {
    http: new http.Agent(options),
    https: new https.Agent({ ...options, ...trust(ca), rejectUnauthorized: true }),
  }
  return {
    agents,
    close() {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

/** A whole reply, of any status. Header names are lower-case, repeated ones joined with `, `; the body is UTF-8. */
export interface HttpReply {
  status: number
  headers: Record<string, string>
  body: string
}

export type SendHttp = (request: HttpRequest) => Promise<HttpReply>

const DEADLINE_MS = 15_000
/** A token server's replies are smaller than this. */
const MAX_REPLY_BYTES = 64 * 1024

/** Sends and waits for the whole reply. Throws `HttpFailure` only. */
export const sendHttp: SendHttp = async (request) => {
  const url = addressOf(request.url)
  const agents = request.connections?.agents
  const tlsOptions = agents ? { agent: agents.https } : { agent: false, ...trust(request.ca) }
  const largestReply = request.largestReply ?? MAX_REPLY_BYTES
  const reply = await exchange({
    options: {
      ...urlToHttpOptions(url),
      protocol: url.protocol,
      method: request.method,
      headers: request.headers ?? {},
      ...(url.protocol === 'https:' ? tlsOptions : { agent: agents?.http ?? false }),
    },
    body: request.body === undefined ? undefined : Buffer.from(request.body),
    deadlineMs: request.deadlineMs ?? DEADLINE_MS,
    largestReply,
  }).catch((error: unknown) => {
    if (!(error instanceof HttpFailure)) throw error
    throw new HttpFailure(error.kind, `${url.origin}: ${error.message}`, { cause: error.cause })
  })
  if (reply.isCut) throw new HttpFailure('uncertain', `${url.origin}: the reply is longer than ${largestReply} bytes`)
  return { status: reply.status, headers: reply.headers, body: reply.body.toString('utf8') }
}

function addressOf(text: string): URL & { protocol: 'http:' | 'https:' } {
  if (!URL.canParse(text)) throw new HttpFailure('unreachable', `${text} is not a URL`)
  const url = new URL(text)
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname)))
    return url as URL & { protocol: 'http:' | 'https:' }
  throw new HttpFailure('untrusted', `${url.origin}: only https is allowed (plain http only to this machine itself)`)
}

/** Whether a URL's host name means this machine, without a DNS look-up. */
export function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) === 4) return host.startsWith('127.')
  return host === '::1' || host === 'localhost' || host.endsWith('.localhost')
}

const contexts = new WeakMap<readonly string[], tls.SecureContext>()

/**
 * TLS options with extra authorities besides the built-in ones. Parsing all roots takes milliseconds, so the result is
 * cached per list.
 */
export function trust(ca: readonly string[] | undefined): { secureContext?: tls.SecureContext } {
  if (!ca || ca.length === 0) return {}
  let context = contexts.get(ca)
  if (!context) {
    context = tls.createSecureContext({ ca: [...tls.getCACertificates('default'), ...ca] })
    contexts.set(ca, context)
  }
  return { secureContext: context }
}

/** Longer waits that a server asks for are cut to this. */
const MAX_RETRY_AFTER_MS = 3_600_000

/**
 * `Retry-After` (RFC 9110 10.2.3: seconds or an HTTP date) in milliseconds from `now`, at most `most`, by default one
 * hour; undefined when absent or nonsense.
 */
export function readRetryAfter(value: string | undefined, now: number, most = MAX_RETRY_AFTER_MS): number | undefined {
  if (value === undefined) return undefined
  const text = value.trim()
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, most)
  // An HTTP date names its month; `Date.parse` takes `-5`, `1.5` and `7, 9` for a month and a day.
  const ms = /[a-z]/i.test(text) ? Date.parse(text) - now : Number.NaN
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), most) : undefined
}

/** Smaller differences mean nothing: a `Date` header has whole seconds and network delay. */
const SMALLEST_SKEW_MS = 60_000

/**
 * A sentence about this machine's clock when a reply's `Date` header disagrees with it by more than a minute, else ''.
 * A server whose clock differs refuses signed tokens, and the refusal never says why.
 */
export function describeSkew(date: string | undefined, now: number): string {
  const skew = date === undefined ? Number.NaN : now - Date.parse(date)
  if (!(Math.abs(skew) > SMALLEST_SKEW_MS)) return ''
  return `this machine's clock is ${Math.round(Math.abs(skew) / 1000)} s ${skew > 0 ? 'ahead of' : 'behind'} the server's`
}
