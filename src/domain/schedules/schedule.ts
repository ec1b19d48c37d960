import { isZone, zoneOffset } from '../../platform/zones.ts'
import type { Place } from '../audience/within.ts'

/** When a notification is due, as it is stored with it. `sendAt` is wall time: the instants are reckoned from it. */
export type Schedule =
  /** `sendAt` is `YYYY-MM-DD HH:mm` in UTC, in `timezone`, or in each install's own zone. */
  | { strategy: 'utc' | 'local'; sendAt: string; pastTimes: PastTimes }
  | { strategy: 'timezone'; sendAt: string; pastTimes: PastTimes; timezone: string }
  /** `sendAt` is `YYYY-MM-DD`; the hour is each user's preferred one. */
  | { strategy: 'intelligent'; sendAt: string; pastTimes: PastTimes; usualHour?: number }
  /** The next preferred hour, from now (`intelligentDelivery`). */
  | { strategy: 'preferredHour'; usualHour?: number }

/** What becomes of a zone in which the time has passed: left out, or moved to the next day on which it has not. */
export type PastTimes = 'ignore' | 'nextDay'

/** One instant (ms) and who is due then; `places` null means everybody, wherever they are. */
export interface Due {
  at: number
  places: Place[] | null
}

export interface DueTimes {
  /** Ascending, each instant once. */
  due: Due[]
  /** Where the time has passed and `pastTimes` is `ignore`; `null` when that is everybody, `[]` when nobody. */
  skipped: Place[] | null
  /** Names that are no time zones: they are taken for the app's default zone. */
  unknown: string[]
}

/** A zone as installs say it; null means it was not said. A number is a fixed offset in minutes. */
export type Zone = string | number | null

/** When nobody was active yet, neither the user nor anybody else. */
const USUAL_HOUR = 18
const NO_HOUR = -1
const HOURS = Array.from({ length: 24 }, (_, hour) => hour)

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

/**
 * Every offset from UTC that is in use on Earth, in minutes: instants at which somebody may be due who is in a zone where
 * nobody was when the notification was accepted (https://data.iana.org/time-zones/tz-link.html).
 */
export const EARTH_OFFSETS: readonly number[] = [
  -12, -11, -10, -9.5, -9, -8, -7, -6, -5, -4, -3.5, -3, -2.5, -2, -1, 0, 1, 2, 3, 3.5, 4, 4.5, 5, 5.5, 5.75, 6, 6.5, 7,
  8, 8.75, 9, 9.5, 10, 10.5, 11, 12, 12.75, 13, 13.75, 14,
].map((hours) => hours * 60)

/**
 * What "usually" means is settled when something is accepted: it must not move between its instants. `usualHour` is the hour at which
 * users of the app are most often active; asked only where it matters.
 */
export async function withUsualHour(
  schedule: Schedule | null,
  usualHour: () => Promise<number | undefined>,
): Promise<Schedule | null> {
  if (schedule?.strategy !== 'intelligent' && schedule?.strategy !== 'preferredHour') return schedule
  const hour = await usualHour()
  return hour === undefined ? schedule : { ...schedule, usualHour: hour }
}

/** True for the strategies whose instants depend on where an install is. */
export function isByPlace(schedule: Schedule): boolean {
  return schedule.strategy !== 'utc' && schedule.strategy !== 'timezone'
}

