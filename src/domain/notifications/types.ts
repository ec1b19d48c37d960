import { SEND_STATUS, type Source } from '../audience/sends.ts'
import type { Target } from '../audience/types.ts'
import type { PushContent } from '../gateways/gateway.ts'
import type { Schedule } from '../schedules/schedule.ts'

/** The contract's `status` of a notification. */
export const STATUS = { ...SEND_STATUS, cancelled: 4 } as const
export type Status = (typeof STATUS)[keyof typeof STATUS]

/** SQL that is true while a notification is not finished: the literal condition of the partial index, which is not used with another. */
export const isOpenSql = (column = 'status') => `${column} < ${STATUS.sent}`

export { OPEN_STATUS as OPEN, SOURCE, type Source } from '../audience/sends.ts'

/** The content as it is stored: everything but the id, which the row has. */
export type StoredContent = Omit<PushContent, 'notificationId'>

export interface Notification {
  id: number
  appId: number
  source: Source
  status: Status
  /** Why the status is `failed` or `cancelled`, for people. */
  statusReason: string | null
  /** The targeting as the caller gave it, without what was empty or false. */
  filters: Record<string, unknown>
  target: Target
  content: StoredContent
  reportingMeta: Record<string, unknown> | null
  hasUserMeta: boolean
  /** When it is due; null means at once. */
  schedule: Schedule | null
  /** After this (ms) no recipient is tried any more. */
  expiresAt: number
  /** Recipients per second; null means as fast as the gateways take it. */
  rateLimit: number | null
  delivered: number
  opened: number
  dismissed: number
  createdAt: number
  updatedAt: number
}

/** Sums over the ledger. Every recipient is in exactly one of `pending` … `unknown`; they add up to `audience`. */
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
