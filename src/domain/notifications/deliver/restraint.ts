import type { Restraint } from '../../apps/types.ts'
import { SLOT } from '../record/page.ts'

/** What restraint must know of a recipient. `sent`: when it got its latest notifications (ms), any order. */
export interface Restrained {
  timezone: string | null
  sent: readonly number[]
}

const HOUR_MS = 3_600_000

/**
 * Whether a recipient is left out now, and why: the outcome byte, or undefined when it may be sent to. `localMinute` tells
 * the minute of the local day (0 to 1439) in a zone; the caller keeps it for a moment, zones are few. Pure.
 */
export function suppressionOf(
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

/** True from `from` to before `to`; a span like 22:00 to 07:00 goes over midnight. */
export function isQuiet({ from, to }: { from: number; to: number }, minute: number): boolean {
  return from <= to ? minute >= from && minute < to : minute >= from || minute < to
}

/** The history of an install after one more send: what the cap still needs of it. */
export function remember(sent: readonly number[], now: number, cap: { count: number; hours: number }): number[] {
  return [...sent.filter((at) => at > now - cap.hours * HOUR_MS), now].slice(-cap.count)
}

/** The history of an install whose send at `at` did not happen after all. */
export function withdraw(sent: readonly number[], at: number): number[] {
  const place = sent.indexOf(at)
  return place < 0 ? [...sent] : sent.toSpliced(place, 1)
}

/**
 * Permits of a rate limit (GCRA): `usedUntil` (µs) is how far into the future earlier permits reach. At most a second's worth
 * may go at once. Returns how many of `wanted` may go now, and the new `usedUntil`. Pure.
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
