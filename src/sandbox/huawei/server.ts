import { randomBytes } from 'node:crypto'
import { asScripted, describeEffect, isScripted, isTaken, perform, settleWith } from '../stand-in/effects.ts'
import type { Answer, Exchange } from '../stand-in/exchange.ts'
import { type Listener, listen } from '../stand-in/listener.ts'
import type { Effect } from '../stand-in/plan.ts'
import { answerTokenCall, type StandInOptions } from '../stand-in/stand-in.ts'
import { HCM_JSON, hcmAnswer, isHcmCode, partlyAccepted } from './codes.ts'
import { type HcmMessage, readHcmMessage } from './message.ts'
import type { HcmOAuth } from './oauth.ts'

export interface HcmOptions extends StandInOptions {
  appId: string
  oauth: HcmOAuth
}

const SEND = /^\/v1\/([^/]+)\/messages:send$/
/** Max bytes of a body, enough for a thousand of the longest tokens. */
const MAX_BODY_BYTES = 4 * 1024 * 1024
const RUN = randomBytes(4).toString('hex')

/**
 * A stand-in for Huawei Push Kit (`POST /v1/{appId}/messages:send`) and its OAuth token call (`POST /oauth2/v3/token`),
 * on one TLS port that speaks HTTP/2 and HTTP/1.1. A request for many tokens is listed once for each.
 */
export function startHcm(options: HcmOptions): Promise<Listener> {
  const { ledger, clock, devices, oauth, appId } = options
  let sent = 0
  return listen({
    host: options.host,
    port: options.port,
    manners: options.manners,
    allowHttp1: true,
    longestBody: MAX_BODY_BYTES,
    onExchange(exchange) {
      const path = exchange.path.split('?', 1)[0]!
      if (exchange.method === 'POST' && path === '/oauth2/v3/token') {
        const grant = () => oauth.grant(exchange, clock.now())
        return answerTokenCall(options, exchange, 'hcm-token', { scripted: scriptedTokenAnswer, grant })
      }
      const app = exchange.method === 'POST' ? SEND.exec(path)?.[1] : undefined
      if (app === undefined) return exchange.answer({ status: 404, headers: {}, body: '' })
      send(exchange, app)
    },
  })

  function send(exchange: Exchange, app: string): void {
    const verdict = judge(exchange, app)
    const message = 'tokens' in verdict ? verdict : undefined
    const effect = options.faults().pick({
      place: 'hcm',
      tokens: message?.tokens ?? [],
      notification: message?.notificationId,
    })
    const tooMany = effect ? undefined : options.quota()?.take(clock.now())
    const requestId = `${clock.now()}${String(++sent).padStart(6, '0')}${RUN}`
    const illegal = message ? illegalOf(message.tokens, effect) : new Set<string>()
    const answer =
      scriptedAnswer(effect ?? tooMany) ??
      (message ? ordinary(message, illegal, requestId, effect) : (verdict as Answer))
    const settle = () => {
      if (message && !message.validateOnly) record(message, { app, answer, illegal, effect, requestId })
      if (!message) recordRefused(exchange, app, answer, requestId)
      perform(exchange, answer, effect)
    }
    settleWith(exchange, effect, settle)
  }

  function judge(exchange: Exchange, app: string): HcmMessage | Answer {
    const wrong = oauth.judge(exchange.headers.authorization, clock.now())
    if (wrong) return hcmAnswer(wrong === 'expired' ? '80200003' : '80200001')
    if (app !== appId) return hcmAnswer('80200001', { msg: 'The token does not belong to this app' })
    if (exchange.tooLong) return hcmAnswer('80300008')
    if (!/^application\/json\b/i.test(exchange.headers['content-type'] ?? '')) return hcmAnswer('80100018')
    return readHcmMessage(exchange.body)
  }

  /** Tokens that were declared dead or of another app, and those that a rule with the reason 80100000 names. */
  function illegalOf(tokens: readonly string[], effect: Effect | undefined): Set<string> {
    const named = effect?.reason === '80100000' ? options.faults().named(effect, tokens) : []
    const declared = tokens.filter((token) => {
      const device = devices.find('hcm', token)
      if (!device) return false
      const isForeign = device.project !== undefined && device.project !== appId
      return isForeign || (device.deadSince !== undefined && device.deadSince <= clock.now())
    })
    return new Set([...named, ...declared])
  }

  function ordinary(
    { tokens }: HcmMessage,
    illegal: ReadonlySet<string>,
    requestId: string,
    effect: Effect | undefined,
  ): Answer {
    const status = effect?.status
    if (illegal.size === 0) return hcmAnswer('80000000', { requestId, status })
    if (tokens.every((token) => illegal.has(token))) return hcmAnswer('80300007', { requestId, status })
    return partlyAccepted(tokens.length, [...illegal], requestId, status)
  }

  function record(
    message: HcmMessage,
    seen: { app: string; answer: Answer; illegal: ReadonlySet<string>; effect: Effect | undefined; requestId: string },
  ): void {
    const { app, answer, illegal, effect, requestId } = seen
    const code = codeIn(answer)
    const accepted = code === '80000000' || code === '80100000'
    for (const token of message.tokens) {
      const own = accepted && illegal.has(token) ? '80100000 illegal token' : nameOf(answer)
      ledger.add({
        at: clock.now(),
        gateway: 'hcm',
        token,
        id: requestId,
        notificationId: message.notificationId,
        topic: app,
        taken: accepted && !illegal.has(token) && isTaken(effect),
        answer: (effect && describeEffect(effect)) ?? own,
        headers: {},
        payload: message.payload,
      })
    }
  }

  function recordRefused(exchange: Exchange, app: string, answer: Answer, id: string): void {
    ledger.add({
      at: clock.now(),
      gateway: 'hcm',
      token: '',
      id,
      topic: app,
      taken: false,
      answer: nameOf(answer),
      headers: {},
      payload: exchange.body.toString('utf8', 0, 8192),
    })
  }
}

/** The answer that a rule sets, or undefined if it only changes the delivery of the answer. */
function scriptedAnswer(effect: Effect | undefined): Answer | undefined {
  if (!isScripted(effect)) return undefined
  const { reason, status, body } = effect
  // The rule names tokens; the others are accepted.
  if (reason === '80100000' && body === undefined) return undefined
  const answer =
    reason === undefined
      ? { status: status ?? 200, headers: { 'content-type': HCM_JSON }, body: '' }
      : isHcmCode(reason)
        ? hcmAnswer(reason, { status })
        : { status: status ?? 200, headers: { 'content-type': HCM_JSON }, body: JSON.stringify({ code: reason }) }
  return asScripted(answer, effect)
}

function scriptedTokenAnswer(effect: Effect): Answer | undefined {
  if (!isScripted(effect)) return undefined
  const { reason, status = 400 } = effect
  const body = JSON.stringify({ error: 1203, sub_error: 20_041, error_description: reason ?? 'Scripted answer.' })
  return asScripted({ status, headers: { 'content-type': HCM_JSON }, body }, effect)
}

function codeIn({ body }: Answer): string | undefined {
  return /"code":\s*"?(\d+)/.exec(body)?.[1]
}

/** `200` for success, as with the other gateways. */
function nameOf(answer: Answer): string {
  const code = codeIn(answer)
  if (code === '80000000' || code === '80100000') return String(answer.status)
  return code === undefined ? String(answer.status) : `${answer.status} ${code}`
}
