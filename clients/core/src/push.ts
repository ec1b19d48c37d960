import type { Json } from './events.ts'

/** An action below the text of a push. */
export interface PushButton {
  id: string
  text: string
}

/** A push, read. */
export interface ReadPush {
  /** Number of the notification, which goes into reports. */
  id: number
  title: string
  message: string
  url: string | null
  icon?: string
  image?: string
  /** A later push with the same tag takes its place. */
  tag?: string
  buttons: PushButton[]
  badge?: { type: 'incrementBy' | 'setTo'; count: number }
  /** Number of the in-app message that the push announces. */
  inAppId?: number
  /** The data that the sender gave. */
  data: Json
}

const objectOf = (value: unknown): Json => (value !== null && typeof value === 'object' ? (value as Json) : {})
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/**
 * Reads the payload of a push (docs/reference/device-protocol.md section 10), with or without the declarative part. Undefined for a push of
 * somebody else.
 */
export function readPush(payload: unknown): ReadPush | undefined {
  const { title, msg, url, icon, image, data, badge, notification } = objectOf(payload)
  const block = objectOf(data)
  const id = idIn(block['k.message'])
  if (id === undefined) return undefined
  const inAppId = idIn(block['k.deepLink'])
  const tag = textOf(objectOf(notification).tag)
  const buttons = block['k.buttons']
  return {
    id,
    title: textOf(title),
    message: textOf(msg),
    url: textOf(url) || null,
    ...(textOf(icon) && { icon: textOf(icon) }),
    ...(textOf(image) && { image: textOf(image) }),
    ...(tag && { tag }),
    buttons: Array.isArray(buttons) ? (buttons as PushButton[]) : [],
    ...(badge !== undefined && { badge: badge as NonNullable<ReadPush['badge']> }),
    ...(inAppId !== undefined && { inAppId }),
    data: Object.fromEntries(Object.entries(block).filter(([name]) => !name.startsWith('k.'))),
  }
}

/** The id in `{type, data: {id}}`. */
function idIn(value: unknown): number | undefined {
  const { id } = objectOf(objectOf(value).data)
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : undefined
}
