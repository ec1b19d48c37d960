import type { Counts, Notification } from './types.ts'

/** A notification as it is shown: without the rows that its target came down to. */
export type NotificationRecord = Omit<Notification, 'target'>

/** How many recipients were not reached for one reason; `reason` is the vendor's own word. */
export interface FailureCount {
  kind: string
  reason: string
  count: number
}

export interface NotificationReport {
  notification: NotificationRecord
  counts: Counts
  /** Most frequent first. */
  failures: FailureCount[]
}
