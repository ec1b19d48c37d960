import type { EventData } from '../events/types.ts'

/** A link of an app that leads into it, also through the store. Times are milliseconds since the epoch. */
export interface DeepLink {
  id: number
  appId: number
  /** Path of the short link, without a slash in front: see slug.ts. Unique within the app, case-sensitive. */
  slug: string
  /** What the app gets when the link is matched. */
  linkData: Record<string, unknown>
  content: LinkContent
  /** Absolute http or https address without user and password, as it was given: for a header take `new URL(…).href`. */
  desktopWebFallbackUrl: string
  /** As `desktopWebFallbackUrl`. */
  mobileWebFallbackUrl: string
  reportingMeta: Record<string, unknown> | null
  expiresAt: number | null
  /** So many matches are answered with the data; null = any number. */
  lookupLimit: number | null
  /** Matches counted until now. */
  lookups: number
  /** Visits of people until now. */
  clicks: number
  createdAt: number
  updatedAt: number
}

/** What the jump page and the app show. Absent when it was not given. */
export interface LinkContent {
  title?: string
  description?: string
}

/** A link that somebody asks for. */
export interface NewLink {
  slug?: string | undefined
  linkData: Record<string, unknown>
  /** Null and empty texts are as if they were absent. */
  content?: { title?: string | null | undefined; description?: string | null | undefined } | undefined
  desktopWebFallbackUrl: string
  mobileWebFallbackUrl: string
  reportingMeta?: Record<string, unknown> | undefined
  /** Milliseconds since the epoch. */
  expiresAt?: number | undefined
  lookupLimit?: number | undefined
}

/** What the SDK is told of a link. An expired or over-limit link still serves the person who follows it. */
export type LinkState = 'active' | 'expired' | 'over_limit'

/** How the links of an app are reached and which apps they open. */
export interface LinkSettings {
  /** First label of the app's host below `links.domain`; always there, unique, chosen by us. */
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
  /** For how many seconds a tap waits for the first start of the app on what looks like the same device; 0 = never. */
  fingerprintWindow: number
  /** Whether the jump page copies the link for the app's first start when the person presses the button. */
  offersClipboard: boolean
}

/** The app that a host name is of. */
export interface LinkSite {
  appId: number
  appName: string
  settings: LinkSettings
}

/** One visit of a person, not of a crawler. */
export interface Click {
  appId: number
  linkId: number
  /** What its event tells of the link, where the visit has it at hand: it is looked up otherwise. `reportingMeta` as JSON. */
  label?: { slug: string; reportingMeta: string | null } | undefined
  /** When (ms). */
  at: number
  /** What else the event `link.clicked` shall hold: platform, where the person was sent. */
  data?: EventData | undefined
}
