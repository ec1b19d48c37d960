import { createHash, createPublicKey, type KeyObject, sign, X509Certificate } from 'node:crypto'
import { readRetryAfter, type SendHttp, sendHttp } from '../net/http.ts'
import { HttpFailure } from '../net/http-exchange.ts'

/**
 * A client of the protocol ACME (RFC 8555) for one account: what a server needs to get and renew a certificate for one DNS
 * name, with renewal information (RFC 9773). It keeps nothing; docs/decisions/0048-certificates.md says why it is our own.
 */

/** Why a certificate authority refused, or could not be reached. */
export class AcmeError extends Error {
  /** The last part of the problem's type, such as `rateLimited`; `away` without an answer of ACME. */
  readonly type: string
  /** How long to wait (ms), when the authority says so. */
  readonly retryAfterMs: number | undefined

  constructor(type: string, message: string, retryAfterMs?: number) {
    super(message)
    this.name = 'AcmeError'
    this.type = type
    this.retryAfterMs = retryAfterMs
  }
}

/** How a name is proved. */
export type ChallengeKind = 'http-01' | 'tls-alpn-01'

export interface Challenge {
  url: string
  token: string
}

/** An authorization of a name (RFC 8555 7.1.4). */
export interface Authorization {
  status: string
  challenges: Partial<Record<ChallengeKind, Challenge>>
  /** Why the challenge failed, in the authority's words. */
  problem: string | undefined
  retryAfterMs: number | undefined
}

/** An order (RFC 8555 7.1.3). */
export interface Order {
  url: string
  status: string
  authorizations: string[]
  finalize: string
  certificate: string | undefined
  problem: string | undefined
  retryAfterMs: number | undefined
}

export interface AcmeOptions {
  /** The URL of the directory. */
  directory: string
  /** P-256, of the account. */
  key: KeyObject
  /** The URL of the account, when it is known. */
  account: string | undefined
  /** Authorities (PEM) besides the built-in ones. */
  ca: readonly string[]
  /** Wall clock (ms). */
  now(): number
  send?: SendHttp
}

/** As many certificates as a chain may have, and more. */
const LARGEST_REPLY = 256 * 1024
/** The longest wait that an authority may ask for: its longest limit is a week. */
const LONGEST_WAIT_MS = 7 * 86_400_000
/** RFC 8555 6.5: a nonce may be refused at any time; the answer brings a new one. */
const NONCE_TRIES = 5

interface Directory {
  newNonce: string
  newAccount: string
  newOrder: string
  renewalInfo?: string
}

interface Answer {
  status: number
  headers: Record<string, string>
  text: string
}

export type AcmeClient = ReturnType<typeof createAcmeClient>

