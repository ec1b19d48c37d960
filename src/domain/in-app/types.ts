import type { Narrowing } from '../audience/types.ts'
import type { Schedule } from '../schedules/schedule.ts'
import type { ContentDocument, TagValues } from '../templates/types.ts'

/** `status` of the contract's in-app message record: the numbers of notifications (docs/decisions/0006-where-the-contract-is-silent.md). */
export const STATUS = { scheduled: 0, queued: 1, sending: 2, sent: 3, withdrawn: 4, failed: 5 } as const
export type Status = (typeof STATUS)[keyof typeof STATUS]

/** Which door it came through; the numbers of notifications. */
export const SOURCE = { messages: 1, cli: 4, console: 5 } as const
export type Source = (typeof SOURCE)[keyof typeof SOURCE]

/** When a device shows it by itself. */
export const PRESENTED_WHEN = ['immediately', 'next-open', 'never'] as const
export type PresentedWhen = (typeof PRESENTED_WHEN)[number]

/** The push that announces a message, as the caller gave it. */
export interface Announcement {
  title: string
  message: string
  ios?: { media?: { pictureUrl?: string } }
  android?: { pictureUrl?: string }
}

/** The entry in the app's inbox; `from` and `to` (ms) bound when it is there. */
export interface Inbox {
  title: string
  subtitle: string
  from?: number
  to?: number
  imageUrl?: string
}

/**
 * To whom, with every id looked up: what is stored with a message and walked when it is due. `exclude` are install rows: whoever
 * is the current user of one of them gets nothing.
 */
export type InAppTarget =
  | { kind: 'broadcast'; exclude: number[] }
  /** User ids, and rows of installs whose users at the time are meant; ascending, each once. */
  | { kind: 'named'; users: number[]; installs: number[]; exclude: number[] }
  /** Everybody with an install of which all of it holds at the time. */
  | { kind: 'filter'; narrowing: Narrowing; exclude: number[] }

/** A message as it is stored, without the rows that its target came down to. Times are milliseconds since the epoch. */
export interface InAppMessage {
  id: number
  appId: number
  source: Source
  status: Status
  /** Why the status is `failed` or `withdrawn`, for people. */
  statusReason: string | null
  /** The targeting as the caller gave it, without what was empty or false. */
  filters: Record<string, unknown>
  /** Uid of the template, and which version of it was rendered. */
  template: string
  templateVersion: number
  /** Values of the dynamic tags as the caller gave them. */
  tagValues: TagValues
  notification: Announcement | null
  /** What devices get. */
  content: ContentDocument
  /** For the app, beside the content. */
  data: Record<string, unknown> | null
  inbox: Inbox | null
  presentedWhen: PresentedWhen
  /** From the moment a user gets it; null = it is never over. */
  ttlMs: number | null
  /** Null = at once. */
  schedule: Schedule | null
  /** The linked push. */
  notificationId: number | null
  /** When its next step is due; null when all its recipients are found, or it was called off. */
  nextAt: number | null
  /** Taken back: devices that have it drop it. */
  withdrawnAt: number | null
  /** Users who have it, and users left out because the time had passed where they are. */
  recipients: number
  skipped: number
  /** Users on whose devices it arrived, was shown, was closed, was read in the inbox, was removed from the inbox. */
  delivered: number
  shown: number
  dismissed: number
  read: number
  inboxDeleted: number
  createdAt: number
  updatedAt: number
}

/** How far the walk of a message is. JSON. */
export interface Cursor {
  /** The last user seen of a walk through everybody, or at `place`. */
  user?: number
  /** How far a walk from place to place is. */
  place?: { zone: string | null; hour: number }
  /** Named users and installs that are through. */
  listed?: number
  /** This walk takes everybody who is left. */
  last?: true
  /** This walk began too late for the push of those whose instant it was. */
  late?: true
  /** When the walk before this one began (ms); of a walk under way, when it began itself. */
  since?: number
  /** Of a walk under way: when the one before it began (ms). */
  behind?: number
}

/** What a step of the fan-out must know of a message. */
export interface Walk {
  id: number
  appId: number
  status: Status
  target: InAppTarget
  schedule: Schedule | null
  notificationId: number | null
  ttlMs: number | null
  nextAt: number
  /** When the walk under way began (ms); null between walks. */
  walkedAt: number | null
  cursor: Cursor
  recipients: number
  skipped: number
  createdAt: number
}
