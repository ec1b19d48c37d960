import { createHash, createPublicKey, type JsonWebKey, randomBytes, verify, X509Certificate } from 'node:crypto'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import tls from 'node:tls'
import { answersChallenge, identityFor, makeAuthority, readRequest, type TestAuthority } from './authority.ts'

/** Behaviour of the stand-in besides following RFC 8555. A test changes it at any time. */
interface AcmeBehaviour {
  /** The number of signed requests that are answered with badNonce first. */
  badNonces: number
  /** New orders are refused, with this Retry-After in seconds. */
  limitedFor: number | undefined
  /** Every request is answered 503. */
  isAway: boolean
  /** The number of times that an order is still `processing` after it was finalized. */
  processing: number
  /** The lifetime of certificates in days. */
  days: number
  /** RFC 9773. */
  window: { start: string; end: string } | undefined
}

/** A certificate authority that speaks ACME (RFC 8555) and verifies names by calling back. */
export interface AcmeStandIn {
  directory: string
  /** PEM, of the authority, which also vouches for the stand-in itself. */
  root: string
  authority: TestAuthority
  behave: AcmeBehaviour
  /** The ports on this machine at which names are verified. */
  ports: { http: number; https: number }
  /** Names of the certificates that were issued, in order. */
  issued: string[]
  /** `replaces` of new orders, in order. */
  replaced: (string | undefined)[]
  /** The kind of challenge by which each name was verified, in order. */
  verified: string[]
  accounts(): number
  close(): Promise<void>
}

interface Challenge {
  id: string
  type: 'http-01' | 'tls-alpn-01'
  token: string
  status: string
  error?: object
}
interface Authz {
  id: string
  name: string
  status: string
  challenges: Challenge[]
}
interface Order {
  id: string
  name: string
  status: string
  authz: Authz
  processing: number
  chain: string | undefined
}

class Problem extends Error {
  readonly type: string
  readonly status: number
  readonly headers: Record<string, string>

  constructor(type: string, status: number, detail: string, headers: Record<string, string> = {}) {
    super(detail)
    this.type = type
    this.status = status
    this.headers = headers
  }
}

const id = () => randomBytes(9).toString('base64url')
const DAY_MS = 86_400_000