/** Every call throws `AcmeError` only. */
export function createAcmeClient({ directory, key, account, ca, now, send = sendHttp }: AcmeOptions) {
  const jwk = publicJwk(key)
  let known: Directory | undefined
  let nonce: string | undefined
  let accountUrl = account

  async function call(method: 'GET' | 'POST', url: string, body?: string): Promise<Answer> {
    try {
      const {
        status,
        headers,
        body: text,
      } = await send({
        method,
        url,
        headers: {
          'User-Agent': 'appsvc',
          ...(body !== undefined && { 'Content-Type': 'application/jose+json' }),
        },
        ...(body !== undefined && { body }),
        ca,
        largestReply: LARGEST_REPLY,
      })
      nonce = headers['replay-nonce'] ?? nonce
      return { status, headers, text }
    } catch (error) {
      if (error instanceof HttpFailure)
        throw new AcmeError('away', `the certificate authority cannot be reached: ${error.message}`)
      throw error
    }
  }

  async function directoryOf(): Promise<Directory> {
    if (known) return known
    const answer = await call('GET', directory)
    if (answer.status !== 200) throw refusal(answer)
    return (known = json(answer) as Directory)
  }

  async function freshNonce(): Promise<string> {
    if (nonce === undefined) await call('GET', (await directoryOf()).newNonce)
    if (nonce === undefined)
      throw new AcmeError('malformed', `${directory} gives no nonces: is it the directory URL of ACME?`)
    const taken = nonce
    nonce = undefined
    return taken
  }

  /** A signed request (RFC 8555 6.2); `payload` undefined is POST-as-GET. */
  async function post(url: string, payload: unknown, by: 'key' | 'account' = 'account'): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      const header = { alg: 'ES256', nonce: await freshNonce(), url, ...(by === 'key' ? { jwk } : { kid: accountUrl }) }
      const answer = await call('POST', url, jws(header, payload, key))
      if (answer.status < 400) return answer
      const error = refusal(answer)
      if (error.type !== 'badNonce' || tries === NONCE_TRIES) throw error
    }
  }

  function refusal({ status, headers, text }: Answer): AcmeError {
    const problem = problemIn(text)
    const named = problem?.type.split(':').at(-1) ?? (status === 429 ? 'rateLimited' : 'away')
    const type = status >= 500 ? 'away' : named
    const said = problem?.detail ?? 'no explanation'
    return new AcmeError(
      type,
      `the certificate authority answered ${status}: ${said}`,
      readRetryAfter(headers['retry-after'], now(), LONGEST_WAIT_MS),
    )
  }

  const waitOf = ({ headers }: Answer) => readRetryAfter(headers['retry-after'], now(), LONGEST_WAIT_MS)

  function orderIn(answer: Answer, url: string): Order {
    const { status, authorizations, finalize, certificate, error } = json(answer) as {
      status: string
      authorizations: string[]
      finalize: string
      certificate?: string
      error?: Problem
    }
    const problem = error && detailOf(error)
    return { url, status, authorizations, finalize, certificate, problem, retryAfterMs: waitOf(answer) }
  }

  return {
    /** Makes the account, or finds that of the key. Returns its URL. Agrees to the terms of the authority. */
    async register(email: string): Promise<string> {
      const { newAccount } = await directoryOf()
      const contact = email === '' ? {} : { contact: [`mailto:${email}`] }
      const answer = await post(newAccount, { termsOfServiceAgreed: true, ...contact }, 'key')
      const url = answer.headers['location']
      if (url === undefined) throw new AcmeError('malformed', 'the certificate authority named no account')
      accountUrl = url
      return url
    },

    /** Orders a certificate for a name; `replaces` is the one that it renews, as `certificateId` names it. */
    async order(name: string, replaces: string | undefined): Promise<Order> {
      const { newOrder, renewalInfo } = await directoryOf()
      const answer = await post(newOrder, {
        identifiers: [{ type: 'dns', value: name }],
        ...(replaces !== undefined && renewalInfo !== undefined && { replaces }),
      })
      const url = answer.headers['location']
      if (url === undefined) throw new AcmeError('malformed', 'the certificate authority named no order')
      return orderIn(answer, url)
    },

    async readOrder(url: string): Promise<Order> {
      return orderIn(await post(url, undefined), url)
    },

    async readAuthorization(url: string): Promise<Authorization> {
      const answer = await post(url, undefined)
      const { status, challenges } = json(answer) as {
        status: string
        challenges: ({ type: string; error?: Problem } & Challenge)[]
      }
      const failed = challenges.find(({ error }) => error !== undefined)?.error
      return {
        status,
        challenges: Object.fromEntries(challenges.map(({ type, url: at, token }) => [type, { url: at, token }])),
        problem: failed && detailOf(failed),
        retryAfterMs: waitOf(answer),
      }
    },

    /** What a challenge must be answered with (RFC 8555 8.1). */
    authorizationOf: (token: string) => `${token}.${thumbprint(jwk)}`,

    /** Says that the answer to the challenge stands ready. */
    async answer({ url }: Challenge): Promise<void> {
      await post(url, {})
    },

    async finalize(order: Order, request: Buffer): Promise<Order> {
      return orderIn(await post(order.finalize, { csr: request.toString('base64url') }), order.url)
    },

    /** The chain (PEM) of a valid order. */
    async download(url: string): Promise<string> {
      return (await post(url, undefined)).text
    },

    /** When the authority wants a certificate renewed (RFC 9773); undefined when it does not say. Times in ms. */
    async renewalWindow(certificate: string): Promise<{ from: number; to: number } | undefined> {
      const { renewalInfo } = await directoryOf()
      const id = certificateId(certificate)
      if (renewalInfo === undefined || id === undefined) return undefined
      const answer = await call('GET', `${renewalInfo}/${id}`)
      if (answer.status !== 200) return undefined
      const { suggestedWindow } = json(answer) as { suggestedWindow?: { start?: string; end?: string } }
      const from = Date.parse(suggestedWindow?.start ?? '')
      const to = Date.parse(suggestedWindow?.end ?? '')
      return from <= to ? { from, to } : undefined
    },
  }
}

