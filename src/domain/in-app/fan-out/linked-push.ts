import type { Schedule } from '../../schedules/schedule.ts'
import type { Announcement } from '../types.ts'

/** A subscribed install and where its pushes go; `platform` is a type of `PLATFORM_TYPES`. */
export interface PushedInstall {
  userId: number
  row: number
  platform: number
}

/** A linked push as it is made with its message. */
export interface NewLinkedPush {
  messageId: number
  announcement: Announcement
  /** The message's targeting as it is shown. */
  filters: Record<string, unknown>
  schedule: Schedule | null
  /** When the first of them can go (ms). */
  dueAt: number
  /** From the moment it is made for an install (ms). */
  ttlMs: number
}

/** Recipients of a step: the installs of the users who are new in it. */
export interface MorePushes {
  installs: readonly PushedInstall[]
  ttlMs: number
  /** Too late to be sent: they end as missed. */
  late: boolean
  now: number
}

/** How far a linked push came. */
export interface LinkedPushReport {
  id: number
  status: number
  counts: Record<
    'audience' | 'pending' | 'accepted' | 'failed' | 'expired' | 'cancelled' | 'skipped' | 'unknown',
    number
  >
  delivered: number
  opened: number
}

/**
 * What in-app messages need of notifications, which are the higher area: a push that announces a message. It is open until its
 * message has found everybody; who gets it is decided by the message alone. Everything in the caller's transaction, but for waiting.
 */
export interface LinkedPushes {
  /** One sentence for each platform of the app for which the push is too large. */
  judge(appId: number, announcement: Announcement, now: number): Promise<string[]>
  /** Stores it without recipients; returns its id. */
  open(appId: number, push: NewLinkedPush): Promise<number>
  /** A walk begins or ends; once the last one began it cannot be cancelled by itself. `nextAt`: when the next step is due (ms). */
  begin(id: number, walk: { isLast: boolean; nextAt: number }): Promise<void>
  /** Adds recipients, unless it was cancelled. */
  add(appId: number, id: number, more: MorePushes): Promise<void>
  /** All recipients are found. */
  close(appId: number, id: number): Promise<void>
  /** Calls off what was not sent. */
  callOff(id: number): Promise<void>
  /** Waits until no request for anybody is on its way any more; false when one still is after a while. Not inside a transaction. */
  untilNoneIsOnItsWay(id: number): Promise<boolean>
  report(appId: number, id: number): Promise<LinkedPushReport>
}

/** How long (ms) a linked push is worth sending: as any push (`defaultTtl` seconds), but never longer than what it announces. */
export function pushTtl(messageTtlMs: number | null, defaultTtl: number): number {
  return Math.min(messageTtlMs ?? Number.POSITIVE_INFINITY, defaultTtl * 1000)
}
