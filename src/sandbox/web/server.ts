import { createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import { isPlainObject } from '../../platform/json/json.ts'
import { readJwt } from '../apns/provider-token.ts'
import { asScripted, describeEffect, isScripted, isTaken, perform, settleWith } from '../stand-in/effects.ts'
import type { Answer, Exchange } from '../stand-in/exchange.ts'
import { type Listener, listen } from '../stand-in/listener.ts'
import type { Effect } from '../stand-in/plan.ts'
import type { StandInOptions } from '../stand-in/stand-in.ts'
import { decryptPush } from './decrypt.ts'
import { WEB_REASONS, type WebReason, webError } from './reasons.ts'
import { type Endpoint, nameOfKey, readEndpoint, type WebSubscriptions } from './subscriptions.ts'

export interface WebOptions extends StandInOptions {
  subscriptions: WebSubscriptions
}

/** Every push service must accept a body of this size (RFC 8030 section 7.2); most accept no larger one. */
const MAX_BODY_BYTES = 4096
/** Mozilla's limit. A longer TTL is reduced to it, and the answer says so. */
const MAX_TTL_S = 2_592_000
const DAY_S = 86_400
const URGENCIES = ['very-low', 'low', 'normal', 'high']
const SHOWN = ['ttl', 'urgency', 'topic'] as const
/** Max verified tokens to remember; a sender uses one for hours. */
const REMEMBERED = 1000

/** The answer to the discovery of UnifiedPush (its specification, server, "Discovery"). */
const DISCOVERED: Answer = {
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: '{"unifiedpush":{"version":1}}\n',
}

interface Judged {
  answer: Answer | undefined
  /** The decrypted text, if the browser can read it. */
  text: string | undefined
}

/**
 * A stand-in for the push services of browsers (RFC 8030) that checks the VAPID token (RFC 8292) and decrypts as the
 * browser would.
 */
export function startWeb(options: WebOptions): Promise<Listener> {
  const { ledger, clock, devices, subscriptions } = options
  const verified = new Map<string, Record<string, unknown>>()
  let sent = 0
  return listen({
    host: options.host,
    port: options.port,
    manners: options.manners,
    allowHttp1: true,
    onExchange: handle,
  })

  function handle(exchange: Exchange): void {
    const endpoint = readEndpoint(exchange.path)
    if (exchange.method === 'GET' && endpoint?.service === 'unifiedpush') return exchange.answer(DISCOVERED)
    if (exchange.method !== 'POST' || !endpoint) return exchange.answer(webError('google', 'NotFound'))
    const origin = `https://${exchange.headers[':authority'] ?? exchange.headers.host ?? ''}`
    const token = origin + exchange.path
    const { answer: refused, text } = judge(exchange, endpoint, { origin, token })
    const notificationId = notificationIn(text)
    const effect = options.faults().pick({ place: 'web', token, notification: notificationId })
    const tooMany = effect ? undefined : options.quota()?.take(clock.now())
    const id = `${origin}/message/${String(++sent).padStart(8, '0')}`
    const ttl = Math.min(Number(exchange.headers.ttl), MAX_TTL_S)
    const accepted: Answer = { status: 201, headers: { location: id, ttl: String(ttl) }, body: '' }
    const answer = scriptedAnswer(endpoint, effect ?? tooMany) ?? refused ?? accepted
    const settle = () => {
      const isAccepted = refused === undefined && answer.status < 300
      ledger.add({
        at: clock.now(),
        gateway: 'web',
        token,
        id,
        notificationId,
        topic: endpoint.service,
        // A browser silently drops what it cannot read.
        taken: isAccepted && text !== undefined && isTaken(effect),
        answer: (effect && describeEffect(effect)) ?? nameOf(answer, isAccepted && text === undefined),
        headers: shownHeaders(exchange),
        payload: text ?? exchange.body.toString('base64', 0, 6144),
      })
      perform(exchange, answer, effect)
    }
    settleWith(exchange, effect, settle)
  }

  function judge(exchange: Exchange, endpoint: Endpoint, { origin, token }: { origin: string; token: string }): Judged {
    const opened = decryptPush(exchange.body, subscriptions.keysOf(endpoint.id))
    const text = 'text' in opened ? opened.text.toString('utf8') : undefined
    const refuse = (reason: WebReason, detail?: string): Judged => ({
      answer: webError(endpoint.service, reason, detail),
      text,
    })
    if (exchange.tooLong || exchange.body.length > MAX_BODY_BYTES) return refuse('PayloadTooLarge')
    const wrong = wrongHeader(exchange)
    if (wrong) return refuse('BadHeaders', wrong)
    const vapid = readVapid(exchange.headers.authorization ?? '', origin)
    if ('wrong' in vapid) return refuse('BadJwtToken', vapid.wrong)
    if (endpoint.serverKey !== undefined && endpoint.serverKey !== nameOfKey(vapid.key)) return refuse('KeyMismatch')
    const device = devices.find('web', token)
    if (device?.deadSince !== undefined && device.deadSince <= clock.now()) return refuse('Gone')
    return { answer: undefined, text }
  }

  function readVapid(authorization: string, origin: string): { key: string } | { wrong: string } {
    const [, token, key] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(authorization) ?? []
    if (token === undefined || key === undefined) return { wrong: 'there is no vapid authorization' }
    const claims = verified.get(authorization) ?? verifyToken(token, key)
    if (!claims) return { wrong: 'the token is not signed with its key' }
    if (verified.size >= REMEMBERED) verified.clear()
    verified.set(authorization, claims)
    const { aud, exp, sub } = claims
    const now = clock.now() / 1000
    if (aud !== origin) return { wrong: `aud is ${String(aud)}, not ${origin}` }
    if (typeof exp !== 'number' || exp <= now) return { wrong: 'the token is expired' }
    if (exp > now + DAY_S) return { wrong: 'exp is more than a day ahead' }
    if (typeof sub !== 'string' || !/^(mailto:[^\s<>]+@[^\s<>]+|https:\/\/(?!localhost)[^\s<>]+)$/.test(sub)) {
      return { wrong: `sub is ${String(sub)}` }
    }
    return { key }
  }
}

/** The claims of a token that this key signed with ES256. */
function verifyToken(token: string, key: string): Record<string, unknown> | undefined {
  const jwt = readJwt(token)
  const point = Buffer.from(key, 'base64url')
  if (!jwt || jwt.header.alg !== 'ES256' || point.length !== 65 || point[0] !== 4) return undefined
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'))
  const jwk = { kty: 'EC', crv: 'P-256', x, y } as JsonWebKey
  try {
    const publicKey = createPublicKey({ format: 'jwk', key: jwk })
    const isRight = verify('sha256', jwt.signed, { key: publicKey, dsaEncoding: 'ieee-p1363' }, jwt.signature)
    return isRight ? jwt.claims : undefined
  } catch {
    return undefined
  }
}

function wrongHeader({ headers, repeated }: Exchange): string | undefined {
  if (repeated !== undefined) return `the header ${repeated} is there twice`
  if (!/^\d{1,10}$/.test(String(headers.ttl ?? ''))) return 'TTL must be a number of seconds'
  if (headers['content-encoding'] !== 'aes128gcm') return 'Content-Encoding must be aes128gcm'
  const { topic, urgency } = headers
  if (topic !== undefined && !/^[A-Za-z0-9]{1,32}$/.test(String(topic)))
    return 'Topic has at most 32 letters and digits'
  if (urgency !== undefined && !URGENCIES.includes(String(urgency))) return `there is no urgency ${String(urgency)}`
  return undefined
}

/** The answer that a rule sets, or undefined if it only changes the delivery of the answer. */
function scriptedAnswer({ service }: Endpoint, effect: Effect | undefined): Answer | undefined {
  if (!isScripted(effect)) return undefined
  const { reason, status } = effect
  const known =
    reason !== undefined && Object.hasOwn(WEB_REASONS, reason) ? webError(service, reason as WebReason) : undefined
  const usual = known ?? { status: 200, headers: {}, body: reason ?? '' }
  return asScripted({ ...usual, status: status ?? usual.status }, effect)
}

/** The id in the block `k.message` of the service worker's text. */
function notificationIn(text: string | undefined): string | undefined {
  if (text === undefined || !text.includes('k.message')) return undefined
  try {
    const id = at(JSON.parse(text), ['data', 'k.message', 'data', 'id'])
    return typeof id === 'number' || typeof id === 'string' ? String(id) : undefined
  } catch {
    return undefined
  }
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (isPlainObject(inner) ? inner[name] : undefined), value)
}

function nameOf({ status, body }: Answer, isUnreadable: boolean): string {
  if (isUnreadable) return `${status} unreadable`
  if (status < 300) return String(status)
  const word = /"reason":"(\w{1,60})"/.exec(body)?.[1] ?? /"errno":(\d+)/.exec(body)?.[0]?.replace(/"/g, '')
  return word === undefined ? String(status) : `${status} ${word}`
}

function shownHeaders({ headers }: Exchange): Record<string, string> {
  const shown: Record<string, string> = {}
  for (const name of SHOWN) if (headers[name] !== undefined) shown[name] = String(headers[name])
  return shown
}
