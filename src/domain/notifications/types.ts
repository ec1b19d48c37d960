import { CALLED_OFF, type ORDERS, SEND_STATUS, type Source } from '../audience/sends.ts'
import type { Target } from '../audience/types.ts'
import type { Button, PushContent } from '../gateways/gateway.ts'
import type { LookUps, Personalize } from '../personalization/request/parts.ts'
import type { Schedule } from '../schedules/schedule.ts'

/** The contract's `status` of a notification. */
export const STATUS = { ...SEND_STATUS, cancelled: CALLED_OFF } as const
export type Status = (typeof STATUS)[keyof typeof STATUS]

/**
 * SQL that is true while a notification is not finished. SQLite uses the partial index only for its literal condition.
 */
export const isOpenSql = (column = 'status') => `${column} < ${STATUS.sent}`

export { OPEN_STATUS as OPEN, SOURCE, type Source } from '../audience/sends.ts'

/** The content in one language. What is absent is taken from the default content. */
export interface Variant {
  title: string
  message: string
  url?: string
  data?: Record<string, unknown>
  /** For both platforms that show pictures. */
  pictureUrl?: string
  subtitle?: string
  buttons?: Button[]
}

/** The parts that make a content differ between recipients. */
export interface PersonalParts {
  /** By language tag, as the caller wrote it. */
  languages?: Readonly<Record<string, Variant>>
  /** Present when the texts are template texts. */
  personalize?: Personalize
  lookup?: LookUps
  /** The push template it was made of. */
  template?: { uid: string; version: number }
}

/** The stored content: without the id, which the row has. */
export type StoredContent = Omit<PushContent, 'notificationId'> & PersonalParts

export interface Notification {
  id: number
  appId: number
  source: Source
  /** The series of which it is an occurrence; null: of none. */
  seriesId: number | null
  status: Status
  /** The reason why the status is `failed` or `cancelled`, in words. */
  statusReason: string | null
  /** The targeting as the caller gave it, without empty and false fields. */
  filters: Record<string, unknown>
  target: Target
  content: StoredContent
  reportingMeta: Record<string, unknown> | null
  /** Short words by which lists and reports find it; null: none. */
  labels: string[] | null
  hasUserMeta: boolean
  /** The schedule; null: it was due at once. */
  schedule: Schedule | null
  /** The time at which it expires for all recipients (ms). */
  expiresAt: number
  /** True when its time to live is 0: each recipient is tried once, in its turn, and neither we nor the vendor keep it for later. */
  oneTry: boolean
  /** Recipients per second; null: no limit. */
  rateLimit: number | null
  /** The uid of its purpose; null: it has none. */
  purpose: string | null
  /** True when it ignores quiet hours, frequency cap and purposes. */
  transactional: boolean
  /** True when somebody sent it to see how it looks: it is in no figure of the app. */
  isTest: boolean
  /** The first due time of its schedule (ms); null: it was due at once. */
  dueAt: number | null
  /** The time at which it began to be sent (ms); null: it has not, or was sent at once by an earlier version. */
  sentAt: number | null
  delivered: number
  opened: number
  dismissed: number
  createdAt: number
  /** The time of its last edit; null: it was never edited. */
  editedAt: number | null
  updatedAt: number
}

/** A notification that is about to be stored. */
export type NewNotification = Omit<Notification, 'id' | 'editedAt' | 'sentAt' | 'delivered' | 'opened' | 'dismissed'>

/** The time (ms) from which its due times are computed. */
export function plannedAtOf({ createdAt, editedAt }: Pick<Notification, 'createdAt' | 'editedAt'>): number {
  return editedAt ?? createdAt
}

/** A notification without its target, which may list very many installs. */
export type NotificationRecord = Omit<Notification, 'target'>

/** Filter of a list of notifications; absent fields do not matter. Times are milliseconds. */
export interface NotificationFilter {
  status?: Status | undefined
  createdSince?: number | undefined
  createdBefore?: number | undefined
  /** A part of the title, in capitals or not. */
  q?: string | undefined
  /** A label that it carries. */
  label?: string | undefined
  /** The order where it is not that of their creation. */
  order?: TimeOrder | undefined
}

/** `due`: those that wait for a due time, the next first. `sent`: those that were sent or are being sent, the latest first. */
export type TimeOrder = Exclude<(typeof ORDERS)[number], 'created'>

/** Counts over all pages. Every recipient is in exactly one of `pending` … `unknown`, which add up to `audience`. */
export interface Counts {
  audience: number
  pending: number
  accepted: number
  failed: number
  expired: number
  cancelled: number
  skipped: number
  unknown: number
}

/** A notification that may be compared with; `filters`: the begin of its targeting as JSON. */
export interface Comparable {
  id: number
  status: Status
  isTest: boolean
  filters: string
  opened: number
}
