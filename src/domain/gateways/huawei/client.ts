import { messageOf } from '../../../platform/errors.ts'
import {
  type Connections,
  keepConnections,
  type SendHttp,
  sendHttp as sendRealHttp,
} from '../../../platform/net/http.ts'
import { HttpFailure } from '../../../platform/net/http-exchange.ts'
import type { Finding, GatewaySettings, Outcome, Prepared, PushMessage, PushRecipient, Sender } from '../gateway.ts'
import { warningsOf } from '../probe/findings.ts'
import { settleAll } from '../send/page.ts'
import { toShared } from '../send/send-each.ts'
import { createBatches } from './batches.ts'
import type { HcmFacts, HcmSecret } from './credentials.ts'
import { HCM } from './limits.ts'
import { createHcmTokens } from './oauth.ts'
import { type HcmAnswer, REFUSED_TOKEN, readHcmReply } from './outcome.ts'
import { buildHcmMessage, CONTENT, type HcmMessage, hcmBody, sizeOfHcm } from './payload.ts'
import { judgeHcmProbe, NO_HIGH_PRIORITY } from './probe.ts'

interface PreparedHcm extends Prepared {
  message: HcmMessage
  validateOnly?: true
  /** Set when no recipient can get this message. */
  refusal?: Outcome
}

/**
 * A sender for one app. Recipients requested together share a request, up to a thousand in one. Tests replace `tools`.
 */
export function openHcm(
  { secret, facts }: { secret: HcmSecret; facts: HcmFacts },
  settings: GatewaySettings,
  now: () => number,
  tools: { sendHttp?: SendHttp } = {},
): Sender {
  const { sendHttp = sendRealHttp } = tools
  const { ca, warn = () => {} } = settings
  const access = createHcmTokens(secret, { tokenUrl: settings.hcmTokenUrl!, ca, now, sendHttp })
  const url = sendAddress(settings.hcmUrl!, secret.appId)
  const batches = createBatches<PreparedHcm, Outcome>(HCM.tokensPerRequest, deliver)
  let connections: Connections | undefined
  let closed = false
  /** Until this time, messages are sent with NORMAL priority, because the app may not use HIGH. */
  let normalUntil = Number.NEGATIVE_INFINITY

  /** Sends one request. The answer covers all `tokens`. */
  async function post(body: string, accessToken: string, tokens: readonly string[]): Promise<HcmAnswer> {
    try {
      connections ??= keepConnections({ ca, max: HCM.connections })
      const headers = { ...CONTENT, authorization: `Bearer ${accessToken}` }
      const reply = await sendHttp({ method: 'POST', url, headers, body, connections, largestReply: HCM.replyBytes })
      return readHcmReply(reply, tokens, now())
    } catch (error) {
      return { outcome: outcomeOfFailure(error) }
    }
  }

  /** The outcome of every token. Does not resend to a recipient who may have received the message. */
  async function deliver(prepared: PreparedHcm, tokens: readonly string[]): Promise<Map<string, Outcome>> {
    const all = (outcome: Outcome) => new Map(tokens.map((token) => [token, outcome]))
    for (let renewed = false; ; ) {
      const granted = await access.current()
      if ('outcome' in granted) return all(granted.outcome)
      if (closed) return all({ kind: 'gateway_down', reason: 'this sender was closed' })
      const message = asAllowed(prepared.message)
      const body = hcmBody(message, tokens, prepared.validateOnly)
      const { outcome, refused, again } = await post(body, granted.token, tokens)
      if (again === 'token' && !renewed) {
        access.forget(granted.token)
        renewed = true
      } else if (again === 'normal' && message.android.urgency === 'HIGH') {
        if (now() >= normalUntil)
          warn(`Huawei app ${secret.appId}: ${NO_HIGH_PRIORITY.what}; ${NO_HIGH_PRIORITY.remedy}`)
        normalUntil = now() + HCM.normalOnlyMs
      } else if (again === 'halves' && tokens.length > 1) return deliverHalves(prepared, tokens)
      else return refused?.size ? splitOutcomes(tokens, refused, outcome) : all(outcome)
    }
  }

  /**
   * Huawei also says "too many tokens" about a malformed message. Then a single token fails too, and the rest is not
   * tried.
   */
  async function deliverHalves(prepared: PreparedHcm, tokens: readonly string[]): Promise<Map<string, Outcome>> {
    const middle = Math.ceil(tokens.length / 2)
    const first = await deliver(prepared, tokens.slice(0, middle))
    const hopeless = first
      .values()
      .find((one) => one.kind === 'payload_error' && (one.everyone || one.reason.startsWith('80300010')))
    const rest = tokens.slice(middle)
    const second = hopeless ? rest.map((token) => [token, hopeless] as const) : await deliver(prepared, rest)
    return new Map([...first, ...second])
  }

  function asAllowed(message: HcmMessage): HcmMessage {
    if (message.android.urgency === 'NORMAL' || now() >= normalUntil) return message
    return { ...message, android: { ...message.android, urgency: 'NORMAL' } }
  }

  async function send(prepared: Prepared, { token }: PushRecipient): Promise<Outcome> {
    const { refusal } = prepared as PreparedHcm
    return refusal ?? batches.ask(prepared as PreparedHcm, token)
  }

  return {
    prepare: (message) => prepareHcm(message, now()),
    send,
    sendAll(prepared, recipients, from, to, done) {
      const { refusal } = prepared as PreparedHcm
      if (refusal) return settleAll(from, to, refusal, done)
      for (let start = from; start < to; start += HCM.tokensPerRequest) {
        const length = Math.min(HCM.tokensPerRequest, to - start)
        const tokens = Array.from({ length }, (_, i) => recipients.at(start + i)!.token)
        batches.askTogether(prepared as PreparedHcm, tokens, (outcomes) => {
          tokens.forEach((token, i) => done(start + i, toShared(outcomes.get(token)!)))
        })
      }
    },
    async warm() {
      if (!closed) await access.current()
    },
    async probe() {
      const android = { urgency: 'HIGH', ttl: '60s', bi_tag: 'probe' } as const
      const prepared: PreparedHcm = {
        brand: 'prepared',
        message: { data: '{"probe":"1"}', android },
        validateOnly: true,
      }
      const outcome = (await deliver(prepared, ['appsvc-probe'])).get('appsvc-probe')!
      const findings: Finding[] = [judgeHcmProbe(outcome, facts.appId)]
      if (now() < normalUntil) findings.push(NO_HIGH_PRIORITY)
      return [...findings, ...warningsOf(facts)]
    },
    async close() {
      closed = true
      await batches.settled()
      connections?.close()
    },
  }
}

