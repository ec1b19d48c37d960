import type { Json } from '../../../core/src/index.ts'

/** A push, read. */
export interface Push {
  id: number
  title: string
  message: string
  /** The address that it opens; null: none. */
  url: string | null
  /** The data that the sender gave. */
  data: Json
  picture?: string
  /** The notification channel of Android that the sender chose. */
  channel?: string
  buttons: { id: string; text: string }[]
  /** Number of the in-app message that the push announces. */
  inAppId?: number
  /** Id of the button that was pressed; absent for a tap on the notification. */
  action?: string
}

const objectOf = (value: unknown): Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Json) : {}
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** An object, or JSON text of one. */
function readObject(value: unknown): Json {
  if (typeof value !== 'string') return objectOf(value)
  try {
    return objectOf(JSON.parse(value))
  } catch {
    return {}
  }
}

/** The id in `{type, data: {id}}`. */
function idIn(value: unknown): number | undefined {
  const { id } = objectOf(objectOf(value).data)
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : undefined
}

/**
 * Reads what a push of appsvc carries (docs/reference/device-protocol.md section 10): `userInfo` of iOS, the data of Google, or the data of
 * a notification that this client shows. Undefined for a push of somebody else.
 */
export function readPush(payload: unknown): Push | undefined {
  const carried = objectOf(payload)
  const custom = readObject(carried.custom)
  const block = objectOf(custom.a)
  const id = idIn(block['k.message'])
  if (id === undefined) return undefined
  const alert = objectOf(objectOf(carried.aps).alert)
  const inAppId = idIn(block['k.deepLink'])
  const picture = textOf(carried.bicon)
  const channel = textOf(block['k.channel'])
  return {
    id,
    title: textOf(carried.title ?? alert.title),
    message: textOf(carried.alert ?? alert.body),
    url: textOf(custom.u) || null,
    data: Object.fromEntries(Object.entries(block).filter(([name]) => !name.startsWith('k.'))),
    buttons: readButtons(block['k.buttons']),
    ...(picture && { picture }),
    ...(channel && { channel }),
    ...(inAppId !== undefined && { inAppId }),
  }
}

function readButtons(given: unknown): Push['buttons'] {
  const list: unknown[] = Array.isArray(given) ? given : []
  return list
    .map(objectOf)
    .map(({ id, text }) => ({ id: textOf(id), text: textOf(text) }))
    .filter(({ id }) => id !== '')
}

/** Tells whether Google delivered it: such a push is data, and nobody shows it but the app. */
export const isDataMessage = (payload: unknown): boolean => typeof objectOf(payload).custom === 'string'

/** Tells whether a push has something to show. */
export const isVisible = ({ title, message }: Push): boolean => title !== '' && message !== ''
