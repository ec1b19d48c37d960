import { isPlainObject } from '../../platform/json/json.ts'
import { isZone, zoneOffset } from '../../platform/time/zones.ts'
import type { Place } from '../audience/walk/within.ts'

/** The time of a send, as stored with it. `sendAt` is wall-clock time: the due times are computed from it. */
export type Schedule =
  /** `sendAt` is `YYYY-MM-DD HH:mm` in UTC, in `timezone`, or in each install's own zone. */
  | { strategy: 'utc' | 'local'; sendAt: string; pastTimes: PastTimes }
  | { strategy: 'timezone'; sendAt: string; pastTimes: PastTimes; timezone: string }
  /** `sendAt` is `YYYY-MM-DD`; the hour is each user's preferred one. */
  | { strategy: 'intelligent'; sendAt: string; pastTimes: PastTimes; usualHour?: number }
  /** The next preferred hour, from now (`intelligentDelivery`). */
  | { strategy: 'preferredHour'; usualHour?: number }

/** Treatment of a time zone where the time has passed: it is skipped, or moved to the next day on which the time has not passed. */
type PastTimes = 'ignore' | 'nextDay'

/** Tells whether a stored value is a schedule. */
export function isSchedule(value: unknown): value is Schedule {
  if (!isPlainObject(value)) return false
  const { strategy, sendAt, timezone } = value
  if (strategy === 'preferredHour') return true
  if (typeof sendAt !== 'string' || !/^\d{4}-\d\d-\d\d/.test(sendAt)) return false
  if (strategy === 'timezone') return typeof timezone === 'string' && isZone(timezone)
  return strategy === 'utc' || strategy === 'local' || strategy === 'intelligent'
}

/** One due time (ms) and the zones and hours that are due then; `places` null means everybody. */
interface Due {
  at: number
  places: Place[] | null
}

export interface DueTimes {
  /** Due times, ascending, without duplicates. */
  due: Due[]
  /** Places where the time has passed and `pastTimes` is `ignore`; `null` means everywhere, `[]` nowhere. */
  skipped: Place[] | null
  /** Names that are no time zones: the default zone stands in for them. */
  unknown: string[]
}

/**
 * A time zone as installs tell it; null means an install has not told its own. A number is a fixed offset from UTC in
 * minutes.
 */
export type Zone = string | number | null

/** The preferred hour when neither the user nor anybody else of the app was ever active. */
const FALLBACK_HOUR = 18
const NO_HOUR = -1
const HOURS = Array.from({ length: 24 }, (_, hour) => hour)

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

/**
 * Every offset from UTC that is in use on Earth, in minutes (https://data.iana.org/time-zones/tz-link.html). A
 * recipient may move to a zone in which nobody was when the send was accepted, and be due then.
 */
export const EARTH_OFFSETS: readonly number[] = [
  -12, -11, -10, -9.5, -9, -8, -7, -6, -5, -4, -3.5, -3, -2.5, -2, -1, 0, 1, 2, 3, 3.5, 4, 4.5, 5, 5.5, 5.75, 6, 6.5, 7,
  8, 8.75, 9, 9.5, 10, 10.5, 11, 12, 12.75, 13, 13.75, 14,
].map((hours) => hours * 60)

/**
 * The time (ms) after its due time for which a scheduled send is still sent, by the setting in seconds. 0 is the minute
 * in which it is due: no process begins at the very millisecond.
 */
export function mostLateness(seconds: number): number {
  return seconds === 0 ? MINUTE_MS : seconds * 1000
}

/**
 * Stores the usual hour in the schedule when it is accepted, because it must not change between its due times.
 * `usualHour` is the hour at which users of the app are most often active; called only for strategies that need it.
 */
export async function withUsualHour(
  schedule: Schedule | null,
  usualHour: () => Promise<number | undefined>,
): Promise<Schedule | null> {
  if (schedule?.strategy !== 'intelligent' && schedule?.strategy !== 'preferredHour') return schedule
  const hour = await usualHour()
  return hour === undefined ? schedule : { ...schedule, usualHour: hour }
}

/** Tells whether due times depend on the time zone of an install. */
export function isByPlace(schedule: Schedule): boolean {
  return schedule.strategy !== 'utc' && schedule.strategy !== 'timezone'
}

/**
 * The due times of a schedule for installs in these zones: one per zone (and preferred hour), computed from `now`, the
 * time at which it was accepted. A wall-clock time that a zone skips moves forward by the gap; of one that comes twice
 * the first counts. `defaultZone` stands in for an unknown zone, or none. Pure.
 */
