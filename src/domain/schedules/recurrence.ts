import { Cron } from 'croner'
import { AppError } from '../../platform/errors.ts'
import { isPlainObject } from '../../platform/json/json.ts'
import { isZone } from '../../platform/time/zones.ts'
import { EARTH_OFFSETS, type OffsetAt, offsetsIn, type Schedule, timeOfWall, wallOf } from './schedule.ts'

/** The rule by which a send repeats. `startsAt` and `endsAt` are `YYYY-MM-DD HH:mm` in its zone, and both may be an occurrence. */
export interface Recurrence {
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  cron: string
  /** An IANA name; `local` means the zone of each install. */
  timezone: string
  startsAt?: string | undefined
  endsAt?: string | undefined
}

/** One time at which a recurrence is due. */
export interface Occurrence {
  /** The time that the clock of the zone shows: `YYYY-MM-DD HH:mm`. It tells the occurrences of a series apart. */
  local: string
  /** That moment (ms); with `local` zones, the one at which it begins in the east of the Earth. */
  at: number
  /** The last time at which it is due somewhere (ms). */
  until: number
}

/** A send that is an occurrence of a series. */
export interface OccurrenceOf {
  seriesId: number
  /** The moment at which it counts as accepted (ms): before its time, so that one that is planned a little late is sent all the same. */
  acceptedAt: number
  /** Time zones that have installs of its target, where they were read before the transaction that accepts it. */
  zones?: readonly (string | null)[] | undefined
}

/** Throws when a request that repeats would be sent once. Such a request makes a series. */
export function refuseRecurrence({ recurrence }: { recurrence?: Recurrence | undefined }): void {
  if (recurrence === undefined) return
  throw new AppError('bad_request', 'a send that repeats cannot be made here: POST it to the messages host')
}

/** The zone of a recurrence that follows the zones of installs. */
export const EACH_ZONE = 'local'
/** The shortest time between two occurrences. */
const LEAST_MINUTES = 15

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const LEAST_MS = LEAST_MINUTES * MINUTE_MS
/** Clock changes are looked for so far around a moment: no zone has moved its clock by more than a day. */
const AROUND_MS = DAY_MS + 2 * LEAST_MS
/** The zones in which a day begins first and last. */
const FIRST_OFFSET_MS = Math.max(...EARTH_OFFSETS) * MINUTE_MS
const LAST_OFFSET_MS = Math.min(...EARTH_OFFSETS) * MINUTE_MS
/** Dates and days of the week repeat after 28 years. */
const CYCLE_DAYS = 28 * 366
/** The time from which the pattern of a rule is looked at: the first day of a leap year. */
const REFERENCE = Date.UTC(2024, 0, 1) - MINUTE_MS

/** Rules that were read: reading one takes longer than asking it. */
const read = new Map<string, Cron>()
const MOST_READ = 1000

/**
 * Reads a rule. Throws with the words of the library for one that it does not understand. The library is asked for wall times
 * alone, as if they were UTC: which moments these are is decided here, as for every other schedule.
 */
function cronOf(text: string): Cron {
  const known = read.get(text)
  if (known) return known
  const cron = new Cron(text, { mode: '5-part', utcOffset: 0, paused: true })
  if (read.size >= MOST_READ) read.clear()
  read.set(text, cron)
  return cron
}

/** The next wall time of a rule after this one; undefined when it never comes again. */
function wallAfter(cron: Cron, wall: number): number | undefined {
  return cron.nextRun(new Date(wall))?.getTime()
}

const FIVE_FIELDS = 'must be five fields (minute, hour, day of the month, month, day of the week) such as 0 9 * * MON'

