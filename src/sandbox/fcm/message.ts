import { isUtf8 } from 'node:buffer'
import { isPlainObject } from '../../platform/json/json.ts'
import { messageIdIn } from '../apns/request.ts'
import type { Answer } from '../stand-in/exchange.ts'
import { badFields, errorAnswer, type FieldViolation } from './errors.ts'

/**
 * The rules of FCM HTTP v1 for the body of a send call
 * (`firebase.google.com/docs/reference/fcm/rest/v1/projects.messages`).
 */
export interface FcmMessage {
  target: 'token' | 'topic' | 'condition'
  /** The token, `/topics/name`, or the condition. */
  address: string
  validateOnly: boolean
  notificationId: string | undefined
  payload: string
}

type Kind = 'text' | 'flag' | 'integer' | 'texts' | 'text list' | 'json' | 'duration' | 'priority' | 'colour'
interface Fields {
  [name: string]: Kind | Fields
}

const NOTIFICATION: Fields = { title: 'text', body: 'text', image: 'text' }
const FCM_OPTIONS: Fields = { analytics_label: 'text' }

const MESSAGE: Fields = {
  name: 'text',
  data: 'texts',
  notification: NOTIFICATION,
  android: {
    collapse_key: 'text',
    priority: 'priority',
    ttl: 'duration',
    restricted_package_name: 'text',
    data: 'texts',
    notification: {
      ...NOTIFICATION,
      icon: 'text',
      color: 'colour',
      sound: 'text',
      tag: 'text',
      click_action: 'text',
      body_loc_key: 'text',
      body_loc_args: 'text list',
      title_loc_key: 'text',
      title_loc_args: 'text list',
      channel_id: 'text',
      ticker: 'text',
      sticky: 'flag',
      event_time: 'text',
      local_only: 'flag',
      notification_priority: 'text',
      default_sound: 'flag',
      default_vibrate_timings: 'flag',
      default_light_settings: 'flag',
      vibrate_timings: 'text list',
      visibility: 'text',
      notification_count: 'integer',
      light_settings: 'json',
      bypass_proxy_notification: 'flag',
      proxy: 'text',
    },
    fcm_options: FCM_OPTIONS,
    direct_boot_ok: 'flag',
    bandwidth_constrained_ok: 'flag',
    restricted_satellite_ok: 'flag',
  },
  webpush: { headers: 'texts', data: 'texts', notification: 'json', fcm_options: { ...FCM_OPTIONS, link: 'text' } },
  apns: {
    headers: 'texts',
    payload: 'json',
    fcm_options: { ...FCM_OPTIONS, image: 'text' },
    live_activity_token: 'text',
  },
  fcm_options: FCM_OPTIONS,
  token: 'text',
  topic: 'text',
  condition: 'text',
}
const BODY: Fields = { validate_only: 'flag', message: MESSAGE }

const MAX_PAYLOAD = 4096
const MAX_TOPIC_PAYLOAD = 2048
const MAX_TTL_S = 2_419_200
/** Real tokens are base64url with a colon; addresses, spaces and JSON are not tokens. */
const TOKEN = /^[A-Za-z0-9_:.-]{1,4096}$/
const TOPIC = /^[a-zA-Z0-9-_.~%]+$/

/** Reads and checks the body. Returns the error answer if Google would refuse it. */
export function readFcmMessage(body: Buffer): FcmMessage | Answer {
  const payload = isUtf8(body) ? body.toString('utf8') : undefined
  const value = payload === undefined ? undefined : parse(payload)
  if (payload === undefined || !isPlainObject(value)) {
    return errorAnswer(400, 'INVALID_ARGUMENT', 'Invalid JSON payload received. Unexpected token or not an object.')
  }
  const violations: FieldViolation[] = []
  checkFields(value, BODY, '', violations)
  if (violations.length > 0) return badFields(violations)
  const message = value['message']
  if (!isPlainObject(message)) return badFields([{ field: 'message', description: 'Message is required.' }])
  checkMessage(message, violations)
  if (violations.length > 0) return badFields(violations)
  return {
    ...targetOf(message),
    validateOnly: (value['validate_only'] ?? value['validateOnly']) === true,
    notificationId: notificationIn(message['data']),
    payload,
  }
}

/** Whether this looks like a registration token at all. */
export function isRegistrationToken(token: string): boolean {
  return TOKEN.test(token)
}