export async function startAcme(): Promise<AcmeStandIn> {
  const authority = makeAuthority()
  const identity = identityFor(authority, ['localhost'])
  const nonces = new Set<string>()
  const accounts = new Map<string, { jwk: JsonWebKey; thumbprint: string }>()
  const orders = new Map<string, Order>()
  const standIn: Omit<AcmeStandIn, 'close' | 'directory' | 'accounts'> = {
    root: authority.root,
    authority,
    behave: { badNonces: 0, limitedFor: undefined, isAway: false, processing: 0, days: 90, window: undefined },
    ports: { http: 0, https: 0 },
    issued: [],
    replaced: [],
    verified: [],
  }
  const { behave } = standIn

  const server = https.createServer(identity, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const send = (status: number, body: unknown, headers: Record<string, string> = {}) => {
        const nonce = id()
        nonces.add(nonce)
        response.writeHead(status, { 'Replay-Nonce': nonce, 'Content-Type': 'application/json', ...headers })
        response.end(typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body))
      }
      answer(request, Buffer.concat(chunks).toString())
        .then(({ status, body, headers }) => send(status, body, headers))
        .catch((error: unknown) => {
          const { type, status, headers, message } =
            error instanceof Problem ? error : new Problem('serverInternal', 500, String(error))
          send(status, { type: `urn:ietf:params:acme:error:${type}`, detail: message }, headers)
        })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base = `https://localhost:${(server.address() as AddressInfo).port}`

  interface Answer {
    status: number
    body?: unknown
    headers?: Record<string, string>
  }

  async function answer({ method, url = '' }: http.IncomingMessage, text: string): Promise<Answer> {
    if (behave.isAway) throw new Problem('serverInternal', 503, 'down for maintenance')
    const [, kind = '', key = ''] = url.split('/')
    if (kind === 'directory') {
      const at = (path: string) => `${base}/${path}`
      return {
        status: 200,
        body: {
          newNonce: at('nonce'),
          newAccount: at('account'),
          newOrder: at('order'),
          renewalInfo: at('renewal'),
        },
      }
    }
    if (kind === 'nonce') return { status: method === 'HEAD' ? 200 : 204 }
    if (kind === 'renewal') {
      if (!behave.window) throw new Problem('malformed', 404, 'no window')
      return { status: 200, body: { suggestedWindow: behave.window } }
    }
    if (method !== 'POST') throw new Problem('malformed', 405, 'POST only')
    const { payload, account, jwk } = open(text, `${base}${url}`)
    if (kind === 'account' && jwk) return register(jwk, payload)
    if (!account) throw new Problem('accountDoesNotExist', 400, 'no account')
    if (kind === 'order' && key === '') return newOrder(payload)
    if (kind === 'order') return { status: 200, body: show(find(key)) }
    if (kind === 'authz') {
      const { name, status, challenges } = find(key).authz
      const shown = challenges.map(({ id: of, ...one }) => ({ ...one, url: `${base}/challenge/${key}/${of}` }))
      return { status: 200, body: { identifier: { type: 'dns', value: name }, status, challenges: shown } }
    }
    if (kind === 'challenge') return challenge(find(key), url.split('/')[3]!, account.thumbprint)
    if (kind === 'finalize') return finalize(find(key), payload)
    if (kind === 'certificate') return { status: 200, body: find(key).chain }
    throw new Problem('malformed', 404, 'nothing here')
  }

  /** Checks a signed request (RFC 8555 6.2). */
  function open(text: string, url: string) {
    const body = JSON.parse(text) as Record<'protected' | 'payload' | 'signature', string>
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
    const header = read(body.protected) as { alg: string; nonce: string; url: string; jwk?: JsonWebKey; kid?: string }
    const isFresh = nonces.delete(header.nonce)
    if (behave.badNonces > 0 || !isFresh) {
      behave.badNonces--
      throw new Problem('badNonce', 400, 'this nonce is not fresh')
    }
    if (header.url !== url) throw new Problem('unauthorized', 401, `signed for ${header.url}`)
    const account = header.kid === undefined ? undefined : accounts.get(header.kid)
    const jwk = header.jwk ?? account?.jwk
    if (!jwk) throw new Problem('accountDoesNotExist', 400, 'no such account')
    const key = createPublicKey({ key: jwk, format: 'jwk' })
    const signature = Buffer.from(body.signature, 'base64url')
    const signed = Buffer.from(`${body.protected}.${body.payload}`)
    if (header.alg !== 'ES256' || !verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, signature)) {
      throw new Problem('unauthorized', 401, 'the signature is wrong')
    }
    return { payload: body.payload === '' ? undefined : read(body.payload), account, jwk: header.jwk }
  }

  function register(jwk: JsonWebKey, payload: { termsOfServiceAgreed?: boolean }): Answer {
    if (payload.termsOfServiceAgreed !== true) throw new Problem('userActionRequired', 403, 'agree to the terms')
    const { crv, kty, x, y } = jwk
    const thumbprint = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')
    const url = `${base}/accounts/${thumbprint}`
    const status = accounts.has(url) ? 200 : 201
    accounts.set(url, { jwk, thumbprint })
    return { status, body: { status: 'valid' }, headers: { Location: url } }
  }

  function find(key: string): Order {
    const order = orders.get(key)
    if (!order) throw new Problem('malformed', 404, 'no such order')
    return order
  }

  function newOrder(payload: { identifiers: { value: string }[]; replaces?: string }): Answer {
    if (behave.limitedFor !== undefined) {
      throw new Problem('rateLimited', 429, 'too many certificates', { 'Retry-After': String(behave.limitedFor) })
    }
    standIn.replaced.push(payload.replaces)
    const name = payload.identifiers[0]!.value
    const key = id()
    const challenges = (['http-01', 'tls-alpn-01'] as const).map((type) => ({
      id: id(),
      type,
      token: id(),
      status: 'pending',
    }))
    const authz = { id: key, name, status: 'pending', challenges }
    const order: Order = { id: key, name, status: 'pending', authz, processing: 0, chain: undefined }
    orders.set(key, order)
    return { status: 201, body: show(order), headers: { Location: `${base}/order/${key}` } }
  }

  function show(order: Order) {
    if (order.status === 'processing' && order.processing-- <= 0) order.status = 'valid'
    const { id: key, status } = order
    return {
      status,
      identifiers: [{ type: 'dns', value: order.name }],
      authorizations: [`${base}/authz/${key}`],
      finalize: `${base}/finalize/${key}`,
      ...(status === 'valid' && { certificate: `${base}/certificate/${key}` }),
    }
  }

  async function challenge(order: Order, of: string, thumbprint: string): Promise<Answer> {
    const one = order.authz.challenges.find((found) => found.id === of)!
    const wanted = `${one.token}.${thumbprint}`
    const problem = await (one.type === 'http-01'
      ? overHttp(order.name, one.token, wanted)
      : overTls(order.name, wanted))
    const status = problem === undefined ? 'valid' : 'invalid'
    one.status = order.authz.status = status
    order.status = problem === undefined ? 'ready' : 'invalid'
    if (problem === undefined) standIn.verified.push(`${one.type} ${order.name}`)
    else one.error = { type: 'urn:ietf:params:acme:error:unauthorized', detail: problem }
    return {
      status: 200,
      body: { type: one.type, status, token: one.token, url: `${base}/challenge/${order.id}/${of}` },
    }
  }

  function overHttp(name: string, token: string, wanted: string): Promise<string | undefined> {
    return new Promise((resolve) => {
      const path = `/.well-known/acme-challenge/${token}`
      const options = { host: '127.0.0.1', port: standIn.ports.http, path, headers: { Host: name }, agent: false }
      http
        .get(options, (response) => {
          let text = ''
          response.on('data', (chunk: Buffer) => (text += chunk))
          response.on('end', () => resolve(text === wanted ? undefined : `${response.statusCode} ${text}`))
        })
        .on('error', (error) => resolve(error.message))
    })
  }

  function overTls(name: string, wanted: string): Promise<string | undefined> {
    return new Promise((resolve) => {
      const socket = tls.connect(
        {
          host: '127.0.0.1',
          port: standIn.ports.https,
          servername: name,
          ALPNProtocols: ['acme-tls/1'],
          rejectUnauthorized: false,
        },
        () => {
          const { raw } = socket.getPeerCertificate()
          const isRight = socket.alpnProtocol === 'acme-tls/1' && answersChallenge(raw, name, wanted)
          resolve(isRight ? undefined : `another certificate: ${new X509Certificate(raw).subjectAltName}`)
          socket.destroy()
        },
      )
      socket.on('error', (error) => resolve(error.message))
    })
  }

  function finalize(order: Order, payload: { csr: string }): Answer {
    if (order.status !== 'ready') throw new Problem('orderNotReady', 403, `the order is ${order.status}`)
    const { names, spki } = readRequest(Buffer.from(payload.csr, 'base64url'))
    if (names.join() !== order.name) throw new Problem('badCSR', 400, `for ${names.join()}`)
    const now = Date.now()
    order.chain = authority.issue(names, spki, now - 3_600_000, now + behave.days * DAY_MS) + authority.root
    order.processing = behave.processing
    order.status = behave.processing > 0 ? 'processing' : 'valid'
    standIn.issued.push(order.name)
    return { status: 200, body: show(order) }
  }

  return {
    ...standIn,
    directory: `${base}/directory`,
    accounts: () => accounts.size,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}
