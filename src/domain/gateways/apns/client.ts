import { openPool as openRealPool } from '../../../platform/http2/pool.ts'
import type { Http2Pool, OpenPool, PushReply } from '../../../platform/http2/types.ts'
import { stencilOf } from '../../../platform/json/stencil.ts'
import type {
  Environment,
  GatewaySettings,
  OnOutcome,
  Outcome,
  Prepared,
  PreparedMany,
  PushMessage,
  PushRecipient,
  PushRecipients,
  Sender,
} from '../gateway.ts'
import { attempt, splitAddress, tryOpenPool } from '../send/attempt.ts'
import { Page, settleAll } from '../send/page.ts'
import { toShared } from '../send/send-each.ts'
import type { ApnsFacts, ApnsSecret } from './credentials.ts'
import { APNS } from './limits.ts'
import { readApnsReply, reasonOf } from './outcome.ts'
import { buildApnsHeaders, buildApnsPayload } from './payload.ts'
import { inspectApns, judgeApnsProbe } from './probe.ts'
import { providerTokens } from './provider-token.ts'

interface PreparedApns extends Prepared {
  body: Buffer
  headers: Record<string, string>
  /** Set when no recipient can get this message. */
  refusal?: Outcome
  /** Complete headers by topic, made for `token`. Reusing one object for all recipients keeps sending cheap. */
  byTopic: Map<string, { headers: Record<string, string>; token: string | undefined }>
}

/** The reply to the first attempt, its pool and its provider token. */
interface FirstAttempt {
  reply: PushReply
  pool: Http2Pool
  token: string | undefined
}

