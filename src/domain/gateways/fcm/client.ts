import { ByteWriter } from '../../../platform/http2/byte-writer.ts'
import { openPool as openRealPool } from '../../../platform/http2/pool.ts'
import type { Http2Pool, OpenPool } from '../../../platform/http2/types.ts'
import { stencilOf } from '../../../platform/json/stencil.ts'
import { type SendHttp, sendHttp as sendRealHttp } from '../../../platform/net/http.ts'
import type {
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
import { warningsOf } from '../probe/findings.ts'
import { attempt, splitAddress, tryOpenPool } from '../send/attempt.ts'
import { Page, type PageRequests, settleAll } from '../send/page.ts'
import { sendEach, toShared } from '../send/send-each.ts'
import type { FcmFacts, FcmSecret } from './credentials.ts'
import { FCM } from './limits.ts'
import { createAccessTokens } from './oauth.ts'
import { isTokenRefused, readFcmReply } from './outcome.ts'
import { buildFcmMessage, CONTENT, type FcmMessage, sizeOfData } from './payload.ts'
import { judgeFcmProbe } from './probe.ts'

interface PreparedFcm extends Prepared {
  /** The body is `HEAD`, the recipient's token as a JSON string, then `bytes[from..to)`. */
  bytes: Buffer
  from: number
  to: number
  /** Set when no recipient can get this message. */
  refusal?: Outcome
}

const HEAD = Buffer.from('{"message":{"token":')
const PLAIN = /^[\w:.-]*$/
const QUOTE = 0x22
const CLOSED: Outcome = { kind: 'gateway_down', reason: 'this sender was closed' }

/** A sender for one service account. Tests replace `tools`. */
export function openFcm(
  credential: { secret: FcmSecret; facts: FcmFacts },
  settings: GatewaySettings,
  now: () => number,
  tools: { openPool?: OpenPool; sendHttp?: SendHttp } = {},
): Sender {
  const account = credential.secret.serviceAccount
  if (!account) return unusableSender(credential.facts)
  const { openPool = openRealPool, sendHttp = sendRealHttp } = tools
  const tokens = createAccessTokens(account, { tokenUrl: settings.fcmTokenUrl!, ca: settings.ca, now, sendHttp })
  const { origin, prefix } = splitAddress(settings.fcmUrl!)
  const path = `${prefix}/v1/projects/${encodeURIComponent(account.projectId)}/messages:send`
  // Nobody else writes headers on these connections, so the peer's table may keep the access token. Sent with each push,
  // it would be the larger half of it.
  const poolOptions = { origin, ca: settings.ca, maxStreams: FCM.streamsPerSession, neverIndexed: [] }
  let pool: Http2Pool | undefined
  let closed = false
  let headers: { token: string; set: Record<string, string> } | undefined

  /** Headers for a token. Reusing one object while the token is valid keeps sending cheap. */
  function headersFor(token: string): Record<string, string> {
    if (headers?.token !== token) headers = { token, set: { ...CONTENT, authorization: `Bearer ${token}` } }
    return headers.set
  }

  function openPoolOnce(): Http2Pool | Error {
    const opened = pool ?? tryOpenPool(openPool, poolOptions)
    if (!(opened instanceof Error)) pool = opened
    return opened
  }

  /** `renewed`: the access token was refused and replaced already. */
  async function post(body: Buffer, renewed = false): Promise<Outcome> {
    for (; ; renewed = true) {
      const access = await tokens.current()
      if ('outcome' in access) return access.outcome
      if (closed) return CLOSED
      const opened = openPoolOnce()
      if (opened instanceof Error) return { kind: 'config_error', reason: opened.message }
      const result = await attempt(opened, { path, headers: headersFor(access.token), body })
      if ('outcome' in result) return result.outcome
      if (renewed || !isTokenRefused(result.reply)) return readFcmReply(result.reply, now())
      tokens.forget(access.token)
    }
  }

  async function send(prepared: Prepared, recipient: PushRecipient): Promise<Outcome> {
    const message = prepared as PreparedFcm
    return message.refusal ?? post(bodyOf(message, recipient))
  }

  async function sendPage(
    message: PreparedFcm,
    recipients: PushRecipients,
    { from, to, done }: { from: number; to: number; done: OnOutcome },
  ): Promise<void> {
    const access = await tokens.current()
    if ('outcome' in access) return settleAll(from, to, access.outcome, done)
    if (closed) return settleAll(from, to, CLOSED, done)
    const opened = openPoolOnce()
    if (opened instanceof Error) return settleAll(from, to, { kind: 'config_error', reason: opened.message }, done)
    const headers = headersFor(access.token)
    const messageOf = (index: number) => (recipients.messageFor?.(index) as PreparedFcm | undefined) ?? message
    const requests: PageRequests = {
      headers: () => headers,
      path: () => path,
      writeBody: (index, out) => writeBody(messageOf(index), recipients.at(index)!, out),
      read(index, reply) {
        if (!isTokenRefused(reply)) return toShared(readFcmReply(reply, now()))
        tokens.forget(access.token)
        return post(bodyOf(messageOf(index), recipients.at(index)!), true).then(toShared)
      },
    }
    const page = new Page(opened, requests, done)
    for (let index = from; index < to; index++) page.send(index)
  }

  return {
    prepare: (message) => prepareFcm(message, now()),
    prepareMany: (messageOf, count) => prepareManyFcm(messageOf, count, now()),
    send,
    ownMessages: true,
    sendAll(prepared, recipients, from, to, done) {
      const message = prepared as PreparedFcm
      if (message.refusal) return settleAll(from, to, message.refusal, done)
      void sendPage(message, recipients, { from, to, done })
    },
    async warm() {
      if (closed) return
      const opened = openPoolOnce()
      await Promise.all([tokens.current(), opened instanceof Error ? undefined : opened.warm()])
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

const tailOf = (built: FcmMessage) => `,${JSON.stringify(built).slice(1, -1)}}}`

const preparedOf = (bytes: Buffer, from: number, to: number): PreparedFcm => ({ brand: 'prepared', bytes, from, to })

function prepareFcm(message: PushMessage, now: number): PreparedFcm {
  const built: FcmMessage = buildFcmMessage(message, now)
  const tail = Buffer.from(tailOf(built))
  const prepared = preparedOf(tail, 0, tail.length)
  // What Google limits is a part of this.
  const size = tail.length <= FCM.payloadBytes ? tail.length : sizeOfData(built)
  if (size <= FCM.payloadBytes) return prepared
  const reason = `INVALID_ARGUMENT: the data has ${size} bytes, the limit is ${FCM.payloadBytes}`
  return { ...prepared, refusal: { kind: 'payload_error', reason, everyone: true } }
}

function prepareManyFcm(
  messageOf: (texts: readonly string[]) => PushMessage,
  count: number,
  now: number,
): PreparedMany | undefined {
  const stencil = stencilOf((texts) => tailOf(buildFcmMessage(messageOf(texts), now)), count)
  if (!stencil) return undefined
  return {
    mostBytes: stencil.mostBytes,
    write: (texts, bytes, at) => stencil.write(texts, FCM.payloadBytes, bytes, at),
    from: preparedOf,
  }
}

function writeBody({ bytes, from, to }: PreparedFcm, { token }: PushRecipient, out: ByteWriter): void {
  // FCM makes its tokens of these characters, so escaping them changes nothing.
  const plain = PLAIN.test(token)
  const text = plain ? token : JSON.stringify(token)
  out.reserve(HEAD.length + text.length * 3 + 2 + to - from)
  out.copy(HEAD)
  if (plain) {
    out.byte(QUOTE)
    out.latin1(text)
    out.byte(QUOTE)
  } else out.utf8(text)
  out.copy(bytes, from, to)
}

function bodyOf(message: PreparedFcm, recipient: PushRecipient): Buffer {
  const out = new ByteWriter(message.to - message.from + 1024)
  writeBody(message, recipient, out)
  return out.take()
}

/** The sender of a legacy server key alone: it sends nothing. */
function unusableSender(facts: FcmFacts): Sender {
  const reason = facts.warnings[0] ?? 'there is no service account'
  const send = async (): Promise<Outcome> => ({ kind: 'config_error', reason })
  return {
    prepare: (message) => prepareFcm(message, 0),
    send,
    sendAll: sendEach(send),
    warm: async () => {},
    probe: async () => [{ level: 'error', what: reason, remedy: 'set a service account: see docs/gateways/fcm.md' }],
    close: async () => {},
  }
}
