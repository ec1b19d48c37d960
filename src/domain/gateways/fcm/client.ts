import { type SendHttp, sendHttp as sendRealHttp } from '../../../platform/http.ts'
import { openPool as openRealPool } from '../../../platform/http2/pool.ts'
import type { Http2Pool, OpenPool } from '../../../platform/http2/types.ts'
import type { GatewaySettings, Outcome, Prepared, PushMessage, PushRecipient, Sender } from '../gateway.ts'
import { warningsOf } from '../probe/findings.ts'
import { attempt, splitAddress, tryOpenPool } from '../send/attempt.ts'
import type { FcmFacts, FcmSecret } from './credentials.ts'
import { FCM } from './limits.ts'
import { createAccessTokens } from './oauth.ts'
import { isTokenRefused, readFcmReply } from './outcome.ts'
import { buildFcmMessage, CONTENT, type FcmMessage, sizeOfData } from './payload.ts'
import { judgeFcmProbe } from './probe.ts'

interface PreparedFcm extends Prepared {
  /** The message's JSON after its `"token":"..."`. */
  rest: string
  /** Set when no recipient can get this message. */
  refusal?: Outcome
}

/** A sender for one service account. Tests replace `tools`. */
export function openFcm(
  credential: { secret: FcmSecret; facts: FcmFacts },
  settings: GatewaySettings,
  now: () => number,
  tools: { openPool?: OpenPool; sendHttp?: SendHttp } = {},
): Sender {
  const account = credential.secret.serviceAccount
  if (!account) return unusableSender(credential.facts)
  const { openPool = settings.openPool ?? openRealPool, sendHttp = sendRealHttp } = tools
  const tokens = createAccessTokens(account, { tokenUrl: settings.fcmTokenUrl!, ca: settings.ca, now, sendHttp })
  const { origin, prefix } = splitAddress(settings.fcmUrl!)
  const path = `${prefix}/v1/projects/${encodeURIComponent(account.projectId)}/messages:send`
  let pool: Http2Pool | undefined
  let closed = false
  let headers: { token: string; set: Record<string, string> } | undefined

  /** Reusing one object while the token is valid keeps sending cheap. */
  function headersFor(token: string): Record<string, string> {
    if (headers?.token !== token) headers = { token, set: { ...CONTENT, authorization: `Bearer ${token}` } }
    return headers.set
  }

  async function post(body: Buffer): Promise<Outcome> {
    for (let renewed = false; ; renewed = true) {
      const access = await tokens.current()
      if ('outcome' in access) return access.outcome
      if (closed) return { kind: 'gateway_down', reason: 'this sender was closed' }
      const opened = pool ?? tryOpenPool(openPool, { origin, ca: settings.ca, maxStreams: FCM.streamsPerSession })
      if (opened instanceof Error) return { kind: 'config_error', reason: opened.message }
      pool = opened
      const result = await attempt(opened, { path, headers: headersFor(access.token), body })
      if ('outcome' in result) return result.outcome
      if (renewed || !isTokenRefused(result.reply)) return readFcmReply(result.reply, now())
      tokens.forget(access.token)
    }
  }

  return {
    prepare: (message) => prepareFcm(message, now()),
    async send(prepared: Prepared, recipient: PushRecipient) {
      const { refusal, rest } = prepared as PreparedFcm
      if (refusal) return refusal
      return post(Buffer.from(`{"message":{"token":${JSON.stringify(recipient.token)},${rest}}}`))
    },
    async probe() {
      const message = { token: 'appsvc-probe', data: { probe: '1' } }
      const outcome = await post(Buffer.from(JSON.stringify({ validate_only: true, message })))
      return [judgeFcmProbe(outcome, account.projectId), ...warningsOf(credential.facts)]
    },
    async close() {
      closed = true
      await pool?.close()
    },
  }
}

function prepareFcm(message: PushMessage, now: number): PreparedFcm {
  const built: FcmMessage = buildFcmMessage(message, now)
  const rest = JSON.stringify(built).slice(1, -1)
  const size = sizeOfData(built)
  if (size <= FCM.payloadBytes) return { brand: 'prepared', rest }
  const reason = `INVALID_ARGUMENT: the data has ${size} bytes, the limit is ${FCM.payloadBytes}`
  return { brand: 'prepared', rest, refusal: { kind: 'payload_error', reason, everyone: true } }
}

/** For a legacy server key alone: sends nothing. */
function unusableSender(facts: FcmFacts): Sender {
  const reason = facts.warnings[0] ?? 'there is no service account'
  return {
    prepare: (message) => prepareFcm(message, 0),
    send: async () => ({ kind: 'config_error', reason }),
    probe: async () => [{ level: 'error', what: reason, remedy: 'set a service account: see docs/gateways/fcm.md' }],
    close: async () => {},
  }
}