/** The problem of a rule and its remedy; undefined when it can be used. `timezone` as in a recurrence. Pure. */
export function cronProblem(text: string, timezone: unknown): string | undefined {
  if (text.trim().startsWith('@')) {
    return 'must be five fields, not a nickname: @daily is written 0 0 * * *, and 0 9 * * MON is every Monday at 9:00'
  }
  const fields = text.trim().split(/\s+/).length
  if (fields !== 5) return `${FIVE_FIELDS}: it has ${fields}`
  let cron: Cron
  try {
    cron = cronOf(text)
  } catch (error) {
    const why = (error as Error).message.replace(/^CronPattern: /, '')
    return `${FIVE_FIELDS}: ${why}`
  }
  const first = wallAfter(cron, REFERENCE)
  if (first === undefined) return 'never comes: no year has such a day, so choose another one'
  const times = timesOfDay(cron, first)
  if (timezone === EACH_ZONE && times.length > 1) {
    return 'must come once a day, because timezone is local: give one minute and one hour, such as 0 9 * * *'
  }
  const least = leastDistance(cron, first, times)
  if (least >= LEAST_MS) return undefined
  const minutes = least / MINUTE_MS
  return `comes again after ${minutes === 1 ? 'a minute' : `${minutes} minutes`}: leave at least ${LEAST_MINUTES} between two times, such as */15 * * * *`
}

/** The wall times of the day of `first`, or as many as show that they are too close. Every day of a rule has the same ones. */
function timesOfDay(cron: Cron, first: number): number[] {
  const times = [first]
  for (;;) {
    const last = times.at(-1)!
    const next = wallAfter(cron, last)
    if (next === undefined || dayOf(next) !== dayOf(first)) return times
    times.push(next)
    if (next - last < LEAST_MS) return times
  }
}

/** The least time (ms) between two of a rule: within a day, or over midnight where two days in a row have some. */
function leastDistance(cron: Cron, first: number, times: readonly number[]): number {
  const within = times.slice(1).map((time, i) => time - times[i]!)
  const overnight = first + DAY_MS - times.at(-1)!
  const least = Math.min(DAY_MS, ...within)
  if (overnight >= LEAST_MS || least < LEAST_MS) return least
  let day = dayOf(first)
  for (let i = 0; i < CYCLE_DAYS; i++) {
    const next = wallAfter(cron, (day + 1) * DAY_MS - MINUTE_MS)
    if (next === undefined) break
    if (dayOf(next) === day + 1) return overnight
    day = dayOf(next)
    if (day > dayOf(first) + CYCLE_DAYS) break
  }
  return least
}

const dayOf = (wall: number) => Math.floor(wall / DAY_MS)

/** Tells whether a rule comes between its bounds at all. Pure. */
export function comesAtAll(rule: Recurrence): boolean {
  return !walls(rule, 0).next().done
}

/**
 * The occurrences of a rule that are due after `now` (ms), in order, without end where the rule has none. A wall time that its
 * zone skips moves forward by the gap, of one that comes twice the first counts. What then would come less than a
 * quarter of an hour behind one that was moved is left out. Pure.
 */
export function* occurrencesAfter(rule: Recurrence, now: number): Generator<Occurrence> {
  const from = rule.timezone === EACH_ZONE ? now + FIRST_OFFSET_MS : wallBefore(offsetsIn(rule.timezone), now)
  for (const one of occurrences(rule, from)) if (one.at > now) yield one
}

/** The occurrences of a rule behind the one at this wall time. Pure. */
export function occurrencesBehind(rule: Recurrence, local: string): Generator<Occurrence> {
  return occurrences(rule, wallOf(local))
}

function* occurrences(rule: Recurrence, after: number): Generator<Occurrence> {
  for (const wall of walls(rule, after)) {
    const at = instantOf(rule, wall)
    if (at !== undefined) yield { local: textOf(wall), at, until: untilOf(rule, wall, at) }
  }
}

/** The occurrence at a wall time, by the time zone rules of now. Pure. */
export function occurrenceAt(rule: Pick<Recurrence, 'timezone'>, local: string): Occurrence {
  const wall = wallOf(local)
  const at = rule.timezone === EACH_ZONE ? wall - FIRST_OFFSET_MS : timeOfWall(wall, offsetsIn(rule.timezone))
  return { local, at, until: untilOf(rule, wall, at) }
}