/** A sender for one credential: a pool per environment, opened on first use. `openPool` is replaced in tests only. */
export function openApns(
  credential: { secret: ApnsSecret; facts: ApnsFacts },
  settings: GatewaySettings,
  now: () => number,
  openPool: OpenPool = openRealPool,
): Sender {
  const { secret, facts } = credential
  const tokens = secret.kind === 'key' ? providerTokens(secret) : undefined
  const pools = new Map<Environment, Http2Pool>()
  const addresses = {
    production: splitAddress(settings.apnsUrl!),
    sandbox: splitAddress(settings.apnsSandboxUrl!),
  }
  let closed = false

  /** The pool, or an error when the address, an extra authority or the certificate is unusable. */
  function poolOf(environment: Environment): Http2Pool | Error {
    const open = pools.get(environment)
    if (open) return open
    const tls = secret.kind === 'certificate' ? { cert: secret.cert, key: secret.key } : {}
    const pool = tryOpenPool(openPool, { origin: addresses[environment].origin, ca: settings.ca, ...tls })
    if (!(pool instanceof Error)) pools.set(environment, pool)
    return pool
  }

  /** APNs ties a connection to the first key it sees, so another key needs new connections. Running requests finish. */
  function replacePool(environment: Environment, stale: Http2Pool): void {
    if (pools.get(environment) === stale) pools.delete(environment)
    stale.close().catch(() => {})
  }

  /** Sends to one environment. `first`: the result of the first attempt, if it was made already. */
  async function post(
    environment: Environment,
    message: PreparedApns,
    path: string,
    topic: string,
    first?: FirstAttempt,
  ): Promise<Outcome> {
    let known = first
    for (let renewed = false, moved = false; ; ) {
      if (closed && !known) return CLOSED
      const pool = known?.pool ?? poolOf(environment)
      if (pool instanceof Error) return { kind: 'config_error', reason: pool.message }
      const token = known ? known.token : tokens?.current(now())
      const headers = headersFor(message, topic, token)
      const result =
        known ?? (await attempt(pool, { path: addresses[environment].prefix + path, headers, body: message.body }))
      known = undefined
      if ('outcome' in result) return result.outcome
      const word = result.reply.status === 403 ? reasonOf(result.reply) : ''
      if (word === 'ExpiredProviderToken' && tokens && token && !renewed && tokens.renew(token, now())) {
        renewed = true
      } else if (word === 'UnrelatedKeyIdInToken' && !moved) {
        moved = true
        replacePool(environment, pool)
      } else {
        return readApnsReply(result.reply, now())
      }
    }
  }

  function wantedEnvironment(recipient: PushRecipient): Environment {
    const wanted = facts.mode === 'sandbox' || recipient.environment === 'sandbox' ? 'sandbox' : 'production'
    const impossible = facts.environments.length > 0 && !facts.environments.includes(wanted)
    return impossible ? otherThan(wanted) : wanted
  }

  const topicOf = (recipient: PushRecipient) => recipient.topic || facts.topic || ''

  /** The outcome of a recipient to whom nothing can be sent. */
  function refusalOf(recipient: PushRecipient): Outcome | undefined {
    // Checked here because the token becomes part of the path.
    if (!HEX.test(recipient.token)) return NOT_HEX
    return topicOf(recipient) === '' && tokens ? NO_TOPIC : undefined
  }

  async function send(prepared: Prepared, recipient: PushRecipient): Promise<Outcome> {
    const message = prepared as PreparedApns
    return message.refusal ?? refusalOf(recipient) ?? sendTo(message, recipient)
  }

  async function sendTo(message: PreparedApns, recipient: PushRecipient, known?: FirstAttempt): Promise<Outcome> {
    const path = pathOf(recipient)
    const topic = topicOf(recipient)
    const environment = wantedEnvironment(recipient)
    const first = judgeTopic(await post(environment, message, path, topic, known), recipient, facts)
    const other = otherThan(environment)
    if (!isOtherWorld(first) || !facts.environments.includes(other)) return first
    return preferOutcome(first, await post(other, message, path, topic), other)
  }

  /** Opens the recipients of a page whose tokens belong to one environment. */
  function openPage(
    environment: Environment,
    message: PreparedApns,
    recipients: PushRecipients,
    done: OnOutcome,
  ): Page | Outcome {
    const pool = poolOf(environment)
    if (pool instanceof Error) return { kind: 'config_error', reason: pool.message }
    const token = tokens?.current(now())
    const { prefix } = addresses[environment]
    const messageOf = (index: number) => (recipients.messageFor?.(index) as PreparedApns | undefined) ?? message
    return new Page(
      pool,
      {
        headers: (index) => headersFor(messageOf(index), topicOf(recipients.at(index)!), token),
        path: (index) => prefix + pathOf(recipients.at(index)!),
        writeBody(index, out) {
          const { body } = messageOf(index)
          out.reserve(body.length)
          out.copy(body)
        },
        read(index, reply) {
          const recipient = recipients.at(index)!
          if (reply.status !== 403) {
            const outcome = judgeTopic(readApnsReply(reply, now()), recipient, facts)
            if (!isOtherWorld(outcome)) return toShared(outcome)
          }
          return sendTo(messageOf(index), recipient, { reply, pool, token }).then(toShared)
        },
      },
      done,
    )
  }

  function sendAll(prepared: Prepared, recipients: PushRecipients, from: number, to: number, done: OnOutcome): void {
    const message = prepared as PreparedApns
    const refusal = message.refusal ?? (closed ? CLOSED : undefined)
    if (refusal) return settleAll(from, to, refusal, done)
    const pages: Partial<Record<Environment, Page | Outcome>> = {}
    for (let index = from; index < to; index++) {
      const recipient = recipients.at(index)!
      const environment = wantedEnvironment(recipient)
      const way = refusalOf(recipient) ?? (pages[environment] ??= openPage(environment, message, recipients, done))
      if (way instanceof Page) way.send(index)
      else settleAll(index, index + 1, way, done)
    }
  }

  return {
    prepare: prepareApns,
    prepareMany: (messageOf, count) =>
      prepareRequests(messageOf, count, {
        payloadOf: ({ content }) => buildApnsPayload(content),
        headersOf: buildApnsHeaders,
      }),
    send,
    ownMessages: true,
    sendAll,
    async warm() {
      if (closed) return
      tokens?.current(now())
      const pool = poolOf(facts.mode)
      if (!(pool instanceof Error)) await pool.warm()
    },
    async probe() {
      const message = prepareBody(Buffer.from('{"aps":{"content-available":1}}'), {
        'apns-push-type': 'background',
        'apns-priority': '5',
        'apns-expiration': '0',
      })
      const outcome = await post(facts.mode, message, '/3/device/00', facts.topic ?? '')
      return [judgeApnsProbe(outcome, facts.mode), ...inspectApns(facts, now())]
    },
    async close() {
      closed = true
      await Promise.all([...pools.values()].map((pool) => pool.close()))
    },
  }
}

const pathOf = ({ token }: PushRecipient) => `/3/device/${token.toLowerCase()}`

const HEX = /^[0-9a-f]+$/i

const CLOSED: Outcome = { kind: 'gateway_down', reason: 'this sender was closed' }

const NOT_HEX: Outcome = { kind: 'token_suspect', reason: 'BadDeviceToken (not hexadecimal)' }