function checkMessage(message: Record<string, unknown>, violations: FieldViolation[]): void {
  const targets = ['token', 'topic', 'condition'].filter((key) => message[key] !== undefined && message[key] !== '')
  if (targets.length !== 1) {
    const description =
      targets.length === 0
        ? 'Recipient of the message is not set.'
        : 'Exactly one of token, topic or condition is required.'
    violations.push({ field: 'message', description })
  }
  const topic = message['topic']
  if (typeof topic === 'string' && topic !== '' && !TOPIC.test(topic.replace(/^\/topics\//, ''))) {
    violations.push({ field: 'message.topic', description: 'Malformed topic name' })
  }
  const data = message['data'] as Record<string, string> | undefined
  for (const key in data) {
    if (isReserved(key)) {
      violations.push({ field: `message.data[${key}]`, description: `Invalid data payload key: ${key}` })
    }
  }
  const limit = targets[0] === 'token' ? MAX_PAYLOAD : MAX_TOPIC_PAYLOAD
  if (sizeOf(message) > limit) violations.push({ field: 'message', description: 'Android message is too big' })
}

/** "from", "message_type", or what starts with "google." or "gcm.notification."; older text says "google" and "gcm". */
function isReserved(key: string): boolean {
  return key === 'from' || key === 'message_type' || key.startsWith('google.') || key.startsWith('gcm.')
}

/** Google counts keys and values of the data, and the texts of the notification. */
function sizeOf(message: Record<string, unknown>): number {
  const android = message['android'] as Record<string, unknown> | undefined
  let size = 0
  for (const part of [message['data'], message['notification'], android?.['data'], android?.['notification']]) {
    if (!isPlainObject(part)) continue
    for (const key in part) {
      const value = part[key]
      size += Buffer.byteLength(key) + Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value))
    }
  }
  return size
}

function targetOf(message: Record<string, unknown>): Pick<FcmMessage, 'target' | 'address'> {
  const { token, topic, condition } = message as Record<string, string | undefined>
  if (token) return { target: 'token', address: token }
  if (topic) return { target: 'topic', address: `/topics/${topic.replace(/^\/topics\//, '')}` }
  return { target: 'condition', address: condition ?? '' }
}

function checkFields(value: Record<string, unknown>, fields: Fields, at: string, violations: FieldViolation[]): void {
  for (const name in value) {
    // JSON of protocol buffers accepts field names in both spellings.
    const kind = fields[name] ?? fields[snakeCase(name)]
    const path = at === '' ? name : `${at}.${name}`
    if (kind === undefined || (!Object.hasOwn(fields, name) && !Object.hasOwn(fields, snakeCase(name)))) {
      const where = at === '' ? '' : ` at '${at}'`
      const description = `Invalid JSON payload received. Unknown name "${name}"${where}: Cannot find field.`
      violations.push({ field: at, description })
      continue
    }
    const given = value[name]
    if (given === null) continue
    if (typeof kind === 'object') {
      if (isPlainObject(given)) checkFields(given, kind, path, violations)
      else violations.push(wrongType(path, given))
    } else {
      const wrong = checkValue(given, kind, path)
      if (wrong) violations.push(wrong)
    }
  }
}

function checkValue(value: unknown, kind: Kind, field: string): FieldViolation | undefined {
  switch (kind) {
    case 'text':
      return typeof value === 'string' ? undefined : wrongType(field, value)
    case 'flag':
      return typeof value === 'boolean' ? undefined : wrongType(field, value)
    case 'integer':
      return Number.isInteger(value) ? undefined : wrongType(field, value)
    case 'json':
      return isPlainObject(value) ? undefined : wrongType(field, value)
    case 'text list':
      return Array.isArray(value) && value.every((one) => typeof one === 'string') ? undefined : wrongType(field, value)
    case 'texts':
      if (!isPlainObject(value)) return wrongType(field, value)
      for (const key in value) if (typeof value[key] !== 'string') return wrongType(`${field}[${key}]`, value[key])
      return undefined
    case 'duration':
      return checkTtl(value, field)
    case 'priority': {
      const known = typeof value === 'string' && /^(normal|high)$/i.test(value)
      return known
        ? undefined
        : {
            field,
            description: `Invalid value at '${field}' (type.googleapis.com/google.firebase.fcm.v1.AndroidMessagePriority), ${JSON.stringify(value)}`,
          }
    }
    case 'colour':
      if (typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value)) return undefined
      return { field, description: 'The color must be in the form #RRGGBB' }
    default:
      return kind satisfies never
  }
}

function checkTtl(value: unknown, field: string): FieldViolation | undefined {
  if (typeof value !== 'string' || !/^-?\d{1,15}(\.\d{1,9})?s$/.test(value)) {
    const description = `Invalid value at '${field}' (type.googleapis.com/google.protobuf.Duration), Illegal duration format; duration must end with 's'`
    return { field, description }
  }
  const seconds = Number(value.slice(0, -1))
  return seconds >= 0 && seconds <= MAX_TTL_S
    ? undefined
    : { field, description: `Invalid time to live: must be between 0 and ${MAX_TTL_S} seconds` }
}

function wrongType(field: string, value: unknown): FieldViolation {
  return { field, description: `Invalid value at '${field}', ${JSON.stringify(value).slice(0, 200)}` }
}

/** Android clients receive the block as JSON text in `data.custom`. */
export function notificationIn(data: unknown): string | undefined {
  if (!isPlainObject(data)) return undefined
  const custom = data['custom']
  if (typeof custom !== 'string' || !custom.includes('k.message')) return undefined
  const value = parse(custom)
  return isPlainObject(value) ? messageIdIn(value['a']) : undefined
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