function untilOf({ timezone }: Pick<Recurrence, 'timezone'>, wall: number, at: number): number {
  return timezone === EACH_ZONE ? wall - LAST_OFFSET_MS : at
}

/** A stored `schedule` as a rule; undefined when it cannot be read. */
export function readRecurrence(value: unknown): Recurrence | undefined {
  if (!isPlainObject(value) || value.strategy !== 'recurring') return undefined
  const { cron, timezone, startsAt, endsAt } = value
  if (typeof cron !== 'string' || typeof timezone !== 'string' || !(timezone === EACH_ZONE || isZone(timezone))) return
  if (!isBound(startsAt) || !isBound(endsAt)) return undefined
  try {
    cronOf(cron)
  } catch {
    return undefined
  }
  return { cron, timezone, startsAt, endsAt }
}

const isBound = (value: unknown): value is string | undefined =>
  value === undefined || (typeof value === 'string' && /^\d{4}-\d\d-\d\d \d\d:\d\d$/.test(value))

/** The schedule of the send that is made for one occurrence. */
export function scheduleOf({ timezone }: Recurrence, { local: sendAt }: Pick<Occurrence, 'local'>): Schedule {
  const pastTimes = 'ignore'
  return timezone === EACH_ZONE
    ? { strategy: 'local', sendAt, pastTimes }
    : { strategy: 'timezone', sendAt, pastTimes, timezone }
}

/** The schedule of the next occurrence after `now`; undefined when none comes. */
export function nextScheduleOf(rule: Recurrence, now: number): Schedule | undefined {
  const { value } = occurrencesAfter(rule, now).next()
  return value && scheduleOf(rule, value)
}

/** The next occurrences after `now`, at most five. */
export function nextFew(rule: Recurrence, now: number): Occurrence[] {
  return [...occurrencesAfter(rule, now).take(FEW)]
}

/** The rule of a request that repeats, and its next occurrences; undefined for every other one. */
export function repeatsOf({ recurrence: rule }: { recurrence?: Recurrence | undefined }, now: number) {
  return rule && { rule, next: nextFew(rule, now) }
}

/** Occurrences that are shown ahead. */
const FEW = 5

/** The wall times of a rule after `after`, within its bounds. */
function* walls({ cron: text, startsAt, endsAt }: Recurrence, after: number): Generator<number> {
  const cron = cronOf(text)
  const last = endsAt === undefined ? Number.POSITIVE_INFINITY : wallOf(endsAt)
  const from = startsAt === undefined ? after : Math.max(after, wallOf(startsAt) - MINUTE_MS)
  for (let wall = wallAfter(cron, from); wall !== undefined && wall <= last; wall = wallAfter(cron, wall)) yield wall
}

/** A wall time behind which everything lies that is due after `now`: around a clock change that is more than the time of now. */
function wallBefore(offsetAt: OffsetAt, now: number): number {
  const isSteady = offsetAt(now - AROUND_MS) === offsetAt(now + AROUND_MS)
  return now + offsetAt(now) - (isSteady ? MINUTE_MS : AROUND_MS)
}

/** The moment of a wall time of a rule; undefined when it is left out, because one that was moved comes at this time. */
function instantOf(rule: Recurrence, wall: number): number | undefined {
  if (rule.timezone === EACH_ZONE) return wall - FIRST_OFFSET_MS
  const offsetAt = offsetsIn(rule.timezone)
  const at = timeOfWall(wall, offsetAt)
  const gap = offsetAt(at) - offsetAt(at - AROUND_MS)
  const isShown = (one: number, time: number) => time + offsetAt(time) === one
  if (gap <= 0 || !isShown(wall, at)) return at
  for (const earlier of walls(rule, wall - gap - LEAST_MS)) {
    if (earlier >= wall) break
    const moved = timeOfWall(earlier, offsetAt)
    if (moved > at - LEAST_MS && !isShown(earlier, moved)) return undefined
  }
  return at
}

const textOf = (wall: number) => new Date(wall).toISOString().slice(0, 16).replace('T', ' ')
