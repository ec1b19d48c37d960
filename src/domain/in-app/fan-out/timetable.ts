import { everyHour, type HourRange, hasMoved, NO_HOUR, type ZoneHour } from '../../audience/walk/within.ts'
import { dueTimes, EARTH_OFFSETS, isByPlace, type Schedule } from '../../schedules/schedule.ts'

/**
 * The place of a user: zone and hour of their install that was active last; null and -1 when unknown. The times at
 * which its zone changed and at which it was created (ms) tell whether it moved.
 */
export interface UserPlace extends ZoneHour {
  changedAt: number
  createdAt: number
}

/** A due time (ms); `passed` when it was over before the message was accepted and `pastTimes` is `ignore`. */
export type When = number | 'passed'

/** The due times of a schedule, computed from the time at which the message was accepted. */
export interface Timetable {
  /** True when due times depend on the user's time zone; `isByHour`, when they depend on their preferred hour. */
  isByPlace: boolean
  isByHour: boolean
  when(place: ZoneHour): When
  /**
   * The first time the message must be looked at: at once when its time may have passed somewhere, else the first due
   * time on Earth.
   */
  first(): number
  /**
   * The zones and hours that are due after `after` and not later than `by`, ordered by zone (null first), then by hour.
   */
  dueIn(zones: readonly (string | null)[], after: number, by: number): HourRange[]
  /** Tells whether somebody in one of these zones and hours is due after `after` and not later than `by`. */
  isDue(places: readonly ZoneHour[], after: number, by: number): boolean
  /**
   * The first due time after `after` of users who are in one of these zones and hours now, or who move meanwhile; null
   * when all due times of these zones have passed.
   */
  next(places: readonly ZoneHour[], after: number): number | null
}

const HOURS_A_DAY = 24
const HOURS = Array.from({ length: HOURS_A_DAY + 1 }, (_, i) => i + NO_HOUR)

/** `acceptedAt` is in ms. Due times are computed once per zone; there are few zones. Pure. */
export function timetableOf(schedule: Schedule, acceptedAt: number, defaultZone: string): Timetable {
  const byZone = new Map<string | null, Map<number | null, number>>()
  const dueIn = (zone: string | null) => {
    const known = byZone.get(zone)
    if (known) return known
    const found = new Map<number | null, number>()
    for (const { at, places } of dueTimes(schedule, [zone], acceptedAt, defaultZone).due) {
      const hours = places?.flatMap<number | null>((place) => place.hours ?? [null])
      for (const hour of hours ?? [null]) found.set(hour, at)
    }
    byZone.set(zone, found)
    return found
  }
  const anywhere = isByPlace(schedule)
    ? dueTimes(schedule, EARTH_OFFSETS, acceptedAt, defaultZone).due.map(({ at }) => at)
    : []
  const when = ({ zone, hour }: ZoneHour): When => {
    const found = dueIn(isByPlace(schedule) ? zone : null)
    return found.get(null) ?? found.get(hour) ?? 'passed'
  }

  return {
    isByPlace: isByPlace(schedule),
    isByHour: isByPlace(schedule) && schedule.strategy !== 'local',
    when,
    first() {
      if (!isByPlace(schedule)) return dueTimes(schedule, [], acceptedAt, defaultZone).due[0]?.at ?? acceptedAt
      const wanted = schedule.strategy === 'local' ? 1 : HOURS_A_DAY
      const isOver = EARTH_OFFSETS.some(
        (offset) => dueTimes(schedule, [offset], acceptedAt, defaultZone).due.length < wanted,
      )
      return isOver ? acceptedAt : anywhere[0]!
    },
    dueIn(zones, after, by) {
      const ordered = [...new Set(zones)].sort(nullFirst)
      return ordered.flatMap((zone) => {
        const isDue = (hour: number) => {
          const at = when({ zone, hour })
          return at !== 'passed' && at > after && at <= by
        }
        if (schedule.strategy === 'local') return isDue(NO_HOUR) ? [everyHour(zone)] : []
        return HOURS.filter(isDue).map((hour) => ({ zone, from: hour, to: hour }))
      })
    },
    isDue: (places, after, by) => places.map(when).some((at) => at !== 'passed' && at > after && at <= by),
    next(places, after) {
      const here = (isByPlace(schedule) ? places : [{ zone: null, hour: NO_HOUR }]).map(when)
      const ahead = here.filter((at) => at !== 'passed' && at > after) as number[]
      if (ahead.length === 0) return null
      return [...ahead, ...anywhere.filter((at) => at > after)].reduce((first, at) => Math.min(first, at))
    },
  }
}

function nullFirst(a: string | null, b: string | null): number {
  if (a === b) return 0
  if (a === null) return -1
  return b !== null && a < b ? -1 : 1
}

/**
 * Tells whether a user is skipped because the time had passed in their zone. A user who moved there after the message
 * was accepted is not skipped: their own time had not come yet.
 */
export function isSkipped(when: When, place: UserPlace, acceptedAt: number): boolean {
  return when === 'passed' && !hasMoved(place, acceptedAt)
}
