import dns from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { urlToHttpOptions } from 'node:url'
import { isPublicAddress } from './address-guard.ts'
import { trust } from './http.ts'
import { type ExchangeReply, exchange, HttpFailure } from './http-exchange.ts'

/**
 * `outbound.allowPrivate`: true allows any address and port, false only public ones; a list adds origins
 * (`https://localhost:8443`).
 */
export type AllowPrivate = boolean | readonly string[]

/** Whether an origin may have a private address and any port. */
export function mayBePrivate(allow: AllowPrivate, origin: string): boolean {
  return typeof allow === 'boolean' ? allow : allow.includes(origin)
}

/**
 * Requests to addresses that callers supply: https on port 443 without user and password, verified TLS, one deadline, a
 * capped reply, no redirects, no proxies, and no private address. The address is checked in the same DNS look-up that
 * the connection uses, so that a name cannot resolve differently for the check and the connection.
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
  /** Longer replies are truncated to this. Default 64 KiB. */
  largestReply?: number
  /** Ends the request at once, as a failure. */
  signal?: AbortSignal | undefined
}

export type SendOutbound = (request: OutboundRequest) => Promise<ExchangeReply>

const DEADLINE_MS = 15_000
const MAX_REPLY_BYTES = 64 * 1024

/** Sends and waits for the reply. Throws `HttpFailure` only. */
export const sendOutbound: SendOutbound = async (request) => {
  const allowPrivate = request.allowPrivate ?? false
  const url = checkOutboundUrl(request.url, allowPrivate)
  return exchange({
    options: {
      ...urlToHttpOptions(url),
      protocol: 'https:',
      method: request.method ?? 'GET',
      headers: request.headers ?? {},
      agent: false,
      lookup: lookupGuarded(mayBePrivate(allowPrivate, url.origin)),
      ...trust(request.ca),
    },
    body: request.body === undefined ? undefined : Buffer.from(request.body),
    deadlineMs: request.deadlineMs ?? DEADLINE_MS,
    largestReply: request.largestReply ?? MAX_REPLY_BYTES,
    signal: request.signal,
  })
}

/**
 * Checks an address that a caller supplied, as far as possible without a DNS look-up; `lookupGuarded` does the rest.
 * Throws `HttpFailure('refused')`.
 */
export function checkOutboundUrl(text: string, allow: AllowPrivate): URL {
  const refuse = (why: string) => new HttpFailure('refused', why)
  if (!URL.canParse(text)) throw refuse(`${text} is not a URL`)
  const url = new URL(text)
  const allowPrivate = mayBePrivate(allow, url.origin)
  if (url.protocol !== 'https:') throw refuse(`${url.origin}: only https is allowed`)
  if (url.username || url.password) throw refuse(`${url.origin}: an address must not contain a user name or password`)
  if (!allowPrivate && url.port !== '') throw refuse(`${url.origin}: only port 443 is allowed`)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // Node does not call the look-up for an IP address.
  if (!allowPrivate && isIP(host) !== 0 && !isPublicAddress(host)) throw refuse(privateAddress(url.host, [host]))
  return url
}

function privateAddress(host: string, addresses: readonly string[]): string {
  const isItself = addresses.length === 1 && addresses[0] === host.replace(/^\[|\]$/g, '')
  const what = isItself ? 'is' : `resolves to ${addresses.join(', ')},`
  return `${host} ${what} not a public address (outbound.allowPrivate would allow it)`
}

/** `dns.lookup` that returns only public addresses, for connections to addresses that passed `checkOutboundUrl`. */
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
        return callback(new HttpFailure('refused', why), '')
      }
      if (options.all) return callback(null, usable)
      return callback(null, usable[0]!.address, usable[0]!.family)
    })
  }
}
