import { messageOf } from '../../../platform/errors.ts'
import { causedBy, type OpenPool } from '../../../platform/http2/types.ts'
import { HttpFailure } from '../../../platform/net/http-exchange.ts'
import { mayBePrivate, type SendOutbound } from '../../../platform/net/outbound.ts'
import { isSilent } from '../apns/payload.ts'
import type { GatewaySettings, Outcome, Prepared, PushMessage, PushRecipient, Sender } from '../gateway.ts'
import { attempt } from '../send/attempt.ts'
import { sendEach } from '../send/send-each.ts'
import { buildDeclarative } from './declarative.ts'
import { discoveryOf } from './discovery.ts'
import { encryptPush, MAX_TEXT_BYTES } from './encrypt.ts'
import { createEndpointWaits } from './endpoint-waits.ts'
import type { WebFacts, WebSecret } from './key-ring.ts'
import { WEB } from './limits.ts'
import { noKeyFits, readWebReply, type WebReading } from './outcome.ts'
import { buildWebHeaders, buildWebPayload, hasNothingToShow } from './payload.ts'
import { inspectWeb } from './probe.ts'
import { isExtraHost, isKnownService, needsDiscovery } from './push-hosts.ts'
import { createPushServices } from './push-services.ts'
import type { ServiceHealth } from './service-health.ts'
import { dead, readSubscription, type Subscription } from './subscription.ts'
import { vapidTokens } from './vapid.ts'
import type { VapidKey } from './vapid-keys.ts'

interface PreparedWeb extends Prepared {
  text: Buffer
  /** Makes the text for clients that read declarative pushes, once: `text` itself where it leaves no room for more. */
  declarative(): Buffer
  headers: Record<string, string>
  /** Set when no recipient can get this message. */
  refusal?: Outcome
  /** Set when no browser can. */
  refusalInBrowsers?: Outcome
  /** Complete headers by authorization. Reusing one object for all recipients keeps sending cheap. */
  complete: Map<string, Record<string, string>>
}

/** Max in-flight requests to all unknown services that have not accepted anything recently. */
const MAX_TO_STRANGERS = 40
/**
 * Max in-flight requests to one service that browsers do not ship with, while it has not accepted anything recently. Half of what
 * a lane has in flight then, so that a service that hangs leaves room for the others.
 */
const MAX_TO_UNPROVEN = 10
const STRANGER_WAIT_MS = 2000
/**
 * Max header sets cached for one message. A broadcast reaches a few push services; more means that devices invent them.
 */
const MAX_HEADER_SETS = 256

