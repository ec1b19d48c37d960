import { isbot } from 'isbot'

/** The device of a visitor. `mobile` is a phone that neither store serves; `unknown` is an unrecognized user agent. */
type AgentPlatform = 'ios' | 'android' | 'mobile' | 'desktop' | 'unknown'

/** The visitor of a link, as far as the request shows. */
export interface Agent {
  platform: AgentPlatform
  /**
   * True for a program that fetches the page for a preview or a search index. It gets the page with tags, and is not
   * counted as a click.
   */
  isPreviewer: boolean
  /** True for a person with a browser, not a previewer or another program. */
  isPerson: boolean
  /**
   * True for a Mac, or an iPad, which sends the same user agent since iPadOS 13. Only a script can distinguish them, by
   * the touch screen.
   */
  maybeTablet: boolean
}

/** The request headers that it is read from. */
export interface AgentHeaders {
  'user-agent'?: string | undefined
  /** Client hint, in quotes: `"Android"`. https://wicg.github.io/ua-client-hints/#sec-ch-ua-platform */
  'sec-ch-ua-platform'?: string | string[] | undefined
}

/** Previewers of chat and social apps, listed here to be independent of the library. Signal calls itself WhatsApp. */
const PREVIEWER =
  /^WhatsApp\/|facebookexternalhit|facebookcatalog|Facebot|Twitterbot|Slackbot|Slack-ImgProxy|TelegramBot|Applebot|LinkedInBot|Discordbot|SkypeUriPreview|Pinterestbot|redditbot|vkShare|^Viber\/|Snap URL Preview|Iframely|Embedly|Mattermost-Bot|Mastodon\/|Synapse/i

/** User agents of browsers and bots, which read pages. Others, such as curl, follow links. */
const LOOKS_AT_PAGES = /^Mozilla\/|bot\b|crawl|spider|slurp|preview|scrap|embed|unfurl|archiv|\+https?:/i

/**
 * Browsers inside the apps of Meta, which may send nothing but the list of the app (`[FBAN/FBIOS;FBDV/iPhone13,2;…]`,
 * `Instagram 219.0 (iPhone13,2; …)`). The library takes a user agent that does not begin with `Mozilla` for a program.
 */
const IN_APP = /\[FB(?:AN|AV|_IAB)\/|^(?:Instagram|Barcelona) \d/
const IN_APP_IOS = /FBIOS|iOS\b|FBSN\/iP|\biP(?:hone|ad|od)(?![a-z])/
const IN_APP_ANDROID = /FB4A|Android|FBPN\/com\.facebook\.|\/EMA\b/

/** A browser without a user. It is redirected as a browser, and not counted. */
const HEADLESS = /HeadlessChrome\//

/**
 * Reads the headers. Pure. The order matters: previewers call themselves phones, Windows phones call themselves Android
 * and iPhone, and Chrome on iOS calls itself a Mac when the desktop site is requested.
 */
export function readAgent(headers: AgentHeaders): Agent {
  const agent = headers['user-agent'] ?? ''
  const isInApp = IN_APP.test(agent) && !/\+https?:/.test(agent)
  if (PREVIEWER.test(agent) || (isbot(agent) && !isInApp && !HEADLESS.test(agent))) {
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
  if (IN_APP.test(agent)) return IN_APP_IOS.test(agent) ? 'ios' : IN_APP_ANDROID.test(agent) ? 'android' : 'mobile'
  if (/Windows NT|Macintosh|CrOS|X11|Linux/.test(agent)) return 'desktop'
  if (/\bMobile\b/.test(agent)) return 'mobile'
  return 'unknown'
}

/** Safari on a Mac, and every browser of an iPad. Other browsers on a Mac have engines that iPads do not have. */
function isMacSafari(agent: string): boolean {
  return /Macintosh.*AppleWebKit\//.test(agent) && !/Chrome\/|Chromium\/|Edg\/|OPR\//.test(agent)
}

/** Tells whether a browser prefetches the page, which may never be shown. https://wicg.github.io/nav-speculation/prefetch.html */
export function isPrefetch(headers: Readonly<Record<string, string | string[] | undefined>>): boolean {
  const purpose = `${String(headers['sec-purpose'] ?? '')} ${String(headers.purpose ?? '')} ${String(headers['x-moz'] ?? '')}`
  return /prefetch|preview|prerender/i.test(purpose)
}
