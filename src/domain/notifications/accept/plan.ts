import type { Place } from '../../audience/within.ts'
import { dueTimes, EARTH_OFFSETS, isByPlace, type Schedule } from '../../schedules/schedule.ts'
import type { NewRun } from '../record/ledger.repository.ts'

/** A walk that began a moment before the first instant by another node's clock must not go unnoticed. */
const MARGIN_MS = 60_000

/** What a plan is made of. */
export interface PlanInput {
  schedule: Schedule | null
  /** Zones in which installs are now. */
  zones: readonly (string | null)[]
  now: number
  defaultZone: string
  /** Milliseconds from each due instant. */
  ttlMs: number
}

/**
 * The runs of a notification: one for each instant, also for instants at which nobody is due as installs are now, because they
 * may move before; one at once for those for whom the time has passed; a last one for those who moved past all others. Pure.
 */
export function planRuns({ schedule, zones, now, defaultZone, ttlMs }: PlanInput): NewRun[] {
  if (schedule === null) return [{ kind: 'now', dueAt: now, within: null, expiresAt: null }]
  const { due, skipped } = dueTimes(schedule, [...zones, ...EARTH_OFFSETS], now, defaultZone)
  const isSkipping = skipped === null || skipped.length > 0
  const firstDue = isSkipping ? now : (due[0]?.at ?? now)
  const within = (places: Place[] | null) => places && { places, changedSince: firstDue - MARGIN_MS }

  const runs: NewRun[] = due.map(({ at, places }) => {
    return { kind: 'send', dueAt: at, within: within(places), expiresAt: at + ttlMs }
  })
  if (isSkipping) runs.unshift({ kind: 'skip', dueAt: now, within: within(skipped), expiresAt: null })
  if (isByPlace(schedule) && due.length > 0) {
    const dueAt = due.at(-1)!.at
    runs.push({ kind: 'rest', dueAt, within: { ...within([])!, changedOnly: true }, expiresAt: dueAt + ttlMs })
  }
  return runs
}

/** Where those are who belong to a run, by the zones in which installs are as it begins. */
export interface Placement {
  /** Null means everybody. */
  places: Place[] | null
  /** Everybody there is is due by this run or was by an earlier one. */
  isLast: boolean
}

/** `acceptedAt`: what the time was when the plan was made. */
export function placementOf(
  { kind, dueAt }: Pick<NewRun, 'kind' | 'dueAt'>,
  schedule: Schedule,
  zones: readonly (string | null)[],
  acceptedAt: number,
  defaultZone: string,
): Placement {
  const { due, skipped } = dueTimes(schedule, zones, acceptedAt, defaultZone)
  const isLast = due.every(({ at }) => at <= dueAt)
  if (kind === 'skip') return { places: skipped, isLast }
  return { places: due.find(({ at }) => at === dueAt)?.places ?? [], isLast }
}

/**
 * When the pages of a notification that has a rate limit can be sent from (ms), one number a page: a page that comes earlier finds
 * nothing left of the rate and only goes round in the queue. `waiting` are recipients in front of them; a second's worth
 * may go at once. The limit itself is kept by whoever sends. Pure.
 */
export function stagger(sizes: readonly number[], waiting: number, perSecond: number, now: number): number[] {
  let ahead = waiting
  return sizes.map((size) => {
    const at = now + Math.floor((Math.max(0, ahead - perSecond) / perSecond) * 1000)
    ahead += size
    return at
  })
}
