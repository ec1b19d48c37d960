import dns from 'node:dns'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { isPublicAddress } from './address-guard.ts'
import { codeOf, flattenHeaders, isUntrusted, trust, whyOf } from './http.ts'

/** `outbound.allowPrivate`: any address and any port, none that is private, or these origins (`https://localhost:8443`) besides. */
export type AllowPrivate = boolean | readonly string[]

/** Whether an origin may be at a private address and on any port. */
export function mayBePrivate(allow: AllowPrivate, origin: string): boolean {
  return typeof allow === 'boolean' ? allow : allow.includes(origin)
}

/**
 * Requests to addresses that callers supply: https on port 443 without user and password, verified TLS, one deadline, a capped
 * reply, no redirects, no proxies, and no private address. The address is checked in the very look-up that the connection uses, so
 * that a name cannot mean one thing to the check and another to the connection.
 */
export interface OutboundRequest {
  method?: 'GET' | 'POST'
  url: string
  headers?: Record<string, string>
  body?: string | Buffer
  /** Certificate authorities (PEM) besides the built-in ones. */
  ca?: readonly string[]
  allowPrivate?: AllowPrivate
  /** From the call to the last byte of the reply. Default 15 000. */
  deadlineMs?: number
  /** Longer replies are cut off here. Default 64 KiB. */
  largestReply?: number
}

/** A reply of any status, redirects included. Header names are lower-case. */
export interface OutboundReply {
  status: number
  headers: Record<string, string>
  body: Buffer
  /** The reply went on after `largestReply` bytes. */
  isCut: boolean
  /** When the server's certificate ends (ms). */
  certificateEnds: number
}

/**
 * Why there is no reply.
 * - `refused`: we do not connect to such an address.
 * - `unknown_host`: the name does not resolve.
 * - `unreachable`: no connection (refused, time-out, handshake cut).
 * - `untrusted`: the certificate did not verify.
 * - `broken`: the request left and no full answer came back.
 */
export type OutboundFailureKind = 'refused' | 'unknown_host' | 'unreachable' | 'untrusted' | 'broken'

export class OutboundFailure extends Error {
  readonly kind: OutboundFailureKind

  constructor(kind: OutboundFailureKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'OutboundFailure'
    this.kind = kind
  }
}

export type SendOutbound = (request: OutboundRequest) => Promise<OutboundReply>

const DEADLINE_MS = 15_000
const LARGEST_REPLY = 64 * 1024

/** Sends and waits for the reply. Throws `OutboundFailure` only. */
export const sendOutbound: SendOutbound = async (request) => {
  const allowPrivate = request.allowPrivate ?? false
  const url = checkOutboundUrl(request.url, allowPrivate)
  const largest = request.largestReply ?? LARGEST_REPLY
  const body = request.body === undefined ? undefined : Buffer.from(request.body)
  const { promise, resolve, reject } = Promise.withResolvers<OutboundReply>()
  let connected = false
  let certificateEnds = 0
  const fail = (error: unknown) => reject(toFailure(error, connected))

  const outgoing = https.request(url, {
    method: request.method ?? 'GET',
    headers: { ...request.headers, ...(body && { 'content-length': String(body.length) }) },
    agent: false,
    rejectUnauthorized: true,
    lookup: lookupGuarded(mayBePrivate(allowPrivate, url.origin)),
    signal: AbortSignal.timeout(request.deadlineMs ?? DEADLINE_MS),
    ...trust(request.ca),
  })
  outgoing.once('socket', (socket) => {
    socket.once('secureConnect', () => {
      connected = true
      const { valid_to: end } = (socket as TLSSocket).getPeerCertificate()
      certificateEnds = Date.parse(end)
    })
  })
  outgoing.on('error', fail)
  outgoing.once('response', (incoming) => {
    const chunks: Buffer[] = []
    let size = 0
    const finish = (isCut: boolean) =>
      resolve({
        status: incoming.statusCode ?? 0,
        headers: flattenHeaders(incoming.headers),
        body: Buffer.concat(chunks).subarray(0, largest),
        isCut,
        certificateEnds,
      })
    incoming.on('error', fail)
    incoming.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size <= largest) return
      finish(true)
      incoming.destroy()
    })
    incoming.once('end', () => finish(false))
    incoming.once('close', () => fail(new Error('the reply was cut short')))
  })
  outgoing.end(body)
  return promise
}

/**
 * An address that a caller supplied, as far as it can be judged without looking it up; `lookupGuarded` does the rest. Throws
 * `OutboundFailure('refused')`.
 */
export function checkOutboundUrl(text: string, allow: AllowPrivate): URL {
  const refuse = (why: string) => new OutboundFailure('refused', why)
  if (!URL.canParse(text)) throw refuse(`${text} is not a URL`)
  const url = new URL(text)
  const allowPrivate = mayBePrivate(allow, url.origin)
  if (url.protocol !== 'https:') throw refuse(`${url.origin}: only https is allowed`)
  if (url.username || url.password) throw refuse(`${url.origin}: an address with user name or password is not used`)
  if (!allowPrivate && url.port !== '') throw refuse(`${url.origin}: only port 443 is allowed`)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // Node does not look up what is an address already.
  if (!allowPrivate && isIP(host) !== 0 && !isPublicAddress(host)) throw refuse(privateAddress(url.host, [host]))
  return url
}

function privateAddress(host: string, addresses: readonly string[]): string {
  const isItself = addresses.length === 1 && addresses[0] === host.replace(/^\[|\]$/g, '')
  const what = isItself ? 'is' : `resolves to ${addresses.join(', ')},`
  return `${host} ${what} not a public address (outbound.allowPrivate would allow it)`
}

/** `dns.lookup` that hands on public addresses only: for a connection to an address that `checkOutboundUrl` let through. */
export function lookupGuarded(allowPrivate: boolean): LookupFunction {
  return (hostname, options, callback) => {
    dns.lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '')
      const usable = allowPrivate ? found : found.filter(({ address }) => isPublicAddress(address))
      if (usable.length === 0) {
        const why = privateAddress(
          hostname,
          found.map(({ address }) => address),
        )
        return callback(new OutboundFailure('refused', why), '')
      }
      if (options.all) return callback(null, usable)
      return callback(null, usable[0]!.address, usable[0]!.family)
    })
  }
}

function toFailure(error: unknown, connected: boolean): OutboundFailure {
  if (error instanceof OutboundFailure) return error
  const code = codeOf(error)
  const why = whyOf(error)
  const cause = { cause: error }
  if (/^(ENOTFOUND|ENODATA|EAI_)/.test(code)) return new OutboundFailure('unknown_host', why, cause)
  if (connected) return new OutboundFailure('broken', why, cause)
  return new OutboundFailure(isUntrusted(error) ? 'untrusted' : 'unreachable', why, cause)
}