/** A sender for one app: a pool for each push service, opened on first use. `openPool` and `sendHttp` are replaced in tests only. */
export function openWeb(
  credential: { secret: WebSecret; facts: WebFacts },
  settings: Pick<GatewaySettings, 'ca' | 'allowPrivate' | 'pushHosts'>,
  now: () => number,
  { openPool, sendHttp }: { openPool?: OpenPool; sendHttp?: SendOutbound } = {},
): Sender {
  const { keys, subject } = credential.secret
  const { allowPrivate, ca, pushHosts } = settings
  const services = createPushServices({ ca, allowPrivate, now, openPool })
  const tokens = vapidTokens(subject)
  const waits = createEndpointWaits()
  const discovery = pushHosts?.unifiedPush && discoveryOf(pushHosts, { ca, allowPrivate, now, sendHttp })
  let strangers = 0
  let closed = false

  /** A stranger's host is neither one that browsers ship with nor one that the operator named. */
  function isStranger({ hostname, origin }: Subscription): boolean {
    const isNamed = Array.isArray(allowPrivate) && mayBePrivate(allowPrivate, origin)
    return !isKnownService(hostname) && !isNamed && !(pushHosts && isExtraHost(hostname, pushHosts))
  }

  async function post(to: Subscription, message: PreparedWeb, key: VapidKey, body: Buffer): Promise<WebReading> {
    if (closed) return CLOSED
    const pool = services.poolOf(to.origin, isStranger(to))
    if (!pool) return { ...CROWDED }
    if (pool instanceof Error) return { kind: 'config_error', reason: pool.message }
    const headers = headersFor(message, tokens.header(key, to.origin, now()))
    const result = await attempt(pool, { path: to.path, headers, body })
    if ('reply' in result) return readWebReply(result.reply, to.hostname, now())
    return localOutcome(result.outcome, result.error)
  }

  /** Tries the key that the subscription was probably made with, then the others if the push service rejects it. */
  async function postWithRing(to: Subscription, message: PreparedWeb, recipient: PushRecipient): Promise<Outcome> {
    let body: Buffer
    try {
      body = encryptPush(to.isDeclarative ? message.declarative() : message.text, to)
    } catch {
      return dead('the key of the subscription is not a point of P-256: the browser has to subscribe again')
    }
    const [likely, ...others] = byLikelihood(keys, recipient)
    const first = await post(to, message, likely!, body)
    if (first.kind !== 'other_key') return first
    for (const key of others.slice(0, WEB.otherKeys)) {
      const next = await post(to, message, key, body)
      if (next.kind === 'accepted') return { ...next, environment: `vapid:${key.id}` }
      if (next.kind !== 'other_key') return next
    }
    return noKeyFits(first.reason, to.hostname)
  }

  /** Asks an unknown host first whether it is a push service, if only such hosts are accepted. */
  async function discoverAndPost(to: Subscription, message: PreparedWeb, recipient: PushRecipient): Promise<Outcome> {
    const isKnown = !discovery || !needsDiscovery(to, pushHosts, allowPrivate)
    const refusal = isKnown || discovery.find(to) === 'accepted' ? undefined : await discovery.ask(to)
    if (refusal) return refusal
    const outcome = await postWithRing(to, message, recipient)
    if (outcome.kind === 'accepted') waits.accepted(recipient.token)
    const isOfEndpoint = outcome.kind === 'throttled_gateway' && outcome.local === 'recipient'
    return isOfEndpoint ? waits.throttled(recipient.token, outcome, now()) : outcome
  }

  /** The outcome of a push that is not sent now, without a request; undefined if it may be. */
  function whyNot(to: Subscription, { token }: PushRecipient): Outcome | undefined {
    const wait = waits.find(token, now())
    if (wait) return wait
    if (!discovery || !needsDiscovery(to, pushHosts, allowPrivate)) return undefined
    const found = discovery.find(to)
    return typeof found === 'string' ? undefined : found
  }

  /** The outcome of a push for which too much is in flight already to services that have not proven that they work. */
  function crowd(isUnknown: boolean, { inFlight }: ServiceHealth): Outcome | undefined {
    if (isUnknown && strangers >= MAX_TO_STRANGERS) return { ...CROWDED }
    if (inFlight < MAX_TO_UNPROVEN) return undefined
    return { ...CROWDED, reason: 'the push service has accepted nothing yet' }
  }

  async function send(prepared: Prepared, recipient: PushRecipient): Promise<Outcome> {
    const message = prepared as PreparedWeb
    const refusal = message.refusal ?? (recipient.isApp ? undefined : message.refusalInBrowsers)
    if (refusal) return refusal
    const to = readSubscription(recipient, { allowPrivate, pushHosts, now: now() })
    if ('kind' in to) return to
    const known = whyNot(to, recipient)
    if (known) return known
    const health = services.healthOf(to.origin)
    const isUnproven = !isKnownService(to.hostname) && !health.isProven(now())
    const isUnknown = isUnproven && isStranger(to)
    const wait = (isUnproven ? crowd(isUnknown, health) : undefined) ?? health.begin(now())
    if (wait) return wait
    const request = { endpoint: recipient.token, number: health.begun }
    if (isUnknown) strangers++
    let outcome: Outcome = { kind: 'uncertain', reason: 'internal error of the sender' }
    try {
      outcome = await discoverAndPost(to, message, recipient)
      return outcome
    } catch (error) {
      outcome = { kind: 'uncertain', reason: messageOf(error) }
      return outcome
    } finally {
      if (isUnknown) strangers--
      health.ended(outcome, now(), request)
    }
  }

  return {
    prepare: (message) => prepareWeb(message, credential.facts.iconUrl, now()),
    send,
    sendAll: sendEach(send),
    // Which push services it will need is known only from the recipients.
    warm: async () => {},
    probe: async () => inspectWeb(credential.secret, credential.facts),
    async close() {
      closed = true
      await services.close()
    },
  }
}

