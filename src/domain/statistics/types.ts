import type { Platform } from '../gateways/registry.ts'

/** Outcomes of recipients of pushes, counted when their page closes, and reports of devices. */
export const PUSH_COUNTS = [
  'accepted',
  'failed',
  'expired',
  'cancelled',
  'skipped',
  'unknown',
  'delivered',
  'opened',
  'dismissed',
] as const

export type PushCounts = Record<(typeof PUSH_COUNTS)[number], number>

/** Counts of one platform; null: recipients for whom the app has no gateway. */
export type PlatformCounts = PushCounts & { platform: Platform | null }

/** A day with its pushes. `day` is `2026-11-23` in the zone that was asked for. */
interface PushDay extends PushCounts {
  day: string
  /** Platforms with something to count, in display order. */
  platforms: PlatformCounts[]
}

/** Pushes of an app by day, oldest first; days without any are there. */
export interface PushDays {
  /** IANA name. An hour counts for the day in which it begins, so zones with half hours are off by half an hour. */
  zone: string
  days: PushDay[]
  total: PushCounts
}

/** The pushes of a period beside those of the period before it. */
export interface PushPeriod extends PushDays {
  /** The same number of days before; null when it begins before the first day of which hours are kept. */
  before: PushCounts | null
}

/** Reports of devices about a notification in one hour. */
export interface PushHour {
  /** Beginning of the hour (ms). */
  at: number
  /** Whole hours since the first one in which something was counted. */
  hour: number
  accepted: number
  delivered: number
  opened: number
  dismissed: number
}

/** A notification hour by hour, and by platform. Hours are kept for 90 days. */
export interface PushCourse {
  /** Hours with something to count, oldest first; those between are empty. */
  hours: PushHour[]
  platforms: PlatformCounts[]
}

/** Visits: `clicks` of people, `matches` (opens) in the app. */
export interface LinkCounts {
  clicks: number
  matches: number
}

/** Clicks and matches of a link, or of all links of an app, by UTC day, platform and route. */
export interface LinkDays {
  /** UTC days, oldest first; days without any are there. */
  days: (LinkCounts & { day: string })[]
  /** Clicks and matches by platform, the most first. `unknown` for visits that do not tell. */
  platforms: (LinkCounts & { platform: string })[]
  /** Clicks and matches by route, as the events `link.clicked` and `link.matched` name it; `unknown` where they do not. */
  routes: (LinkCounts & { route: string })[]
  total: LinkCounts
}

/** Clicks, or matches, of one link. */
export interface LinkVisit extends Partial<LinkCounts> {
  linkId: number
  /** Time of the figures (ms). */
  at: number
  platform?: string | undefined
  route?: string | undefined
}

/** Installs by whether pushes can reach them. */
export interface Reach {
  total: number
  /** Installs to which pushes are sent. */
  reachable: number
  /** Installs whose owner turned notifications off. */
  off: number
  /** Installs without a push token, or whose token the vendor refused. */
  withoutToken: number
}

/** Installs of an app. */
export interface InstallCounts extends Reach {
  /** Installs by platform in display order; null: installs that never had a token. */
  platforms: (Reach & { platform: Platform | null })[]
}

/** Counts of installs that changed on UTC days; a deleted install is in none of them. */
export const INSTALL_CHANGES = ['added', 'gained', 'lost', 'optedOut'] as const

/**
 * `added`: installs that reported for the first time. `gained`: installs that pushes could reach from then on. `lost`: installs whose token
 * was refused, removed or taken over by another install. `optedOut`: reachable installs whose owner turned notifications off.
 */
export type InstallChanges = Record<(typeof INSTALL_CHANGES)[number], number>

/** The changes of a period beside those of the period before it. */
export interface InstallPeriod {
  changes: InstallChanges
  /** The same number of UTC days before; null when counting began later. */
  before: InstallChanges | null
  /** The first UTC day of which something is counted, such as `2026-11-23`; null without any. */
  countedSince: string | null
}

/** The first report of a device about a notification. */
export interface CountedReport {
  kind: 'delivered' | 'opened' | 'dismissed'
  notificationId: number
  installRow: number
  /** Time of the figures (ms). */
  at: number
}