interface Problem {
  type: string
  /** What others wrote: it should be a text. */
  detail?: unknown
}

function json({ text, status }: Answer): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new AcmeError('malformed', `the certificate authority answered ${status} with something that is not JSON`)
  }
}

/** A problem document (RFC 9457), when it is one. */
function problemIn(text: string): (Problem & { detail: string }) | undefined {
  try {
    const { type, detail } = JSON.parse(text) as Partial<Problem>
    return typeof type === 'string'
      ? { type, detail: detailOf({ type, ...(detail !== undefined && { detail }) }) }
      : undefined
  } catch {
    return undefined
  }
}

/** Long texts of others are cut: they are stored and shown. */
const MAX_DETAIL = 500

function detailOf({ type, detail }: Problem): string {
  return (typeof detail === 'string' ? detail : type).slice(0, MAX_DETAIL)
}

type Jwk = Readonly<Record<'crv' | 'kty' | 'x' | 'y', string>>

/** The public key as JSON, its members in the order of RFC 7638. */
function publicJwk(key: KeyObject): Jwk {
  const { crv, kty, x, y } = createPublicKey(key).export({ format: 'jwk' })
  return { crv: crv!, kty: kty!, x: x!, y: y! }
}

function thumbprint(jwk: Jwk): string {
  return createHash('sha256').update(JSON.stringify(jwk)).digest('base64url')
}

function jws(header: object, payload: unknown, key: KeyObject): string {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const head = encode(header)
  const body = payload === undefined ? '' : encode(payload)
  const signature = sign('sha256', Buffer.from(`${head}.${body}`), { key, dsaEncoding: 'ieee-p1363' })
  return JSON.stringify({ protected: head, payload: body, signature: signature.toString('base64url') })
}

/** The name of a certificate in RFC 9773 4.1: its issuer's key identifier and its serial number; undefined without the first. */
export function certificateId(chain: string): string | undefined {
  const { raw, serialNumber } = new X509Certificate(chain)
  // 2.5.29.35 as an OID in DER; then the extension as bytes, a sequence, and [0] the key identifier.
  const at = raw.indexOf(Buffer.from('0603551d23', 'hex'))
  if (at < 0) return undefined
  const value = raw.subarray(at + 5)
  if (value[0] !== 0x04 || value[2] !== 0x30 || value[4] !== 0x80) return undefined
  const issuer = value.subarray(6, 6 + value[5]!)
  const hex = serialNumber.length % 2 === 0 ? serialNumber : `0${serialNumber}`
  // A serial number is a signed integer: a leading zero byte keeps it positive.
  const serial = Buffer.from(Number.parseInt(hex.slice(0, 2), 16) > 0x7f ? `00${hex}` : hex, 'hex')
  return `${issuer.toString('base64url')}.${serial.toString('base64url')}`
}