/** A newer sender has the current credential, so this outcome says nothing about the lane. */
const CLOSED: Outcome = { kind: 'gateway_down', reason: 'this sender was closed', afterMs: 0, local: true }

const CROWDED = {
  kind: 'gateway_down',
  reason: 'too many unknown push services at once',
  afterMs: STRANGER_WAIT_MS,
  local: true,
} satisfies Outcome

function prepareWeb(message: PushMessage, iconUrl: string | undefined, now: number): PreparedWeb {
  const encode = (payload: object) => Buffer.from(JSON.stringify(payload))
  const whole = encode(buildWebPayload(message.content, iconUrl))
  // Send without the icon rather than not at all: callers cannot check the size with the icon.
  const text = whole.length > MAX_TEXT_BYTES ? encode(buildWebPayload(message.content, undefined)) : whole
  let declarative: Buffer | undefined
  const declarativeOrPlain = () => {
    const larger = encode(buildDeclarative(message.content, iconUrl))
    return larger.length > MAX_TEXT_BYTES ? text : larger
  }
  const prepared: PreparedWeb = {
    brand: 'prepared',
    text,
    declarative: () => (declarative ??= declarativeOrPlain()),
    headers: buildWebHeaders(message, now),
    complete: new Map(),
  }
  const tooLong = tooLarge(text.length)
  if (tooLong) prepared.refusal = { kind: 'payload_error', reason: tooLong, everyone: true }
  if (isSilent(message.content) || hasNothingToShow(message.content)) {
    prepared.refusalInBrowsers = { kind: 'payload_error', reason: NOTHING_TO_SHOW, everyone: false }
  }
  return prepared
}

const NOTHING_TO_SHOW = 'browsers show every push, and this one has no title and no message'

function tooLarge(bytes: number): string | undefined {
  return bytes > MAX_TEXT_BYTES ? `the payload has ${bytes} bytes, the limit is ${MAX_TEXT_BYTES}` : undefined
}

function headersFor(message: PreparedWeb, authorization: string): Record<string, string> {
  let headers = message.complete.get(authorization)
  if (!headers) {
    headers = { ...message.headers, authorization }
    if (message.complete.size >= MAX_HEADER_SETS) message.complete.clear()
    message.complete.set(authorization, headers)
  }
  return headers
}

/**
 * The keys in the order in which they are tried: the one that worked before; else the one that was current when the
 * browser subscribed; then the others, current first.
 */
export function byLikelihood(
  keys: readonly VapidKey[],
  { environment, registeredAt }: Partial<PushRecipient>,
): VapidKey[] {
  const remembered = keys.find(({ id }) => environment === `vapid:${id}`)
  const before = keys.filter(({ createdAt }) => registeredAt !== undefined && createdAt <= registeredAt)
  const atThatTime = before.sort((a, b) => b.createdAt - a.createdAt)[0]
  const likely = remembered ?? atThatTime ?? keys[0]!
  return [likely, ...keys.filter((key) => key !== likely)]
}

/** An unreachable push service says nothing about the others. A refused address is never tried again. */
function localOutcome(outcome: Outcome, error: unknown): Outcome {
  if (causedBy(error, HttpFailure)?.kind === 'refused')
    return dead(`refused: ${messageOf(causedBy(error, HttpFailure))}`)
  switch (outcome.kind) {
    case 'gateway_down':
    case 'throttled_gateway':
      return { ...outcome, local: true }
    // The service's certificate is wrong, not ours.
    case 'config_error':
      return { kind: 'gateway_down', reason: outcome.reason, local: true }
  }
  return outcome
}