export function dueTimes(schedule: Schedule, zones: readonly Zone[], now: number, defaultZone: string): DueTimes {
  const unknown: string[] = []
  const offsetsOf = (zone: Zone): OffsetAt => {
    if (typeof zone === 'number') return () => zone * MINUTE_MS
    if (zone !== null && !isZone(zone)) unknown.push(zone)
    return offsetsIn(zone !== null && isZone(zone) ? zone : defaultZone)
  }
  const day = 'sendAt' in schedule ? wallOf(schedule.sendAt) : undefined
  if (!isByPlace(schedule)) {
    const at = timeFor(schedule, day, offsetsOf('timezone' in schedule ? schedule.timezone : 0), now)
    return { due: at === undefined ? [] : [{ at, places: null }], skipped: at === undefined ? null : [], unknown }
  }
  const usual = usualHour(schedule)
  const due = new Map<number, Place[]>()
  const skipped: Place[] = []
  for (const zone of new Set(zones)) {
    const offsetAt = offsetsOf(zone)
    const byTime = new Map<number | undefined, number[]>()
    for (const hour of schedule.strategy === 'local' ? [NO_HOUR] : HOURS) {
      const time = Math.max(hour, 0) * HOUR_MS
      const at = timeFor(schedule, day === undefined ? undefined : day + time, offsetAt, now, time)
      const hours = hour === usual ? [NO_HOUR, hour] : [hour]
      byTime.set(at, [...(byTime.get(at) ?? []), ...hours])
    }
    for (const [at, hours] of byTime) {
      // An offset is not a zone that an install can be in: it only adds its due time.
      const here = typeof zone === 'number' ? [] : [{ zone, hours: schedule.strategy === 'local' ? null : hours }]
      if (at === undefined) skipped.push(...here)
      else if (due.has(at)) due.get(at)!.push(...here)
      else due.set(at, here)
    }
  }
  const ascending = [...due].sort(([a], [b]) => a - b)
  return { due: ascending.map(([at, places]) => ({ at, places })), skipped, unknown }
}

/**
 * The next moment (ms) after `now` at which a zone's clock shows this minute of the day. A minute that the clock skips
 * moves forward by the gap; of one that comes twice the next one counts. `isZone` must know the zone. Pure.
 */
export function nextMinuteOfDay(minute: number, zone: string, now: number): number {
  const offsetAt = offsetsIn(zone)
  const local = now + offsetAt(now)
  const today = startOfDay(local) + minute * MINUTE_MS
  const wall = today > local ? today : today + DAY_MS
  const sameClock = wall - offsetAt(now)
  if (offsetAt(sameClock) === offsetAt(now)) return sameClock
  const at = timeOfWall(wall, offsetAt)
  return at > now ? at : sameClock
}

/** The wall-clock time in a zone at a moment (ms): `2026-11-21 09:30`. */
export function wallTimeOf(at: number, zone: string): string {
  return new Date(at + zoneOffset(isZone(zone) ? zone : 'UTC', at)).toISOString().slice(0, 16).replace('T', ' ')
}

/** Milliseconds by which a zone's wall clock is ahead of UTC at a moment. */
export type OffsetAt = (at: number) => number

/** The offsets of a zone, which `isZone` must know. */
export function offsetsIn(zone: string): OffsetAt {
  return (at) => zoneOffset(zone, at)
}

function usualHour(schedule: Schedule): number | undefined {
  if (schedule.strategy !== 'intelligent' && schedule.strategy !== 'preferredHour') return undefined
  return schedule.usualHour ?? FALLBACK_HOUR
}

/**
 * The moment at which a zone's clock shows `wall`, or without `wall` the next one at which it shows `time` of day;
 * undefined when it has passed and the schedule ignores past times.
 */
function timeFor(
  schedule: Schedule,
  wall: number | undefined,
  offsetAt: OffsetAt,
  now: number,
  time = 0,
): number | undefined {
  const yesterday = () => startOfDay(now + offsetAt(now)) - DAY_MS
  if (wall === undefined) return firstFrom(yesterday() + time, offsetAt, now)
  const at = timeOfWall(wall, offsetAt)
  if (at >= now) return at
  if ('pastTimes' in schedule && schedule.pastTimes === 'ignore') return undefined
  // The next day, or if that has passed as well, the first day on which the time has not passed.
  return firstFrom(Math.max(wall + DAY_MS, yesterday() + (wall - startOfDay(wall))), offsetAt, now)
}

/** The first moment, not before `now`, at which the clock shows `wall` or the same time on a later day. */
function firstFrom(wall: number, offsetAt: OffsetAt, now: number): number {
  for (let day = wall; ; day += DAY_MS) {
    const at = timeOfWall(day, offsetAt)
    if (at >= now) return at
  }
}

/**
 * Wall-clock time (as if it were UTC) -> moment. It reads the offsets a day before and a day after, which no clock
 * change that could affect this wall-clock time reaches.
 */
export function timeOfWall(wall: number, offsetAt: OffsetAt): number {
  const before = offsetAt(wall - DAY_MS)
  const after = offsetAt(wall + DAY_MS)
  if (before === after) return wall - before
  const shown = [wall - before, wall - after].filter((at) => at + offsetAt(at) === wall)
  // In a gap no moment shows it: with the offset before the gap the result is past the gap, by the length of the gap.
  return shown.length > 0 ? Math.min(...shown) : wall - before
}

function startOfDay(wall: number): number {
  return Math.floor(wall / DAY_MS) * DAY_MS
}

/** `YYYY-MM-DD`, with or without ` HH:mm`, as milliseconds, as if it were UTC. */
export function wallOf(sendAt: string): number {
  const [year, month, day, hour = 0, minute = 0] = sendAt.split(/[- :]/).map(Number)
  const date = new Date(0)
  // Date.UTC would take the years 0 to 99 for 1900 to 1999.
  date.setUTCFullYear(year!, month! - 1, day)
  return date.getTime() + hour * HOUR_MS + minute * MINUTE_MS
}
