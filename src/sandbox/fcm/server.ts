import { randomBytes } from 'node:crypto'
import { asScripted, describeEffect, isScripted, isTaken, perform, settleWith } from '../stand-in/effects.ts'
import type { Answer, Exchange } from '../stand-in/exchange.ts'
import { type Listener, listen } from '../stand-in/listener.ts'
import type { Effect } from '../stand-in/plan.ts'
import { answerTokenCall, type StandInOptions } from '../stand-in/stand-in.ts'
import { badFields, FCM_REASONS, type FcmReason, fcmError, JSON_TYPE } from './errors.ts'
import { type FcmMessage, isRegistrationToken, readFcmMessage } from './message.ts'
import { invalidGrant, type OAuth } from './oauth.ts'

export interface FcmOptions extends StandInOptions {
  projectId: string
  oauth: OAuth
}

const SEND = /^\/v1\/projects\/([^/]+)\/messages:send$/
/** Distinguishes message ids of this run from other runs. */
const RUN = randomBytes(4).toString('hex')

/**
 * A stand-in for FCM HTTP v1 (`POST /v1/projects/{id}/messages:send`) and for Google's OAuth token call (`POST
 * /token`), on one TLS port that speaks HTTP/2 and HTTP/1.1.
 */
export function startFcm(options: FcmOptions): Promise<Listener> {
  const { ledger, clock, devices, oauth } = options
  let sent = 0
  return listen({
    host: options.host,
    port: options.port,
    manners: options.manners,
    allowHttp1: true,
    onExchange(exchange) {
      const path = exchange.path.split('?', 1)[0]!
      if (exchange.method === 'POST' && path === '/token') {
        const grant = () => oauth.grant(exchange, clock.now())
        return answerTokenCall(options, exchange, 'fcm-token', { scripted: scriptedTokenAnswer, grant })
      }
      const project = exchange.method === 'POST' ? SEND.exec(path)?.[1] : undefined
      if (project === undefined) return exchange.answer(fcmError('NOT_FOUND'))
      send(exchange, project)
    },
  })

  function send(exchange: Exchange, project: string): void {
    const verdict = judge(exchange, project)
    const message = 'target' in verdict ? verdict : undefined
    const effect = options.faults().pick({
      place: 'fcm',
      token: message?.address ?? '',
      notification: message?.notificationId,
    })
    const tooMany = effect ? undefined : options.quota()?.take(clock.now())
    const name = `projects/${options.projectId}/messages/${message?.validateOnly ? 'fake_message_id' : nextId()}`
    const refused = message ? judgeDevice(message) : (verdict as Answer)
    const answer = scriptedAnswer(effect ?? tooMany) ?? refused ?? asScripted(json(200, { name }), effect ?? {})
    const settle = () => {
      const accepted = message !== undefined && refused === undefined && answer.status < 300
      if (!message?.validateOnly) record(exchange, project, { message, answer, effect, name, accepted })
      perform(exchange, answer, effect)
    }
    settleWith(exchange, effect, settle)
  }

  function judge(exchange: Exchange, project: string): FcmMessage | Answer {
    if (!oauth.isGood(exchange.headers.authorization, clock.now())) return fcmError('UNAUTHENTICATED')
    if (project !== options.projectId) {
      const resource = `//cloudresourcemanager.googleapis.com/projects/${project}`
      const message = `Permission 'cloudmessaging.messages.create' denied on resource '${resource}' (or it may not exist).`
      return fcmError('PERMISSION_DENIED', { message })
    }
    if (exchange.tooLong)
      return badFields([{ field: 'message', description: 'Request payload size exceeds the limit.' }])
    return readFcmMessage(exchange.body)
  }

  function judgeDevice({ target, address }: FcmMessage): Answer | undefined {
    if (target !== 'token') return undefined
    if (!isRegistrationToken(address)) return fcmError('INVALID_TOKEN')
    const device = devices.find('fcm', address)
    if (!device) return undefined
    if (device.project !== undefined && device.project !== options.projectId) return fcmError('SENDER_ID_MISMATCH')
    return device.deadSince !== undefined && device.deadSince <= clock.now() ? fcmError('UNREGISTERED') : undefined
  }

  function record(
    exchange: Exchange,
    project: string,
    seen: {
      message: FcmMessage | undefined
      answer: Answer
      effect: Effect | undefined
      name: string
      accepted: boolean
    },
  ): void {
    const { message, answer, effect } = seen
    ledger.add({
      at: clock.now(),
      gateway: 'fcm',
      token: message?.address ?? '',
      id: seen.name,
      notificationId: message?.notificationId,
      topic: project,
      taken: seen.accepted && isTaken(effect),
      answer: (effect && describeEffect(effect)) ?? nameOf(answer),
      headers: {},
      payload: message?.payload ?? exchange.body.toString('utf8', 0, 8192),
    })
  }

  function nextId(): string {
    return `0:${clock.now()}${String(++sent).padStart(6, '0')}%${RUN}`
  }
}

/** The answer that a rule sets, or undefined if it only changes the delivery of the answer. */
function scriptedAnswer(effect: Effect | undefined): Answer | undefined {
  if (!isScripted(effect)) return undefined
  const { reason, status } = effect
  const known = reason !== undefined && Object.hasOwn(FCM_REASONS, reason) ? (reason as FcmReason) : undefined
  const answer = known
    ? fcmError(known, status === undefined ? {} : { status })
    : json(status ?? 200, {
        error: { code: status, message: reason ?? 'Scripted answer.', status: reason ?? 'UNKNOWN' },
      })
  return asScripted(answer, effect)
}

function scriptedTokenAnswer(effect: Effect): Answer | undefined {
  if (!isScripted(effect)) return undefined
  const { reason, status } = effect
  const usual =
    reason === 'invalid_grant'
      ? invalidGrant('Invalid JWT Signature.')
      : json(status ?? 400, { error: reason ?? 'internal_failure', error_description: 'Scripted answer.' })
  return asScripted({ ...usual, status: status ?? usual.status }, effect)
}

function json(status: number, value: unknown): Answer {
  return { status, headers: { 'content-type': JSON_TYPE }, body: JSON.stringify(value) }
}

function nameOf({ status, body }: Answer): string {
  if (status < 300) return String(status)
  const word = /"errorCode":"([A-Z_]+)"/.exec(body)?.[1] ?? /"status":"([A-Z_]+)"/.exec(body)?.[1]
  return word === undefined ? String(status) : `${status} ${word}`
}
