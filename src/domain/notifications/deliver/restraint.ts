import type { Restraint } from '../../apps/types.ts'
import { SLOT } from '../record/page.ts'

/** A recipient as its app's restraint judges it. `sent`: when it got its latest notifications (ms), in any order. */
export interface Restrained {
  timezone: string | null
  sent: readonly number[]
}

const HOUR_MS = 3_600_000

/**
 * Reason that a recipient is left out now, as an outcome byte; undefined when it may be sent to. `localMinute` returns the
 * minute of the local day (0 to 1439) in a time zone; the caller computes it once per zone. Pure.
 */
export function reasonToLeaveOut(
  restraint: Pick<Restraint, 'quiet' | 'cap'>,
  { timezone, sent }: Restrained,
  now: number,
  localMinute: (zone: string | null) => number,
): number | undefined {
  const { quiet, cap } = restraint
  if (quiet && isQuiet(quiet, localMinute(timezone))) return SLOT.quiet_hours
  if (cap && sent.filter((at) => at > now - cap.hours * HOUR_MS).length >= cap.count) return SLOT.frequency_cap
  return undefined
}

/**
 * Tells whether `minute` is in the quiet hours: `from` included, `to` excluded. A span such as 22:00 to 07:00 crosses
 * midnight.
 */
export function isQuiet({ from, to }: { from: number; to: number }, minute: number): boolean {
  return from <= to ? minute >= from && minute < to : minute >= from || minute < to
}

/** The history of an install after one more send, shortened to what the cap needs. */
export function remember(sent: readonly number[], now: number, cap: { count: number; hours: number }): number[] {
  return [...sent.filter((at) => at > now - cap.hours * HOUR_MS), now].slice(-cap.count)
}

/** The history of an install without the send at `at`, which did not happen after all. */
export function withdraw(sent: readonly number[], at: number): number[] {
  const place = sent.indexOf(at)
  return place < 0 ? [...sent] : sent.toSpliced(place, 1)
}

/**
 * A rate limit by the generic cell rate algorithm (GCRA): `usedUntil` (µs) is the time up to which the rate is used. At
 * most one second's worth is granted at once. Returns how many of `wanted` are granted, and the new `usedUntil`. Pure.
 */
export function takePermits(
  perSecond: number,
  usedUntil: number,
  wanted: number,
  now: number,
): { granted: number; usedUntil: number } {
  const each = 1_000_000 / perSecond
  const start = Math.max(usedUntil, now * 1000 - 1_000_000)
  const granted = Math.max(0, Math.min(wanted, Math.floor((now * 1000 - start) / each + 1e-9)))
  return { granted, usedUntil: Math.round(start + granted * each) }
}
