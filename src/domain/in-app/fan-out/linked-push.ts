import type { FieldErrors } from '../../../platform/errors.ts'
import type { ConsentOfSend } from '../../consent/types.ts'
import type { Schedule } from '../../schedules/schedule.ts'
import type { Announcement, Announcing, PersonalParts } from '../types.ts'

/** A subscribed install of a user; `platform` is one of `PLATFORM_TYPES`. */
export interface PushedInstall {
  userId: number
  row: number
  platform: number
}

/** The texts of a linked push. */
export interface AnnouncedText {
  announcing: Announcing
  /** The message's own: how template texts are read, and what they may look up. Those of a push template are used without them. */
  personal: Pick<PersonalParts, 'personalize' | 'lookup'>
}

/** A linked push, created together with its message. */
export interface NewLinkedPush {
  messageId: number
  /** The message's targeting as shown in the record. */
  filters: Record<string, unknown>
  schedule: Schedule | null
  /** The message's purpose and priority. */
  consent: ConsentOfSend
  /** The message's labels. */
  labels: string[] | null
  /** The time at which the first pushes are due (ms). */
  dueAt: number
  /** Time to live (ms), from the step that finds the install. */
  ttlMs: number
}

/** The pushes of one step: to the installs of the users who get the message in it. */
interface MorePushes {
  installs: readonly PushedInstall[]
  ttlMs: number
  /** True when they are too late to be sent: they end as `missed`. */
  late: boolean
  now: number
}

/** The results of a linked push. */
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

/** The reader of a linked push by their row: an install, or a user, who counts as their most recently active install. */
export interface AnnouncedReader {
  of: 'installs' | 'users'
  row: number
}

/** A linked push as one user gets it. */
export type AnnouncedToUser =
  | { title: string; message: string; pictureUrl: string | null }
  | { missing: readonly string[] }
  | { tooLarge: true }

/** A linked push that was judged, with what its push template says. */
export interface PreparedPush {
  /** Its texts, for the record of the message. */
  announcement: Announcement
  /** The paths of texts that look like template texts, in a push that is not personalised. */
  unused: readonly string[]
  /** The push as a reader gets it, or the reason why they get none. `language`: in the place of their own. */
  preview(reader: AnnouncedReader, language: string | undefined): Promise<AnnouncedToUser>
  /** Stores the push without recipients; returns its id. */
  open(push: NewLinkedPush): Promise<number>
  /** Puts this one in the place of the stored push with this id, of which nothing has begun; false: that was cancelled, and stays so. */
  replace(id: number, push: NewLinkedPush): Promise<boolean>
}

/**
 * A push that announces an in-app message: the functions that this area needs of notifications, the higher area, which
 * provides them. The push is open until the fan-out of its message is finished; only the message decides who gets it.
 * Every function but the waiting one runs in the caller's transaction.
 */
export interface LinkedPushes {
  /**
   * Completes it with its push template, and judges its texts and its size: its problems, and one sentence per platform of the app for
   * which it is too large, by path in the request. `push` is undefined where its push template is unknown or does not go with it.
   */
  prepare(
    appId: number,
    text: AnnouncedText,
    now: number,
  ): Promise<{ errors: FieldErrors; push: PreparedPush | undefined }>
  /**
   * A walk of the message begins or ends. Once the last one began, the push cannot be cancelled alone. `nextAt` (ms):
   * when the next step is due.
   */
  begin(id: number, walk: { isLast: boolean; nextAt: number }): Promise<void>
  /** Adds recipients, unless the push was cancelled. */
  add(appId: number, id: number, more: MorePushes): Promise<void>
  /** The fan-out is finished: no more recipients follow. */
  close(appId: number, id: number): Promise<void>
  /** Moves a push of which nothing has begun, with its message; what it says stays. One that was cancelled stays so. */
  move(appId: number, id: number, push: NewLinkedPush): Promise<void>
  /** Cancels the unsent part. `why`: the reason, unless its message was withdrawn. */
  callOff(id: number, why?: string): Promise<void>
  /**
   * Waits until no request of the push is in flight; false when one still is after a timeout. Must not run in a
   * transaction.
   */
  untilNoneInFlight(id: number): Promise<boolean>
  report(appId: number, id: number): Promise<LinkedPushReport>
}

/**
 * Time to live (ms) of a linked push: that of any push (`defaultTtl`, seconds), but never longer than that of its
 * message.
 */
export function pushTtl(messageTtlMs: number | null, defaultTtl: number): number {
  return Math.min(messageTtlMs ?? Number.POSITIVE_INFINITY, defaultTtl * 1000)
}
