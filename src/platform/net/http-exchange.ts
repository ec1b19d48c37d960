import http from 'node:http'
import https from 'node:https'
import type { TLSSocket } from 'node:tls'
import { messageOf } from '../errors.ts'

/**
 * Why a request has no reply. All code in src/platform that sends HTTP/1.1 requests uses these kinds.
 * - `refused`: we do not connect to such an address. Nothing was sent.
 * - `unknown_host`: the name does not resolve. Nothing was sent.
 * - `unreachable`: no connection (refused, timed out, handshake cut). Nothing was sent.
 * - `untrusted`: the certificate did not verify, or the address is plain http and not loopback. Nothing was sent.
 * - `uncertain`: the request left and no complete, acceptable reply came back.
 */
export type HttpFailureKind = 'refused' | 'unknown_host' | 'unreachable' | 'untrusted' | 'uncertain'

export class HttpFailure extends Error {
  readonly kind: HttpFailureKind

  constructor(kind: HttpFailureKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'HttpFailure'
    this.kind = kind
  }
}

/**
 * One HTTP/1.1 request. `options` are Node's: address, method, headers, agent, trust; certificates are always verified.
 */
export interface ExchangeRequest {
  options: https.RequestOptions & { protocol?: 'http:' | 'https:' }
  body: Buffer | undefined
  /** From the call to the last byte of the reply. */
  deadlineMs: number
  /** Bytes of the body to read. The connection of a longer reply is closed. */
  largestReply: number
  /** Ends the request at once, as a failure. */
  signal?: AbortSignal | undefined
}

/** A reply of any status, redirects included. Header names are lower-case, repeated ones joined with `, `. */
export interface ExchangeReply {
  status: number
  headers: Record<string, string>
  body: Buffer
  /** The reply went on after `largestReply` bytes. */
  isCut: boolean
  /** When the server's certificate ends (ms); 0 for plain http and on a connection that was used before. */
  certificateEnds: number
}

/**
 * Sends one request and waits for the whole reply; follows no redirect. Throws `HttpFailure` only; its message names no
 * address.
 */
export function exchange({ options, body, deadlineMs, largestReply, signal }: ExchangeRequest): Promise<ExchangeReply> {
  const { promise, resolve, reject } = Promise.withResolvers<ExchangeReply>()
  // A request that waits for a free connection, or whose connection is being made, has written nothing.
  let written = false
  let certificateEnds = 0
  const fail = (error: unknown) => reject(toFailure(error, written))

  const isPlain = options.protocol === 'http:'
  const outgoing = (isPlain ? http : https).request({
    ...options,
    headers: { ...options.headers, ...(body && { 'content-length': String(body.length) }) },
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED overrides the default.
    ...(!isPlain && { rejectUnauthorized: true }),
    signal: AbortSignal.any([AbortSignal.timeout(deadlineMs), ...(signal ? [signal] : [])]),
  })
  outgoing.on('error', fail)
  outgoing.once('socket', (socket) => {
    if (outgoing.reusedSocket || !socket.connecting) written = true
    else if (isPlain) socket.once('connect', () => (written = true))
    else {
      socket.once('secureConnect', () => {
        written = true
        certificateEnds = Date.parse((socket as TLSSocket).getPeerCertificate().valid_to)
      })
    }
  })
  outgoing.once('response', (incoming) => {
    const chunks: Buffer[] = []
    let size = 0
    const finish = (isCut: boolean) =>
      resolve({
        status: incoming.statusCode ?? 0,
        headers: flattenHeaders(incoming.headers),
        body: Buffer.concat(chunks).subarray(0, largestReply),
        isCut,
        certificateEnds,
      })
    incoming.on('error', fail)
    incoming.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size <= largestReply) return
      finish(true)
      incoming.destroy()
    })
    incoming.once('end', () => finish(false))
    incoming.once('close', () => fail(new Error('the reply was cut short')))
  })
  outgoing.end(body)
  return promise
}

function toFailure(error: unknown, written: boolean): HttpFailure {
  // The look-up refused the address.
  if (error instanceof HttpFailure) return error
  return new HttpFailure(kindOf(error, written), whyOf(error), { cause: error })
}

function kindOf(error: unknown, written: boolean): HttpFailureKind {
  if (written) return 'uncertain'
  if (/^(ENOTFOUND|ENODATA|EAI_)/.test(codeOf(error))) return 'unknown_host'
  return isUntrusted(error) ? 'untrusted' : 'unreachable'
}

/** Header names with one value each: repeated ones are joined with `, `. */
function flattenHeaders(headers: http.IncomingHttpHeaders): Record<string, string> {
  const flat: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return flat
}

/** Why a request failed, for people. */
function whyOf(error: unknown): string {
  const isLate = error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError')
  return isLate ? 'no answer in time' : messageOf(error) || codeOf(error)
}

/** OpenSSL's verification errors as Node names them, and Node's own about the host name. */
const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE/

/** Whether a connection failed because the certificate did not verify. */
function isUntrusted(error: unknown): boolean {
  return UNTRUSTED.test(codeOf(error))
}

/** `ECONNREFUSED`; empty for errors without a code. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
