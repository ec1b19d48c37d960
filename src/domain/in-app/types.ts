import { SEND_STATUS, type SOURCE } from '../audience/sends.ts'
import type { UserTarget } from '../audience/types.ts'
import type { UserCursor } from '../audience/walk/walk.ts'
import type { Schedule } from '../schedules/schedule.ts'
import type { ContentDocument, TagValues } from '../templates/types.ts'

/** The contract's `status` of an in-app message. */
export const STATUS = { ...SEND_STATUS, withdrawn: 4 } as const
export type Status = (typeof STATUS)[keyof typeof STATUS]

/** The sources that an in-app message can have. */
export type Source = (typeof SOURCE)['messages' | 'cli' | 'console']
export { SOURCE } from '../audience/sends.ts'

/** Moments at which a device shows the message by itself. */
export const PRESENTED_WHEN = ['immediately', 'next-open', 'never'] as const
export type PresentedWhen = (typeof PRESENTED_WHEN)[number]

/** The linked push, as the caller gave it. */
export interface Announcement {
  title: string
  message: string
  ios?: { media?: { pictureUrl?: string } }
  android?: { pictureUrl?: string }
}

/** The entry in the app's inbox, which is there between `from` and `to` (ms). */
export interface Inbox {
  title: string
  subtitle: string
  from?: number
  to?: number
  imageUrl?: string
}

/** A stored message without its target, which may list very many users. Times are milliseconds since the epoch. */
export interface InAppMessage {
  id: number
  appId: number
  source: Source
  status: Status
  /** The reason why the status is `failed` or `withdrawn`, in words. */
  statusReason: string | null
  /** The targeting as the caller gave it, without empty and false fields. */
  filters: Record<string, unknown>
  /** The template's uid, and the version of it that was rendered. */
  template: string
  templateVersion: number
  /** Values of the dynamic tags, as the caller gave them. */
  tagValues: TagValues
  notification: Announcement | null
  /** The rendered document that devices show. */
  content: ContentDocument
  /** Data for the app, in addition to the content. */
  data: Record<string, unknown> | null
  inbox: Inbox | null
  presentedWhen: PresentedWhen
  /** Time to live, counted from the moment a user gets the message; null: it never expires. */
  ttlMs: number | null
  /** Due time; null: it was due at once. */
  schedule: Schedule | null
  /** The uid of its purpose; null: it has none. */
  purpose: string | null
  /** True when it ignores purposes, and its push also quiet hours and the frequency cap. */
  transactional: boolean
  /** The linked push; null when there is none. */
  notificationId: number | null
  /** The time at which the next step of its fan-out is due; null when the fan-out is finished or cancelled. */
  nextAt: number | null
  /** The time at which it was withdrawn; null: it was not. */
  withdrawnAt: number | null
  /**
   * Users who have it, and users skipped: because they do not want it, are on the suppression list, all of their
   * installs are excluded, or the time had passed in their zone.
   */
  recipients: number
  skipped: number
  notWanted: number
  onSuppressionList: number
  excluded: number
  /** The number of users on whose devices it arrived, was shown, was closed, was read in the inbox, was removed from the inbox. */
  delivered: number
  shown: number
  dismissed: number
  read: number
  inboxDeleted: number
  createdAt: number
  updatedAt: number
}

/** Position of a message's fan-out: of the walk under way, or between two walks. Stored as JSON. */
export interface Cursor extends UserCursor {
  /** The last walk: it takes everybody who does not have the message yet. */
  last?: true
  /** The walk began more than `schedule.maxLateness` after it was due: users who were due then get no push. */
  late?: true
  /** Beginning of a walk (ms): of the one that runs, or between two walks, of the previous one. */
  since?: number
  /** During a walk: the time at which the previous one began (ms). */
  behind?: number
}

/** A message as its fan-out reads it. */
export interface Walk {
  id: number
  appId: number
  status: Status
  target: UserTarget
  schedule: Schedule | null
  purpose: string | null
  transactional: boolean
  notificationId: number | null
  ttlMs: number | null
  nextAt: number
  /** The time at which the walk under way began (ms); null between walks. */
  walkedAt: number | null
  cursor: Cursor
  recipients: number
  skipped: number
  notWanted: number
  onSuppressionList: number
  excluded: number
  createdAt: number
}
