import type { Place } from '../../audience/walk/within.ts'
import { dueTimes, EARTH_OFFSETS, isByPlace, type Schedule } from '../../schedules/schedule.ts'
import type { NewRun } from '../record/ledger.repository.ts'

/** Allowance for clocks that differ: a run may begin a little before the first due time by another node's clock. */
const MARGIN_MS = 60_000

/** The input of a plan. */
export interface PlanInput {
  schedule: Schedule | null
  /** Time zones that have installs now. */
  zones: readonly (string | null)[]
  now: number
  defaultZone: string
  /** Time to live in milliseconds, from each due time. */
  ttlMs: number
  /** The delay after `now` (ms), without a schedule. */
  holdMs?: number | undefined
}

/**
 * The runs of a notification. One for each due time, including due times of zones without installs, because installs
 * may move there: all of these but the last one share a run. One at once for installs for which the time has passed; and a last one for
 * installs that moved and that no other run reached. Pure.
 */
export function planRuns({ schedule, zones, now, defaultZone, ttlMs, holdMs = 0 }: PlanInput): NewRun[] {
  if (schedule === null) return [{ kind: 'now', dueAt: now + holdMs, within: null, expiresAt: null }]
  const { due, skipped } = dueTimes(schedule, [...zones, ...EARTH_OFFSETS], now, defaultZone)
  const isSkipping = skipped === null || skipped.length > 0
  const firstDue = isSkipping ? now : (due[0]?.at ?? now)
  const within = (places: Place[] | null) => places && { places, changedSince: firstDue - MARGIN_MS }

  const empty = due.slice(0, -1).filter(({ places }) => places?.length === 0)
  const later = empty.slice(1).map(({ at }) => at)
  const runs: NewRun[] = []
  for (const { at, places } of due) {
    const run: NewRun = { kind: 'send', dueAt: at, within: within(places), expiresAt: at + ttlMs }
    if (at === empty[0]?.at && later.length > 0) runs.push({ ...run, within: { ...run.within!, later } })
    else if (!later.includes(at)) runs.push(run)
  }
  if (isSkipping) runs.unshift({ kind: 'skip', dueAt: now, within: within(skipped), expiresAt: null })
  if (isByPlace(schedule) && due.length > 0) {
    const dueAt = due.at(-1)!.at
    runs.push({ kind: 'rest', dueAt, within: { ...within([])!, changedOnly: true }, expiresAt: dueAt + ttlMs })
  }
  return runs
}

/** The zones and hours of a run, computed from the zones that have installs when it begins. */
export interface Placement {
  /** Null means everybody. */
  places: Place[] | null
  /** No zone in use is due later than this run. */
  isLast: boolean
}

/** The placement of a run. `plannedAt`: the time at which the plan was made (ms). */
export function placementOf(
  { kind, dueAt }: Pick<NewRun, 'kind' | 'dueAt'>,
  schedule: Schedule,
  zones: readonly (string | null)[],
  plannedAt: number,
  defaultZone: string,
): Placement {
  const { due, skipped } = dueTimes(schedule, zones, plannedAt, defaultZone)
  const isLast = due.every(({ at }) => at <= dueAt)
  if (kind === 'skip') return { places: skipped, isLast }
  return { places: due.find(({ at }) => at === dueAt)?.places ?? [], isLast }
}
