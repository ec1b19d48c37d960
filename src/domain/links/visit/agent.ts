import { isbot } from 'isbot'

/** What a visitor holds in his hand. `mobile` is a phone that neither store serves; `unknown` says nothing that we understand. */
export type AgentPlatform = 'ios' | 'android' | 'mobile' | 'desktop' | 'unknown'

/** Who asks for a link, as far as his request tells. */
export interface Agent {
  platform: AgentPlatform
  /** Fetches for a preview or an index. Wants the tags of the page, follows no store, and is no click. */
  isPreviewer: boolean
  /** A person with a browser, as opposed to previewers and to programs. */
  isPerson: boolean
  /** Says it is a Mac and may be an iPad, which says the same since iPadOS 13: only a script can tell, by the touch screen. */
  maybeTablet: boolean
}

/** The request headers that tell it. */
export interface AgentHeaders {
  'user-agent'?: string | undefined
  /** Client hint, in quotes: `"Android"`. https://wicg.github.io/ua-client-hints/#sec-ch-ua-platform */
  'sec-ch-ua-platform'?: string | string[] | undefined
}

/** Fetchers of chat and social apps that must not depend on the list of a library. Signal calls itself WhatsApp. */
const PREVIEWER =
  /^WhatsApp\/|facebookexternalhit|facebookcatalog|Facebot|Twitterbot|Slackbot|Slack-ImgProxy|TelegramBot|Applebot|LinkedInBot|Discordbot|SkypeUriPreview|Pinterestbot|redditbot|vkShare|^Viber\/|Snap URL Preview|Iframely|Embedly|Mattermost-Bot|Mastodon\/|Synapse/i

/** What calls itself a browser or a bot looks at pages; other names, such as curl's, are programs that follow a link. */
const LOOKS_AT_PAGES = /^Mozilla\/|bot\b|crawl|spider|slurp|preview|scrap|embed|unfurl|archiv|\+https?:/i

/** A browser without a window: it goes where a browser goes, and nobody sits in front of it. */
const HEADLESS = /HeadlessChrome\//

/**
 * Reads the headers. Pure. The order matters: previewers call themselves phones, Windows phones call themselves Android and
 * iPhone, Chrome on iOS calls itself a Mac when asked for the desktop site.
 */
export function readAgent(headers: AgentHeaders): Agent {
  const agent = headers['user-agent'] ?? ''
  if (PREVIEWER.test(agent) || (isbot(agent) && !HEADLESS.test(agent))) {
    const isPreviewer = PREVIEWER.test(agent) || LOOKS_AT_PAGES.test(agent)
    return { platform: 'unknown', isPreviewer, isPerson: false, maybeTablet: false }
  }
  const platform = platformOf(agent, String(headers['sec-ch-ua-platform'] ?? ''))
  return {
    platform,
    isPreviewer: false,
    isPerson: !HEADLESS.test(agent),
    maybeTablet: platform === 'desktop' && isMacSafari(agent),
  }
}

function platformOf(agent: string, hint: string): AgentPlatform {
  if (/Windows Phone|IEMobile|KAIOS|Tizen|OpenHarmony|BlackBerry|BB10|Opera Mini|Symbian/i.test(agent)) return 'mobile'
  if (/\b(?:iPhone|iPad|iPod)\b|CriOS\/|FxiOS\/|EdgiOS\//.test(agent)) return 'ios'
  if (/\bAndroid\b/i.test(agent) || /Android/i.test(hint)) return 'android'
  if (/Windows NT|Macintosh|CrOS|X11|Linux/.test(agent)) return 'desktop'
  if (/\bMobile\b/.test(agent)) return 'mobile'
  return 'unknown'
}

/** Safari on a Mac, and every web view of an iPad; other browsers of a Mac have an engine that iPads do not have. */
function isMacSafari(agent: string): boolean {
  return /Macintosh.*AppleWebKit\//.test(agent) && !/Chrome\/|Chromium\/|Edg\/|OPR\//.test(agent)
}

/** A browser that loads a page before its user asked for it: it may never be looked at. https://wicg.github.io/nav-speculation/prefetch.html */
export function isPrefetch(headers: Readonly<Record<string, string | string[] | undefined>>): boolean {
  const purpose = `${String(headers['sec-purpose'] ?? '')} ${String(headers.purpose ?? '')} ${String(headers['x-moz'] ?? '')}`
  return /prefetch|preview|prerender/i.test(purpose)
}
