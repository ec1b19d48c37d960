import type { Target } from '../audience/types.ts'
import type { PushContent } from '../gateways/gateway.ts'
import type { Schedule } from '../schedules/schedule.ts'

/** `status` of the contract's notification record (docs/decisions/0006-where-the-contract-is-silent.md). */
export const STATUS = { scheduled: 0, queued: 1, sending: 2, sent: 3, cancelled: 4, failed: 5 } as const
/** Not through yet. */
export const OPEN: readonly number[] = [STATUS.scheduled, STATUS.queued, STATUS.sending]
export type Status = (typeof STATUS)[keyof typeof STATUS]

/** `source` of the record: which door it came through (docs/decisions/0006-where-the-contract-is-silent.md). */
export const SOURCE = { messages: 1, push: 2, legacy: 3, cli: 4, console: 5, inApp: 6 } as const
export type Source = (typeof SOURCE)[keyof typeof SOURCE]

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
