import { APNS } from '../apns/limits.ts'
import { buildAppleHeaders, isSilent } from '../apns/payload.ts'
import type { Outcome, PushContent, PushMessage, PushPreview } from '../gateway.ts'

/**
 * The JSON body of one website push, as macOS reads it ("Pushing Notifications", Notification Programming Guide for
 * Websites).
 */
export interface SafariPayload {
  aps: { alert: { title: string; body: string }; 'url-args': [string] }
}

/** The parts of the configuration that a payload depends on. */
export interface Website {
  siteUrl: string
  websiteName: string
}

/**
 * The address that a click opens: the website's origin and one placeholder, which each push fills with path and query.
 * The number of placeholders must never change: macOS stores the text with the push package and drops pushes with more
 * or fewer `url-args`.
 */
export function urlFormatOf(siteUrl: string): string {
  return `${new URL(siteUrl).origin}/%@`
}

/** Content -> body. Pure. */
export function buildSafariPayload(content: PushContent, { siteUrl, websiteName }: Website): SafariPayload {
  return {
    aps: {
      alert: { title: content.title || websiteName, body: content.message },
      'url-args': [urlArgOf(content, siteUrl)],
    },
  }
}

/**
 * The value of the placeholder: path, query and fragment of the content's address on the website, with the
 * notification's id as `knid` at the end of the query, where the SDK looks for it when the page opens. macOS opens
 * nothing outside the allowed domain, so any other address is replaced by the website itself.
 */
export function urlArgOf(
  { url, notificationId }: Pick<PushContent, 'url' | 'notificationId'>,
  siteUrl: string,
): string {
  const target = pageOf(url, new URL(siteUrl))
  const pairs = target.search.slice(1).split('&')
  const own = pairs.filter((pair) => pair !== '' && pair !== 'knid' && !pair.startsWith('knid='))
  const page = `${target.pathname.slice(1)}?${[...own, `knid=${notificationId}`].join('&')}${target.hash}`
  // Browsers tolerate these characters; NSURL does not parse them.
  return page.replace(/%(?![\da-f]{2})/gi, '%25').replace(/[\\^`{|}]/g, encodeURIComponent)
}

/** An http link to an https website means the same page. */
function pageOf(url: string | undefined, site: URL): URL {
  if (!url || !URL.canParse(url, site.href)) return site
  const target = new URL(url, site.href)
  const isWeb = target.protocol === 'https:' || target.protocol === 'http:'
  const isSame = target.origin === site.origin || (target.hostname === site.hostname && !target.port && !site.port)
  return isWeb && isSame ? target : site
}

/** The reason why nobody can get this content, or undefined. macOS shows every website push, so one without text is refused. */
export function refusalOf(content: PushContent): Outcome | undefined {
  if (!isSilent(content)) return undefined
  const reason = 'Safari shows every push: it needs a title or a message'
  return { kind: 'payload_error', reason, everyone: true }
}

/** The headers that are the same for every recipient. The priority of `ios` is not meant for a Mac. Pure. */
export function buildSafariHeaders(message: PushMessage): Record<string, string> {
  return buildAppleHeaders(message, 10)
}

/** Measures a content without a configuration, as if its address were on the website: the longest case. */
export function previewSafari(message: PushMessage): PushPreview {
  const payload = buildSafariPayload(message.content, anyWebsite(message.content.url))
  const bytes = Buffer.byteLength(JSON.stringify(payload))
  return { headers: buildSafariHeaders(message), payload, bytes, limit: APNS.payloadBytes }
}

function anyWebsite(url: string | undefined): Website {
  const isWeb = url !== undefined && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
  return { siteUrl: isWeb ? new URL(url).origin : 'https://example.com', websiteName: '' }
}
