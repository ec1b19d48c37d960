import type { ValueType } from '../../../platform/db/statement.ts'
import { packRows, reasonsOf, SLOT, tally, unpackRows } from './page.ts'
import type { Tries } from './verdict.ts'

/** A page for delivery. */
export interface Page extends Tries {
  id: number
  appId: number
  notificationId: number
  laneId: number | null
  /** The time at which its recipients expire (ms); null means when the notification does. */
  expiresAt: number | null
  /** True when a worker died while it was sending to these recipients: they may have got the message. */
  afterCrash: boolean
  /** True when its recipients are meant as installs of certain users: one that has passed to somebody else meanwhile gets nothing. */
  byUser: boolean
  rows: number[]
  outcomes: Buffer
}

export interface NewPage extends Partial<Tries> {
  appId: number
  notificationId: number
  /** Absent when none of its recipients can be sent to: the page is finished at once. */
  laneId?: number | undefined
  rows: number[]
  /** The outcome byte of every slot; absent means pending. */
  slot?: number
  notBefore: number
  expiresAt?: number | null
  /** Absent means false. */
  afterCrash?: boolean
  /** Absent means false. */
  byUser?: boolean
  /** True when its recipients wait for the end of quiet hours; absent means false. */
  held?: boolean
}

/** A row of the table `pages`. */
export interface PageRow {
  id: number
  app_id: number
  notification_id: number
  lane_id: number | null
  state: string
  not_before: number
  expires_at: number | null
  attempt: number
  resends: number
  after_crash: boolean | number
  by_user: boolean | number
  held: boolean | number
  recipients: Buffer
  outcomes: Buffer
}

/** The columns that `toPage` reads. */
export type ReadPage = Pick<
  PageRow,
  | 'id'
  | 'app_id'
  | 'notification_id'
  | 'lane_id'
  | 'expires_at'
  | 'attempt'
  | 'resends'
  | 'after_crash'
  | 'by_user'
  | 'recipients'
  | 'outcomes'
>

export const toPage = (row: ReadPage): Page => ({
  id: row.id,
  appId: row.app_id,
  notificationId: row.notification_id,
  laneId: row.lane_id,
  expiresAt: row.expires_at,
  attempt: row.attempt,
  resends: row.resends,
  afterCrash: Boolean(row.after_crash),
  byUser: Boolean(row.by_user),
  rows: unpackRows(row.recipients),
  outcomes: Buffer.from(row.outcomes),
})

/** The columns in which a page's outcomes are counted. */
export const sums = (outcomes: Uint8Array) => {
  const { accepted, failed, expired, cancelled, skipped, unknown, moved } = tally(outcomes)
  return { accepted, failed, expired, cancelled, skipped, unknown, moved, reasons: JSON.stringify(reasonsOf(outcomes)) }
}

/** The columns of `fromPage` and their types. */
export const NEW_PAGE = {
  app_id: 'bigint',
  notification_id: 'bigint',
  lane_id: 'bigint',
  state: 'text',
  not_before: 'bigint',
  expires_at: 'bigint',
  attempt: 'bigint',
  resends: 'bigint',
  after_crash: 'boolean',
  by_user: 'boolean',
  held: 'boolean',
  first_install: 'bigint',
  last_install: 'bigint',
  recipients: 'bytea',
  outcomes: 'bytea',
  total: 'bigint',
  accepted: 'bigint',
  failed: 'bigint',
  expired: 'bigint',
  cancelled: 'bigint',
  skipped: 'bigint',
  unknown: 'bigint',
  moved: 'bigint',
  reasons: 'text',
  created_at: 'bigint',
  updated_at: 'bigint',
} as const satisfies Record<string, ValueType>

/** A new page as a row. */
export const fromPage = (page: NewPage, now: number) => {
  // From the pool: memory of its own would cost a small page as much as its row.
  const outcomes = Buffer.allocUnsafe(page.rows.length).fill(page.slot ?? SLOT.pending)
  return {
    app_id: page.appId,
    notification_id: page.notificationId,
    lane_id: page.laneId ?? null,
    state: page.laneId === undefined ? 'done' : 'queued',
    not_before: page.notBefore,
    expires_at: page.expiresAt ?? null,
    attempt: page.attempt ?? 0,
    resends: page.resends ?? 0,
    after_crash: page.afterCrash ?? false,
    by_user: page.byUser ?? false,
    held: page.held ?? false,
    first_install: page.rows[0]!,
    last_install: page.rows.at(-1)!,
    recipients: packRows(page.rows),
    outcomes,
    total: page.rows.length,
    ...sums(outcomes),
    created_at: now,
    updated_at: now,
  }
}