/**
 * When a schedule is due for installs in these zones: one instant for each zone (and preferred hour), reckoned from `now`, the
 * time at which it was accepted. A wall time that a zone skips is moved forward by the gap; one that comes twice is the first.
 * An unknown zone, or none, is `defaultZone`. Pure.
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
    const at = instantFor(schedule, day, offsetsOf('timezone' in schedule ? schedule.timezone : 0), now)
    return { due: at === undefined ? [] : [{ at, places: null }], skipped: at === undefined ? null : [], unknown }
  }
  const usual = usualHour(schedule)
  const due = new Map<number, Place[]>()
  const skipped: Place[] = []
  for (const zone of new Set(zones)) {
    const offsetAt = offsetsOf(zone)
    const byInstant = new Map<number | undefined, number[]>()
    for (const hour of schedule.strategy === 'local' ? [NO_HOUR] : HOURS) {
      const time = Math.max(hour, 0) * HOUR_MS
      const at = instantFor(schedule, day === undefined ? undefined : day + time, offsetAt, now, time)
      const hours = hour === usual ? [NO_HOUR, hour] : [hour]
      byInstant.set(at, [...(byInstant.get(at) ?? []), ...hours])
    }
    for (const [at, hours] of byInstant) {
      // An offset is no place where an install can be: it only adds its instant.
      const here = typeof zone === 'number' ? [] : [{ zone, hours: schedule.strategy === 'local' ? null : hours }]
      if (at === undefined) skipped.push(...here)
      else if (due.has(at)) due.get(at)!.push(...here)
      else due.set(at, here)
    }
  }
  const ascending = [...due].sort(([a], [b]) => a - b)
  return { due: ascending.map(([at, places]) => ({ at, places })), skipped, unknown }
}

/** The wall time of an instant in a zone: `2026-11-21 09:30`. */
export function wallTimeOf(at: number, zone: string): string {
  return new Date(at + zoneOffset(isZone(zone) ? zone : 'UTC', at)).toISOString().slice(0, 16).replace('T', ' ')
}

/** Milliseconds that a zone's wall clock is ahead of UTC at an instant. */
type OffsetAt = (instant: number) => number

function offsetsIn(zone: string): OffsetAt {
  return (instant) => zoneOffset(zone, instant)
}

function usualHour(schedule: Schedule): number | undefined {
  if (schedule.strategy !== 'intelligent' && schedule.strategy !== 'preferredHour') return undefined
  return schedule.usualHour ?? USUAL_HOUR
}

/**
 * The instant in one zone of a wall time, or without one of the next `time` of day; undefined when it has passed and is to be
 * ignored.
 */
function instantFor(
  schedule: Schedule,
  wall: number | undefined,
  offsetAt: OffsetAt,
  now: number,
  time = 0,
): number | undefined {
  const yesterday = () => startOfDay(now + offsetAt(now)) - DAY_MS
  if (wall === undefined) return firstFrom(yesterday() + time, offsetAt, now)
  const at = instantOf(wall, offsetAt)
  if (at >= now) return at
  if ('pastTimes' in schedule && schedule.pastTimes === 'ignore') return undefined
  // The next day; when that has passed too, the first one that has not.
  return firstFrom(Math.max(wall + DAY_MS, yesterday() + (wall - startOfDay(wall))), offsetAt, now)
}

/** The first instant, not before `now`, at which the wall clock shows `wall` or the same time of a later day. */
function firstFrom(wall: number, offsetAt: OffsetAt, now: number): number {
  for (let day = wall; ; day += DAY_MS) {
    const at = instantOf(day, offsetAt)
    if (at >= now) return at
  }
}

/**
 * Wall time (as if it were UTC) -> instant. Offsets are read a day before and after, which is outside of any change that can
 * touch the wall time, whatever the zone.
 */
function instantOf(wall: number, offsetAt: OffsetAt): number {
  const before = offsetAt(wall - DAY_MS)
  const after = offsetAt(wall + DAY_MS)
  if (before === after) return wall - before
  const shown = [wall - before, wall - after].filter((at) => at + offsetAt(at) === wall)
  // In a gap no instant shows it: the offset before the gap leads past it, by as much as the gap is long.
  return shown.length > 0 ? Math.min(...shown) : wall - before
}

function startOfDay(wall: number): number {
  return Math.floor(wall / DAY_MS) * DAY_MS
}

function wallOf(sendAt: string): number {
  const [year, month, day, hour = 0, minute = 0] = sendAt.split(/[- :]/).map(Number)
  const date = new Date(0)
  // Not Date.UTC: it takes the years 0 to 99 for 1900 to 1999.
  date.setUTCFullYear(year!, month! - 1, day)
  return date.getTime() + hour * HOUR_MS + minute * MINUTE_MS
}
