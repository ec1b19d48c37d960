import { objectOf, readObject } from '../../../platform/json/json.ts'
import { type HttpReply, readRetryAfter } from '../../../platform/net/http.ts'
import type { Outcome } from '../gateway.ts'

/** What one answer of messages:send means for the recipients of the request. */
export interface HcmAnswer {
  /** The outcome of every recipient except `refused`, unless the repeat that `again` names succeeds. */
  outcome: Outcome
  /** Tokens that were refused while the others were accepted. */
  refused?: ReadonlySet<string>
  /** The change with which a repeat may succeed: a new access token, half the tokens, or normal urgency. */
  again?: 'token' | 'halves' | 'normal'
}

type Meaning =
  | 'accepted'
  | 'partly'
  | 'message'
  | 'recipients'
  | 'throttled'
  | 'token'
  | 'config'
  | 'tokens'
  | 'halves'
  | 'normal'
  | 'down'

/**
 * `code` of the answer -> what it means (docs/reference/gateway-facts.md section 3.3: the vendor's Java demo and its
 * articles about single codes).
 */
const CODES: Readonly<Record<string, Meaning>> = {
  80000000: 'accepted',
  80100000: 'partly',
  80100001: 'recipients',
  80100002: 'recipients',
  80100003: 'message',
  80100004: 'message',
  80100013: 'message',
  80100016: 'message',
  80100017: 'throttled',
  80100018: 'message',
  80200001: 'token',
  80200003: 'token',
  80300002: 'config',
  80300007: 'tokens',
  80300008: 'message',
  80300010: 'halves',
  80300011: 'normal',
  80600003: 'down',
  81000001: 'down',
}

/**
 * Meanings by the first digits, for codes that Huawei adds. An unknown code must neither cost a token nor be taken for
 * success.
 */
const FAMILIES: readonly [RegExp, Meaning][] = [
  [/^801/, 'recipients'],
  [/^80[23]/, 'config'],
  [/^8\d{7}$/, 'down'],
]

/**
 * What one answer means for `tokens`, the recipients of the request. The `code` of the body decides, because an error
 * may come with HTTP 200 as well as with 4xx. The HTTP status counts only if there is no usable code. `now` in ms, for
 * `Retry-After`.
 */
export function readHcmReply(reply: HttpReply, tokens: readonly string[], now: number): HcmAnswer {
  const body = readObject(reply.body) ?? {}
  const code = codeOf(body)
  const meaning = code === undefined ? undefined : meaningOf(code)
  const afterMs = readRetryAfter(reply.headers['retry-after'], now)
  if (code === undefined || meaning === undefined) return readStatus(reply.status, afterMs)
  const msg = body['msg']
  const reason = typeof msg === 'string' && msg !== '' ? `${code}: ${shorten(msg)}` : code
  return answerOf(meaning, { code, reason, afterMs, body, tokens })
}

interface Said {
  code: string
  reason: string
  afterMs: number | undefined
  body: Record<string, unknown>
  tokens: readonly string[]
}

function answerOf(meaning: Meaning, { code, reason, afterMs, body, tokens }: Said): HcmAnswer {
  const wait = afterMs !== undefined && { afterMs }
  switch (meaning) {
    case 'accepted':
      return { outcome: acceptedAs(body) }
    case 'partly':
      return readPartly(code, body, tokens)
    case 'message':
      return { outcome: { kind: 'payload_error', reason, everyone: true } }
    // The fault may concern only the recipients of this request, so the others are still tried.
    case 'recipients':
      return { outcome: { kind: 'payload_error', reason, everyone: false } }
    case 'throttled':
      return { outcome: { kind: 'throttled_gateway', reason, ...wait } }
    case 'token':
      return { outcome: { kind: 'config_error', reason }, again: 'token' }
    case 'config':
      return { outcome: { kind: 'config_error', reason } }
    case 'tokens':
      return { outcome: { kind: 'token_suspect', reason } }
    case 'halves':
      return { outcome: { kind: 'payload_error', reason, everyone: false }, again: 'halves' }
    case 'normal':
      return { outcome: { kind: 'config_error', reason }, again: 'normal' }
    case 'down':
      return { outcome: { kind: 'gateway_down', reason, ...wait } }
  }
}

function acceptedAs(body: Record<string, unknown>): Outcome {
  const id = body['requestId']
  return { kind: 'accepted', ...(typeof id === 'string' && id !== '' && { providerId: id }) }
}

/**
 * Some recipients got the message, so nothing of this request may ever be sent again. `msg` is JSON within JSON with
 * `illegal_tokens`. If `msg` has another form, each of our tokens that it contains as a word counts as refused.
 */
function readPartly(code: string, body: Record<string, unknown>, tokens: readonly string[]): HcmAnswer {
  const { msg } = body
  const said = (typeof msg === 'string' ? readObject(msg) : objectOf(msg)) ?? {}
  const listed = said['illegal_tokens']
  const refused = Array.isArray(listed)
    ? new Set(listed.filter((one): one is string => typeof one === 'string'))
    : wordsOf(typeof listed === 'string' ? listed : typeof msg === 'string' ? msg : JSON.stringify(msg ?? ''))
  const none = { kind: 'token_suspect', reason: `${code}: no token was accepted` } as const
  if (said['success'] === 0 || said['success'] === '0') return { outcome: none }
  return { outcome: acceptedAs(body), refused: new Set(tokens.filter((token) => refused.has(token))) }
}

function wordsOf(text: string): Set<string> {
  return new Set(text.split(/[\s"'\\[\]{},;]+/))
}

/** Why a token of `refused` failed. */
export const REFUSED_TOKEN = { kind: 'token_suspect', reason: '80100000: illegal token' } as const satisfies Outcome

/** Without a usable code: the HTTP status (docs/reference/gateway-facts.md section 3.3, from the v3 reference). */
function readStatus(status: number, afterMs: number | undefined): HcmAnswer {
  const reason = `HTTP ${status} without a code of Push Kit`
  const wait = afterMs !== undefined && { afterMs }
  // Push Kit may have accepted the message, or the answer may be cut off: nobody can tell.
  if (status >= 200 && status < 300) return { outcome: { kind: 'uncertain', reason } }
  if (status === 400) return { outcome: { kind: 'payload_error', reason, everyone: false } }
  if (status === 401) return { outcome: { kind: 'config_error', reason }, again: 'token' }
  if (status === 413) return { outcome: { kind: 'payload_error', reason, everyone: true } }
  if (status === 429 || status === 503) return { outcome: { kind: 'throttled_gateway', reason, ...wait } }
  if (status >= 500) return { outcome: { kind: 'gateway_down', reason, ...wait } }
  // For redirects, 403 and 404: the server that answered is not Push Kit for this app.
  return { outcome: { kind: 'config_error', reason } }
}

function codeOf({ code }: Record<string, unknown>): string | undefined {
  return typeof code === 'string' || typeof code === 'number' ? String(code).trim() : undefined
}

function meaningOf(code: string): Meaning | undefined {
  return Object.hasOwn(CODES, code) ? CODES[code] : FAMILIES.find(([pattern]) => pattern.test(code))?.[1]
}

function shorten(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}
