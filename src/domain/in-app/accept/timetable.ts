import { SETTLING_MS, type Stretch } from '../../audience/within.ts'
import { dueInstants, EARTH_OFFSETS, isByPlace, type Schedule } from '../../schedules/schedule.ts'

/** Where a user is: zone and preferred hour of the install that was active last; null and -1 where it did not say. */
export interface Whereabouts {
  zone: string | null
  hour: number
}

/** Whereabouts with what tells whether the install moved there (ms). */
export interface Placed extends Whereabouts {
  changedAt: number
  createdAt: number
}

/** The instant (ms) at which a place is due; `passed` when that was over before the message was accepted and is to be ignored. */
export type When = number | 'passed'

/** What a schedule means, reckoned from when it was accepted. */
export interface Timetable {
  /** Whether it matters where somebody is, and his preferred hour. */
  isByPlace: boolean
  isByHour: boolean
  when(place: Whereabouts): When
  /** When a message is looked at first: at once when it may be over somewhere, else at the first instant that anybody can have. */
  first(): number
  /** Where somebody may be who is due behind an instant and by another, by zone (null first), then by hour. */
  dueIn(zones: readonly (string | null)[], after: number, by: number): Stretch[]
  /**
   * The first instant after `after` at which somebody may be due who is in one of these places, or moves meanwhile; null when
   * everybody there had theirs.
   */
  next(places: readonly Whereabouts[], after: number): number | null
}

const HOURS_A_DAY = 24
const NO_HOUR = -1
const HOURS = Array.from({ length: HOURS_A_DAY + 1 }, (_, i) => i + NO_HOUR)

/** `acceptedAt` in ms. Places are few: what is reckoned for a zone is kept. Pure. */
export function timetableOf(schedule: Schedule, acceptedAt: number, defaultZone: string): Timetable {
  const byZone = new Map<string | null, Map<number | null, number>>()
  const dueIn = (zone: string | null) => {
    const known = byZone.get(zone)
    if (known) return known
    const found = new Map<number | null, number>()
    for (const { at, places } of dueInstants(schedule, [zone], acceptedAt, defaultZone).due) {
      const hours = places?.flatMap<number | null>((place) => place.hours ?? [null])
      for (const hour of hours ?? [null]) found.set(hour, at)
    }
    byZone.set(zone, found)
    return found
  }
  const anywhere = isByPlace(schedule)
    ? dueInstants(schedule, EARTH_OFFSETS, acceptedAt, defaultZone).due.map(({ at }) => at)
    : []
  const when = ({ zone, hour }: Whereabouts): When => {
    const found = dueIn(isByPlace(schedule) ? zone : null)
    return found.get(null) ?? found.get(hour) ?? 'passed'
  }

  return {
    isByPlace: isByPlace(schedule),
    isByHour: isByPlace(schedule) && schedule.strategy !== 'local',
    when,
    first() {
      if (!isByPlace(schedule)) return dueInstants(schedule, [], acceptedAt, defaultZone).due[0]?.at ?? acceptedAt
      const wanted = schedule.strategy === 'local' ? 1 : HOURS_A_DAY
      const isOver = EARTH_OFFSETS.some(
        (offset) => dueInstants(schedule, [offset], acceptedAt, defaultZone).due.length < wanted,
      )
      return isOver ? acceptedAt : anywhere[0]!
    },
    dueIn(zones, after, by) {
      const ordered = [...new Set(zones)].sort((a, b) => (a === b ? 0 : a === null || (b !== null && a < b) ? -1 : 1))
      return ordered.flatMap((zone) => {
        const isDue = (hour: number) => {
          const at = when({ zone, hour })
          return at !== 'passed' && at > after && at <= by
        }
        if (schedule.strategy === 'local') return isDue(NO_HOUR) ? [{ zone, from: NO_HOUR, to: HOURS_A_DAY - 1 }] : []
        return HOURS.filter(isDue).map((hour) => ({ zone, from: hour, to: hour }))
      })
    },
    next(places, after) {
      const here = (isByPlace(schedule) ? places : [{ zone: null, hour: -1 }]).map(when)
      const ahead = here.filter((at) => at !== 'passed' && at > after) as number[]
      if (ahead.length === 0) return null
      return [...ahead, ...anywhere.filter((at) => at > after)].reduce((first, at) => Math.min(first, at))
    },
  }
}

/**
 * Whether a user is left out because the time had passed where he is. Whoever moved there since the message was accepted is not:
 * his time had not come. A device tells its zone with its first batch, which is no move.
 */
export function isLeftOut(when: When, { changedAt, createdAt }: Placed, acceptedAt: number): boolean {
  return when === 'passed' && !(changedAt > acceptedAt && changedAt > createdAt + SETTLING_MS)
}
