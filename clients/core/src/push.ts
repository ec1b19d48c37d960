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
  icon?: string | undefined
  image?: string | undefined
  /** A later push with the same tag takes its place. */
  tag?: string | undefined
  buttons: PushButton[]
  badge?: { type: 'incrementBy' | 'setTo'; count: number } | undefined
  /** Number of the in-app message that the push announces. */
  inAppId?: number | undefined
  /** The data that the sender gave. */
  data: Json
}

/** The block of a push: what the sender gave, and what clients need. */
interface Block extends Json {
  'k.message'?: { data?: { id?: number } }
  'k.deepLink'?: { data?: { id?: number } }
  'k.buttons'?: PushButton[]
  /** The badge of a declarative push, whose worker gets the block alone. */
  'k.badge'?: ReadPush['badge']
}

interface Payload {
  title?: string
  msg?: string
  url?: string | null
  icon?: string | null
  image?: string | null
  badge?: ReadPush['badge']
  data?: Block
  notification?: { tag?: string }
}

/**
 * Reads the payload of a push (docs/reference/device-protocol.md section 10), with or without the declarative part. Undefined for a push of
 * somebody else.
 */
export function readPush(payload: unknown): ReadPush | undefined {
  const { title = '', msg = '', url = null, icon, image, badge, data, notification } = (payload ?? {}) as Payload
  const id = data?.['k.message']?.data?.id
  if (typeof id !== 'number') return undefined
  return {
    id,
    title,
    message: msg,
    url,
    icon: icon ?? undefined,
    image: image ?? undefined,
    tag: notification?.tag,
    buttons: data?.['k.buttons'] ?? [],
    badge: badge ?? data?.['k.badge'],
    inAppId: data?.['k.deepLink']?.data?.id,
    data: Object.fromEntries(Object.entries(data!).filter(([name]) => !name.startsWith('k.'))),
  }
}
