import { isPlainObject } from '../../platform/json/json.ts'
import { notificationIn } from '../fcm/message.ts'
import type { Answer } from '../stand-in/exchange.ts'
import { hcmAnswer } from './codes.ts'

/** A message for Push Kit that keeps the rules of HMS Core, "Sending Downlink Messages" (v1). */
export interface HcmMessage {
  tokens: string[]
  urgent: boolean
  validateOnly: boolean
  notificationId: string | undefined
  /** The body without its tokens, which may be a thousand. */
  payload: string
}

const MAX_TOKENS = 1000
const MAX_BODY = 4096
const MAX_TTL_S = 15 * 86_400

/** Reads and checks the body. Returns the error answer when Huawei would refuse it. */
export function readHcmMessage(body: Buffer): HcmMessage | Answer {
  const value = parse(body.toString('utf8'))
  if (!isPlainObject(value)) return hcmAnswer('80100003')
  const message = value['message']
  if (!isPlainObject(message)) return hcmAnswer('80100003', { msg: 'Message is empty' })
  const { token, ...rest } = message
  if (message['topic'] !== undefined || message['condition'] !== undefined) {
    return hcmAnswer('80100001', { msg: 'The sandbox takes tokens only, no topic and no condition' })
  }
  if (!isTokenList(token)) return hcmAnswer('80100001', { msg: 'token: must be a list of 1 to 1000 texts' })
  if (token.length > MAX_TOKENS) return hcmAnswer('80300010')
  const payload = JSON.stringify({ ...value, message: rest })
  const wrong = findWrong(value, rest)
  if (wrong) return wrong
  // Huawei limits the body without its tokens.
  const size = Buffer.byteLength(JSON.stringify({ ...value, message: { ...rest, token: [] } }))
  if (size > MAX_BODY) return hcmAnswer('80300008')
  const android = isPlainObject(rest['android']) ? rest['android'] : {}
  return {
    tokens: token,
    urgent: android['urgency'] === 'HIGH',
    validateOnly: value['validate_only'] === true,
    notificationId: notificationIn(parse(typeof rest['data'] === 'string' ? rest['data'] : '{}')),
    payload,
  }
}

function isTokenList(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string' && one !== '')
}

const refuse = (msg: string) => hcmAnswer('80100003', { msg })

function findWrong(body: Record<string, unknown>, message: Record<string, unknown>): Answer | undefined {
  const foreign = Object.keys(body).filter((key) => key !== 'message' && key !== 'validate_only')
  const unknown = Object.keys(message).filter((key) => !['data', 'notification', 'android'].includes(key))
  if (foreign.length + unknown.length > 0) return refuse(`Unknown fields: ${[...foreign, ...unknown].join(', ')}`)
  const { validate_only: validateOnly } = body
  if (validateOnly !== undefined && typeof validateOnly !== 'boolean') return refuse('validate_only must be a boolean')
  const { data, notification, android } = message
  if (data !== undefined && typeof data !== 'string') return refuse('data must be a text')
  if (notification !== undefined && !isPlainObject(notification)) return refuse('notification must be an object')
  if (android !== undefined && !isPlainObject(android)) return refuse('android must be an object')
  return android && findWrongAndroid(android)
}

function findWrongAndroid(android: Record<string, unknown>): Answer | undefined {
  const { collapse_key: collapseKey, urgency, ttl, bi_tag: tag, category, notification } = android
  if (collapseKey !== undefined) {
    const ok = Number.isInteger(collapseKey) && (collapseKey as number) >= -1 && (collapseKey as number) <= 100
    if (!ok) return hcmAnswer('80100013')
  }
  if (urgency !== undefined && urgency !== 'HIGH' && urgency !== 'NORMAL')
    return refuse('urgency must be HIGH or NORMAL')
  if (ttl !== undefined) {
    const seconds =
      typeof ttl === 'string' && /^\d{1,9}(\.\d{1,9})?s$/.test(ttl) ? Number(ttl.slice(0, -1)) : Number.NaN
    if (!(seconds <= MAX_TTL_S)) return refuse('ttl must be a number of seconds followed by s, at most 15 days')
    if (seconds === 0) return hcmAnswer('80100004')
  }
  for (const [name, value] of Object.entries({ bi_tag: tag, category })) {
    if (value !== undefined && typeof value !== 'string') return refuse(`${name} must be a text`)
  }
  if (notification === undefined) return undefined
  if (!isPlainObject(notification)) return refuse('android.notification must be an object')
  const action = notification['click_action']
  if (!isPlainObject(action) || ![1, 2, 3].includes(Number(action['type'])))
    return refuse('click_action is required, with type 1, 2 or 3')
  return undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
