import type { Answer } from '../../api/client.ts'

export type Payload = Answer<'/admin/v1/apps/{appId}/notifications/payloads', 'post'>['items'][number]

/** Visible parts of a push on one kind of device. */
export interface Shown {
  title: string
  subtitle?: string | undefined
  message: string
  picture?: string | undefined
  buttons: readonly string[]
}

/** Members of JSON that is not typed. */
const at = (value: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], value)
const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const parsed = (value: unknown): unknown => {
  try {
    return typeof value === 'string' ? JSON.parse(value) : value
  } catch {
    return undefined
  }
}
const labels = (buttons: unknown): string[] =>
  Array.isArray(buttons) ? buttons.map((one) => text(at(one, 'text'))).filter((one) => one !== '') : []

/** Reads a request to a gateway as the device does: what the mock-ups show is what would be sent. */
export function shownOf({ platform, request }: Payload): Shown {
  const { payload } = request
  if (platform === 'ios' || platform === 'safari') {
    const alert = at(payload, 'aps', 'alert')
    return {
      title: text(at(alert, 'title')),
      subtitle: text(at(alert, 'subtitle')) || undefined,
      message: text(at(alert, 'body')),
      picture: text(at(payload, 'attachments', 'pictureUrl')) || undefined,
      buttons: labels(at(payload, 'custom', 'a', 'k.buttons')),
    }
  }
  if (platform === 'web') {
    // The SDK's service worker draws no buttons.
    return {
      title: text(at(payload, 'title')),
      message: text(at(payload, 'msg')),
      picture: text(at(payload, 'image')) || undefined,
      buttons: [],
    }
  }
  const data = parsed(at(payload, 'message', 'data'))
  return {
    title: text(at(data, 'title')),
    message: text(at(data, 'alert')),
    picture: text(at(data, 'bicon')) || undefined,
    // Android shows three at most.
    buttons: labels(at(parsed(at(data, 'custom')), 'a', 'k.buttons')).slice(0, 3),
  }
}
