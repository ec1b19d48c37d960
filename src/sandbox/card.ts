import { isPlainObject, objectOf } from '../platform/json/json.ts'
import type { Received } from './stand-in/ledger.ts'
import { findStandIn } from './stand-ins.ts'

/** The parts of a message that a device shows. Texts are as the sender wrote them, so escape them before display. */
export interface Card {
  platform: 'ios' | 'android' | 'web' | 'safari'
  /** Bundle id, website push id, project or app id. */
  app: string
  /** False for messages that only wake the app. */
  visible: boolean
  title?: string
  subtitle?: string
  body?: string
  badge?: string
  sound?: string
  picture?: string
  /** Opened on tap. */
  url?: string
  category?: string
  /** iOS: notifications of one thread are shown together. */
  thread?: string
  /** iOS: the interruption level. */
  interruption?: string
  /** The sound plays although the device is muted. */
  critical?: true
  /** Android: the notification channel that is asked for. */
  channel?: string
  /** Labels with the name of the icon, where the device draws one. */
  buttons: { text: string; icon?: string }[]
  /** Messages to the same device with the same key replace each other. */
  collapseKey?: string
  /** Announces this in-app message: the app fetches it. */
  inApp?: string
  background: boolean
  important: boolean
}

type Json = Record<string, unknown>

/** Reads a message as the client SDKs do. Never throws: unreadable parts are left out. */
export function cardOf(message: Received): Card {
  const payload = parse(message.payload)
  if (message.gateway === 'apns') return appleCard(message, payload)
  if (message.gateway === 'web') {
    return message.topic === 'unifiedpush' ? appCard(message, payload) : browserCard(message, payload)
  }
  const sent = objectOf(payload['message'])
  return androidCard(message, findStandIn(message.gateway)?.toFcm(sent) ?? sent)
}

function appleCard({ topic, headers }: Received, payload: Json): Card {
  const aps = objectOf(payload['aps'])
  const custom = objectOf(payload['custom'])
  const block = objectOf(custom['a'])
  const alert = aps['alert']
  const parts: Json = typeof alert === 'string' ? { body: alert } : objectOf(alert)
  const sound = isPlainObject(aps['sound']) ? aps['sound']['name'] : aps['sound']
  const added = number(custom['badge_inc'])
  const badge = number(aps['badge'])
  return tidy({
    platform: topic.startsWith('web.') ? 'safari' : 'ios',
    app: topic,
    visible: parts['title'] !== undefined || parts['body'] !== undefined || parts['loc-key'] !== undefined,
    title: text(parts['title']) ?? text(parts['title-loc-key']),
    subtitle: text(parts['subtitle']),
    body: text(parts['body']) ?? text(parts['loc-key']),
    badge: added === undefined ? badge?.toString() : `${added < 0 ? '' : '+'}${added}`,
    sound: text(sound),
    picture: text(objectOf(payload['attachments'])['pictureUrl']),
    url: text(custom['u']) ?? urlArgsIn(aps),
    category: text(aps['category']),
    thread: text(aps['thread-id']),
    interruption: text(aps['interruption-level']),
    critical: isPlainObject(aps['sound']) && aps['sound']['critical'] === 1 ? true : undefined,
    buttons: buttonsOf(block),
    inApp: inAppOf(block),
    collapseKey: headers['apns-collapse-id'],
    background: aps['content-available'] === 1,
    important: aps['interruption-level'] === 'time-sensitive' || aps['interruption-level'] === 'critical',
  })
}

/** The texts that fill the placeholders of the address in the push package, in order; of a website push. */
function urlArgsIn(aps: Json): string | undefined {
  const args: unknown = aps['url-args']
  return Array.isArray(args) ? text(args.filter((arg) => typeof arg === 'string').join(' ')) : undefined
}

/** The card that the service worker of the web SDK shows; without `k.message` it shows nothing. */
function browserCard({ topic, headers }: Received, payload: Json): Card {
  const block = objectOf(payload['data'])
  return tidy({
    platform: 'web',
    app: topic,
    visible: isPlainObject(block['k.message']),
    title: text(payload['title']),
    body: text(payload['msg']),
    picture: text(payload['image']) ?? text(payload['icon']),
    url: text(payload['url']),
    buttons: [],
    inApp: inAppOf(block),
    collapseKey: headers['topic'],
    background: false,
    important: headers['urgency'] === 'high',
  })
}

/** The card of an app that gets web pushes: it shows what has a text, and wakes up for the rest. */
function appCard(message: Received, payload: Json): Card {
  const card = browserCard(message, payload)
  const isVisible = card.title !== undefined || card.body !== undefined
  return { ...card, platform: 'android', visible: isVisible, background: !isVisible }
}

function androidCard({ topic }: Received, message: Json): Card {
  const android = objectOf(message['android'])
  const shown = { ...objectOf(message['notification']), ...objectOf(android['notification']) }
  const data: Json = { ...objectOf(message['data']), ...objectOf(android['data']) }
  const custom = parse(text(data['custom']) ?? '{}')
  const block = objectOf(custom['a'])
  const title = text(shown['title']) ?? text(data['title'])
  const body = text(shown['body']) ?? text(data['alert'])
  return tidy({
    platform: 'android',
    app: topic,
    // The client SDK shows a data message only if it has both texts.
    visible: shown['title'] !== undefined || shown['body'] !== undefined || Boolean(title && body),
    title,
    body,
    badge: number(shown['notification_count'])?.toString(),
    sound: text(shown['sound']) ?? text(data['sound']),
    picture: text(shown['image']) ?? text(data['bicon']),
    url: text(custom['u']),
    channel: text(block['k.channel']) ?? text(shown['channel_id']),
    // The SDK for Android draws no icons.
    buttons: buttonsOf(block).map(({ text }) => ({ text })),
    inApp: inAppOf(block),
    collapseKey: text(shown['tag']) ?? text(android['collapse_key']),
    background: data['bgn'] === '1',
    important: text(android['priority'])?.toLowerCase() === 'high' || block['k.notificationType'] === 'important',
  })
}

function buttonsOf(block: Json): Card['buttons'] {
  const buttons = block['k.buttons']
  if (!Array.isArray(buttons)) return []
  return buttons.slice(0, 10).flatMap((button: unknown) => {
    const { text: label, icon } = objectOf(button)
    const name = iconOf(objectOf(icon))
    return typeof label === 'string' && label !== '' ? [{ text: label, ...(name && { icon: name }) }] : []
  })
}

/** The icon of a button. The SDK for iOS takes one only if everything in it is text. */
function iconOf(icon: Json): string | undefined {
  return Object.values(icon).every((part) => typeof part === 'string') && icon['type'] ? text(icon['id']) : undefined
}

function inAppOf(block: Json): string | undefined {
  return number(objectOf(objectOf(block['k.deepLink'])['data'])['id'])?.toString()
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

function parse(source: string): Json {
  try {
    return objectOf(JSON.parse(source))
  } catch {
    return {}
  }
}

function tidy(card: { [K in keyof Card]: Card[K] | undefined }): Card {
  return Object.fromEntries(Object.entries(card).filter(([, value]) => value !== undefined)) as unknown as Card
}
