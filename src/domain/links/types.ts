import type { EventData } from '../events/types.ts'
import type { Picture } from '../pictures/types.ts'

/** A link that leads into the app, through the store if necessary. Times are milliseconds since the epoch. */
export interface DeepLink {
  id: number
  appId: number
  /** Path of the short link without the leading slash, see make/slug.ts. Unique within the app, case-sensitive. */
  slug: string
  /** The data that the app gets when the link is matched. */
  linkData: Record<string, unknown>
  content: LinkContent
  /** Address of the picture that chats show of the link. Null: the icon of the app. */
  pictureUrl: string | null
  /** Absolute http or https URL without user and password, as it was given. For a header use `new URL(…).href`. */
  desktopWebFallbackUrl: string
  /** The same as `desktopWebFallbackUrl`, for phones. */
  mobileWebFallbackUrl: string
  reportingMeta: Record<string, unknown> | null
  expiresAt: number | null
  /** False for a link that was switched off: visitors and SDKs get the answer for an unknown one. */
  isEnabled: boolean
  /** Maximum number of matches; null = no limit. */
  lookupLimit: number | null
  /** Number of matches so far. */
  lookups: number
  /** Number of visits by people so far. */
  clicks: number
  createdAt: number
  updatedAt: number
}

/** Shown by the jump page and the app. Absent when not given. */
export interface LinkContent {
  title?: string
  description?: string
}

/** A link to create. */
export interface NewLink {
  slug?: string | undefined
  linkData: Record<string, unknown>
  /** Texts of the jump page. Null and empty texts count as absent. */
  content?: { title?: string | null | undefined; description?: string | null | undefined } | undefined
  pictureUrl?: string | undefined
  desktopWebFallbackUrl: string
  mobileWebFallbackUrl: string
  reportingMeta?: Record<string, unknown> | undefined
  /** Milliseconds since the epoch. */
  expiresAt?: number | undefined
  lookupLimit?: number | undefined
  /** Default true. */
  isEnabled?: boolean | undefined
}

/** Changes of a request: absent fields are left unchanged, null clears. */
export interface LinkChange {
  /** The address of a link may be printed, so only its present slug is accepted. */
  slug?: string | undefined
  linkData?: Record<string, unknown> | undefined
  /** Replaced as a whole. */
  content?: NewLink['content'] | null
  pictureUrl?: string | null | undefined
  desktopWebFallbackUrl?: string | undefined
  mobileWebFallbackUrl?: string | undefined
  reportingMeta?: Record<string, unknown> | null | undefined
  expiresAt?: number | null | undefined
  lookupLimit?: number | null | undefined
  isEnabled?: boolean | undefined
}

/** The state of a link for the SDK. People who follow an expired or over-limit link are still served. */
export type LinkState = 'active' | 'expired' | 'over_limit' | 'disabled'

/** Settings of an app's links: their hosts, and the apps that they open. */
export interface LinkSettings {
  /** First label of the app's host below `links.domain`. Unique; assigned when the app is created. */
  subdomain: string
  /** The app's own host name, in lower case, without port; null when it has none. */
  domain: string | null
  /** Apple team id, 10 characters. */
  iosTeamId: string | null
  iosBundleIds: string[]
  androidPackage: string | null
  /** SHA-256 fingerprints of signing certificates: upper case, colons between the bytes. */
  androidSha256: string[]
  /** `https://apps.apple.com/…` */
  appStoreUrl: string | null
  /** `https://play.google.com/store/apps/details?id=…` */
  playStoreUrl: string | null
  /** The number of seconds in which a tap can be matched to the first start of the app by fingerprint; 0 = never. */
  fingerprintWindow: number
  /** True when the button of the jump page copies the link for the first start of the app. */
  offersClipboard: boolean
  /** The icon of the app for the jump page: a data URL of a PNG, JPEG or WebP; null when it has none. */
  icon: string | null
  /** Colour of the app on the jump page, as `#rrggbb`; null when it has none. */
  color: string | null
  /** True when computers get a page with a QR code of the link instead of a redirect. */
  offersCode: boolean
}

/** The settings that an address of a link, and the match of a tap, need: not the icon, which has up to 32 kB. */
export interface LinkPlace {
  appId: number
  settings: Pick<LinkSettings, 'subdomain' | 'domain' | 'fingerprintWindow'>
}

/** The app of a host name. */
export interface LinkSite {
  appId: number
  appName: string
  settings: LinkSettings
  /** The picture that is the icon of the app; null when it has none. An icon of the settings is shown in its place. */
  appIcon: Pick<Picture, 'uid' | 'kind'> | null
}

/** One visit of a person, not of a crawler. */
export interface Click {
  appId: number
  linkId: number
  /**
   * Data of the link for the event, if the visit has read it; it is looked up otherwise. `reportingMeta` is JSON text.
   */
  label?: { slug: string; reportingMeta: string | null } | undefined
  /** The time of the visit (ms). */
  at: number
  /** Further data of the event `link.clicked`: the platform, and the place to which the person was sent. */
  data?: EventData | undefined
}