function prepareHcm(message: PushMessage, now: number): PreparedHcm {
  const built = buildHcmMessage(message, now)
  const size = sizeOfHcm(built)
  if (size <= HCM.payloadBytes) return { brand: 'prepared', message: built }
  const reason = `80300008: the body has ${size} bytes, the limit is ${HCM.payloadBytes}`
  return { brand: 'prepared', message: built, refusal: { kind: 'payload_error', reason, everyone: true } }
}

function splitOutcomes(
  tokens: readonly string[],
  refused: ReadonlySet<string>,
  outcome: Outcome,
): Map<string, Outcome> {
  return new Map(tokens.map((token) => [token, refused.has(token) ? REFUSED_TOKEN : outcome]))
}

/** The v1 address of an app. A path in the configured address stays in front. */
function sendAddress(configured: string, appId: string): string {
  return `${configured.replace(/\/+$/, '')}/v1/${encodeURIComponent(appId)}/messages:send`
}

/** The outcome of a request without a reply, for all its recipients. */
function outcomeOfFailure(error: unknown): Outcome {
  const reason = messageOf(error)
  // Any other error is a bug of ours, after which it is unknown whether the request was sent.
  const kind = error instanceof HttpFailure ? error.kind : 'uncertain'
  if (kind === 'unreachable' || kind === 'unknown_host') return { kind: 'gateway_down', reason }
  return { kind: kind === 'untrusted' ? 'config_error' : 'uncertain', reason }
}
