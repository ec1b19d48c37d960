import type { Finding } from '../gateway.ts'

/** Days before a credential ends at which the operator is told. */
const EXPIRY_NOTICE_DAYS = [30, 14, 7, 1] as const
const DAY_MS = 86_400_000

/**
 * The warning due for a credential that expires at `notAfter`: 30, 14, 7 or 1 (days), 0 after expiry, undefined before
 * that. A sweep warns when the answer differs from the last one.
 */
export function expiryNotice(notAfter: number, now: number): 30 | 14 | 7 | 1 | 0 | undefined {
  if (notAfter <= now) return 0
  return EXPIRY_NOTICE_DAYS.toReversed().find((days) => notAfter - now <= days * DAY_MS)
}

/** Credentials that expire later than this (ms from now) need no warning. */
export const EXPIRY_HORIZON_MS = Math.max(...EXPIRY_NOTICE_DAYS) * DAY_MS

/**
 * The warning that the operator has not had yet, or undefined. Warnings only move towards expiry, unless the last one
 * was wrong by more than a day: then the clock was ahead.
 */
export function dueNotice(
  { notAfter, notice }: { notAfter: number; notice: number | null },
  now: number,
): number | undefined {
  const due = expiryNotice(notAfter, now)
  if (due === undefined || notice === null || due < notice) return due
  return notAfter - now > (notice + 1) * DAY_MS ? due : undefined
}

/** The expiry as a finding. `what` is a noun ("the certificate"). */
export function expiryFinding(what: string, notAfter: number, now: number, remedy: string): Finding {
  const notice = expiryNotice(notAfter, now)
  const date = new Date(notAfter).toISOString().slice(0, 10)
  if (notice === undefined) return { level: 'ok', what: `${what} is valid until ${date}` }
  if (notice === 0) return { level: 'error', what: `${what} expired on ${date}`, remedy }
  const days = Math.ceil((notAfter - now) / DAY_MS)
  const left = days === 1 ? 'within a day' : `in ${days} days`
  return { level: notice === 1 ? 'error' : 'warning', what: `${what} expires ${left}, on ${date}`, remedy }
}