const NO_TOPIC: Outcome = {
  kind: 'payload_error',
  reason: 'MissingTopic: the install reported no bundle id and the credential names no topic',
  everyone: false,
}

function prepareApns(message: PushMessage): Prepared {
  return prepareRequest(buildApnsPayload(message.content), buildApnsHeaders(message))
}

/**
 * The constant parts of a push to any device that APNs reaches, for the sender of `openApns`. A message that no device
 * can get, or that exceeds the size limit of APNs, is refused without being sent.
 */
export function prepareRequest(payload: object, headers: Record<string, string>, refusal?: Outcome): Prepared {
  const body = Buffer.from(JSON.stringify(payload))
  const prepared = prepareBody(body, headers)
  if (refusal) return { ...prepared, refusal }
  if (body.length <= APNS.payloadBytes) return prepared
  const reason = `PayloadTooLarge: ${body.length} bytes, the limit is ${APNS.payloadBytes}`
  return { ...prepared, refusal: { kind: 'payload_error', reason, everyone: true } }
}

/** The requests of one gateway to Apple. */
interface Requests {
  payloadOf(message: PushMessage): object
  /** The texts of a message do not matter to its headers. */
  headersOf(message: PushMessage): Record<string, string>
  /** The outcome for everybody when nobody can get a message, whatever its texts are. */
  refusalOf?(message: PushMessage): Outcome | undefined
}

/** `prepareMany` of a sender to Apple. */
export function prepareRequests(
  messageOf: (texts: readonly string[]) => PushMessage,
  count: number,
  { payloadOf, headersOf, refusalOf }: Requests,
): PreparedMany | undefined {
  const any = messageOf(Array.from({ length: count }, () => '.'))
  const stencil = refusalOf?.(any)
    ? undefined
    : stencilOf((texts) => JSON.stringify(payloadOf(messageOf(texts))), count)
  if (!stencil) return undefined
  const same = prepareBody(NO_BODY, headersOf(any))
  return {
    mostBytes: stencil.mostBytes,
    write: (texts, bytes, at) => stencil.write(texts, APNS.payloadBytes, bytes, at),
    from: (bytes, from, to) => ({ ...same, body: bytes.subarray(from, to) }),
  }
}

const NO_BODY = Buffer.alloc(0)

function prepareBody(body: Buffer, headers: Record<string, string>): PreparedApns {
  return { brand: 'prepared', body, headers, byTopic: new Map() }
}

/** Max topics of one message whose headers are cached. An app has a handful; more means that devices invent topics. */
const MAX_TOPICS = 64

function headersFor(message: PreparedApns, topic: string, token: string | undefined): Record<string, string> {
  const known = message.byTopic.get(topic)
  if (known && known.token === token) return known.headers
  const headers = {
    ...(token !== undefined && { authorization: `bearer ${token}` }),
    ...(topic !== '' && { 'apns-topic': topic }),
    ...message.headers,
  }
  if (message.byTopic.size >= MAX_TOPICS) message.byTopic.clear()
  message.byTopic.set(topic, { headers, token })
  return headers
}

function otherThan(environment: Environment): Environment {
  return environment === 'production' ? 'sandbox' : 'production'
}

/**
 * A topic that only the device claims must not stop the whole lane: anybody with the app's public key could register
 * one. If many devices are refused, the refusal limit stops the lane.
 */
function judgeTopic(outcome: Outcome, recipient: PushRecipient, facts: ApnsFacts): Outcome {
  if (outcome.kind !== 'config_error' || !/^(?:BadTopic|TopicDisallowed)$/.test(outcome.reason)) return outcome
  const claimed = recipient.topic && recipient.topic !== facts.topic && !facts.topics.includes(recipient.topic)
  return claimed ? { kind: 'token_suspect', reason: `${outcome.reason} (${recipient.topic})` } : outcome
}

/** Tells whether the token (or the key) belongs to Apple's other environment. */
function isOtherWorld(outcome: Outcome): boolean {
  return 'reason' in outcome && /^(?:BadDeviceToken|BadEnvironmentKey(?:Id)?InToken)$/.test(outcome.reason)
}

/**
 * The outcome to use: that of the environment that knew the device. A failure of the other (down, refused, throttled)
 * says nothing about this device, so the first answer stands, except when the message may have arrived.
 */
function preferOutcome(first: Outcome, second: Outcome, environment: Environment): Outcome {
  if (second.kind === 'accepted') return { ...second, environment }
  const knewIt = second.kind === 'token_dead' || second.kind === 'throttled_recipient' || second.kind === 'uncertain'
  return knewIt ? second : first
}
