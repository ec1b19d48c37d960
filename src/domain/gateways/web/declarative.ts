import type { PushContent } from '../gateway.ts'
import { buildWebPayload, type WebPayload } from './payload.ts'

/** The parameter with which an address tells a page which notification opened it, as on Safari's own pushes. */
const OPENED_BY = 'knid'

/** A button of a declarative push. */
interface DeclarativeAction {
  action: string
  title: string
  /** The address that the button opens. Without one the browser takes the whole message for no declarative push. */
  navigate: string
}

/** The notification that the browser itself shows. */
interface DeclarativeNotification {
  title: string
  body: string
  navigate: string
  data: WebPayload['data']
  tag?: string
  icon?: string
  image?: string
  actions?: DeclarativeAction[]
  app_badge?: string
}

/**
 * The payload for clients that read declarative pushes: a browser such as Safari 18.4 shows it without a worker, and takes the worker's
 * notification instead when there is one (`mutable`), so a silent worker costs no subscription. Beside it stands what workers read:
 * the payload of the web SDK.
 *
 * The members are those of the W3C Push API (w3c/push-api, "declarative push message"): `title` and `navigate` are required there,
 * `navigate` may be relative to the scope of the subscription. The badge stands where the Push API has it (w3c/push-api#402) and where
 * WebKit announced it (webkit.org/blog/16535), inside the notification as text.
 */
export interface DeclarativePayload extends WebPayload {
  web_push: 8030
  mutable: true
  notification: DeclarativeNotification
  app_badge?: number
  /** `ios.badge` of the content, for workers: they add to the number that they keep. */
  badge?: { type: 'incrementBy' | 'setTo'; count: number }
}

/** Content -> the text that is encrypted for a client that reads declarative pushes. Pure. */
export function buildDeclarative(content: PushContent, iconUrl: string | undefined): DeclarativePayload {
  const plain = buildWebPayload(content, iconUrl)
  const navigate = openedBy(content.url || '/', content.notificationId)
  const { badge } = content.ios
  const count = badge?.type === 'setTo' ? badge.count : undefined
  return {
    web_push: 8030,
    mutable: true,
    notification: {
      title: content.title,
      body: content.message,
      navigate,
      // The worker gets nothing but this of a notification that the browser shows.
      data: { ...plain.data, ...(badge && { 'k.badge': badge }) },
      ...(content.collapseId && { tag: content.collapseId }),
      ...(plain.icon !== null && { icon: plain.icon }),
      ...(plain.image !== null && { image: plain.image }),
      ...(content.buttons && {
        actions: content.buttons.map(({ id, text }) => ({ action: id, title: text, navigate })),
      }),
      ...(count !== undefined && { app_badge: String(count) }),
    },
    ...(count !== undefined && { app_badge: count }),
    ...(badge && { badge }),
    ...plain,
  }
}

/**
 * The address with the id of the notification at the end of its query, so that the page reports the opening that no worker sees. The rest
 * of the address stays as it was written.
 */
function openedBy(url: string, notificationId: number): string {
  const [, address, fragment] = /^([^#]*)(#[^]*)?$/.exec(url)!
  return `${address}${address!.includes('?') ? '&' : '?'}${OPENED_BY}=${notificationId}${fragment ?? ''}`
}
