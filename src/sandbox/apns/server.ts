import { randomUUID, X509Certificate } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import { asScripted, describeEffect, isScripted, isTaken, perform, settleWith } from '../stand-in/effects.ts'
import type { Answer, Exchange } from '../stand-in/exchange.ts'
import { type Listener, listen } from '../stand-in/listener.ts'
import type { Effect, Place } from '../stand-in/plan.ts'
import type { StandInOptions } from '../stand-in/stand-in.ts'
import type { ProviderTokens } from './provider-token.ts'
import { APNS_REASONS } from './reasons.ts'
import {
  type ApnsRefusal,
  type ApnsRequest,
  judgeApnsRequest,
  judgeDevice,
  readDeviceToken,
  type Topics,
} from './request.ts'

/** With a provider token APNs allows one stream until a request with a valid token succeeds (Apple). */
const UNPROVEN_STREAMS = 1
/** Headers to show with a message. */
const SHOWN = ['apns-push-type', 'apns-priority', 'apns-expiration', 'apns-collapse-id', 'apns-topic'] as const

export interface ApnsOptions extends StandInOptions {
  environment: 'production' | 'sandbox'
  /** PEM of the authority that issues client certificates. */
  ca: string
  /** SHA-256 fingerprint of a client certificate -> the topics it may use. */
  topicsOfCertificate(fingerprint: string): Topics | undefined
  providerTokens: ProviderTokens
}

type Sender = { topics: Topics; certificate: boolean } | ApnsRefusal

/**
 * A stand-in for one of the two hosts of APNs: TLS, HTTP/2 only, every request checked, every refusal with its reason.
 */
export async function startApns(options: ApnsOptions): Promise<Listener> {
  const { devices, ledger, clock, environment } = options
  const place: Place = `apns-${environment}`
  /** Connections with a certificate -> what it allows. */
  const certified = new WeakMap<TLSSocket, Sender>()
  /** Connections without a certificate that have sent a valid provider token. */
  const proven = new WeakSet<TLSSocket>()

  const listener = await listen({
    host: options.host,
    port: options.port,
    manners: options.manners,
    clientCa: options.ca,
    streamsFor(socket) {
      const sender = senderOfCertificate(socket)
      if (sender) certified.set(socket, sender)
      return sender || proven.has(socket) ? undefined : UNPROVEN_STREAMS
    },
    onExchange: handle,
  })
  return listener

  function senderOfCertificate(socket: TLSSocket): Sender | undefined {
    const certificate: X509Certificate | undefined = socket.getPeerX509Certificate()
    if (!certificate) return undefined
    const topics = options.topicsOfCertificate(certificate.fingerprint256)
    if (!socket.authorized || !topics) return { reason: 'BadCertificate' }
    return { topics, certificate: true }
  }

  function senderOf(exchange: Exchange): Sender {
    const { socket } = exchange.link
    const authorization = exchange.headers.authorization
    const known = certified.get(socket)
    if (known && authorization === undefined) return known
    const refused = options.providerTokens.refuse(authorization, clock.now())
    if (refused) return { reason: refused }
    if (!known && !proven.has(socket)) {
      proven.add(socket)
      listener.renewSettings(exchange.link)
    }
    // A signing key may use any topic.
    return { topics: undefined, certificate: false }
  }

  function judge(exchange: Exchange, token: string | ApnsRefusal): ApnsRequest | ApnsRefusal {
    const sender = senderOf(exchange)
    if ('reason' in sender) return sender
    if (typeof token !== 'string') return token
    const request = judgeApnsRequest(exchange, { token, topics: sender.topics, mayOmitTopic: sender.certificate })
    if ('reason' in request) return request
    return judgeDevice(request, environment, devices, clock.now()) ?? request
  }

  function handle(exchange: Exchange): void {
    const token = readDeviceToken(exchange)
    const verdict = judge(exchange, token)
    const accepted = 'reason' in verdict ? undefined : verdict
    const effect = options.faults().pick({
      place,
      token: typeof token === 'string' ? token : '',
      notification: accepted?.notificationId,
    })
    const given = exchange.headers['apns-id'] as string | undefined
    const id = (given ?? randomUUID()).toLowerCase()
    const tooMany = effect ? undefined : options.quota()?.take(clock.now())
    const answer = answerTo(verdict, effect ?? tooMany, id, clock.now())
    const settle = () => {
      const taken = accepted !== undefined && answer.status < 300 && isTaken(effect)
      ledger.add({
        at: clock.now(),
        gateway: 'apns',
        environment,
        token: typeof token === 'string' ? token : exchange.path,
        id,
        notificationId: accepted?.notificationId,
        topic: accepted?.topic ?? String(exchange.headers['apns-topic'] ?? ''),
        taken,
        answer: (effect && describeEffect(effect)) ?? nameOf(answer),
        headers: shownHeaders(exchange),
        payload: accepted?.payload ?? exchange.body.toString('utf8', 0, 8192),
      })
      perform(exchange, answer, effect)
    }
    settleWith(exchange, effect, settle)
  }
}

/** The reply of APNs: 200 with nothing, or a status with `{"reason": ...}`. A scripted effect overrides the verdict. */
function answerTo(verdict: ApnsRequest | ApnsRefusal, effect: Effect | undefined, id: string, now: number): Answer {
  return asScripted(
    { headers: { 'apns-id': id }, ...(isScripted(effect) ? scripted(effect, now) : plain(verdict)) },
    effect ?? {},
  )
}

function scripted({ reason, ...effect }: Effect, now: number): Pick<Answer, 'status' | 'body'> {
  const status = effect.status ?? (reason === undefined ? 200 : statusOf(reason))
  // Every 410 has a timestamp.
  const timestamp = effect.timestamp ?? (status === 410 ? now : undefined)
  const body = reason === undefined ? '' : JSON.stringify({ reason, ...(timestamp !== undefined && { timestamp }) })
  return { status, body }
}

function plain(verdict: ApnsRequest | ApnsRefusal): Pick<Answer, 'status' | 'body'> {
  if (!('reason' in verdict)) return { status: 200, body: '' }
  return { status: APNS_REASONS[verdict.reason], body: JSON.stringify(verdict) }
}

function statusOf(reason: string): number {
  return (APNS_REASONS as Record<string, number>)[reason] ?? 500
}

function nameOf({ status, body }: Answer): string {
  const reason = status < 300 ? undefined : /"reason":"([^"]{1,100})"/.exec(body)?.[1]
  return reason === undefined ? String(status) : `${status} ${reason}`
}

function shownHeaders({ headers }: Exchange): Record<string, string> {
  const shown: Record<string, string> = {}
  for (const name of SHOWN) if (headers[name] !== undefined) shown[name] = String(headers[name])
  return shown
}
