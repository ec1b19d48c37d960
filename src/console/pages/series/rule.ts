import { instantFrom } from '../../parts/zones.ts'

/** Rules of sends that repeat: read and written as cron expressions, and said in words. Pure. */

/** `schedule` of a send that repeats, as the interface has it. */
export interface Rule {
  cron: string
  /** An IANA name, or `local`: the zone of each phone. */
  timezone: string
  /** Wall times of that zone: `2026-03-02 09:00`. */
  startsAt?: string | null | undefined
  endsAt?: string | null | undefined
}

/** `timezone` of a rule that follows the clock of each phone. */
export const EACH_PHONE = 'local'

/** Days of the week as cron expressions name them, in the order of a week. */
export const DAYS = {
  MON: 'Monday',
  TUE: 'Tuesday',
  WED: 'Wednesday',
  THU: 'Thursday',
  FRI: 'Friday',
  SAT: 'Saturday',
  SUN: 'Sunday',
} as const
type Day = keyof typeof DAYS
const NAMES = Object.keys(DAYS) as Day[]

/** The last day of a month, as cron expressions name it. */
export const LAST_DAY = 'L'

/** The parts of a rule that comes once on each of its days. */
export type Simple = { time: string } & (
  | { every: 'day' }
  | { every: 'week'; days: readonly string[] }
  | { every: 'month'; monthDay: string }
)

/** The cron expression of a simple rule. */
export function cronOf(rule: Simple): string {
  const [hour = 0, minute = 0] = rule.time.split(':').map(Number)
  const at = `${minute} ${hour}`
  if (rule.every === 'day') return `${at} * * *`
  if (rule.every === 'month') return `${at} ${rule.monthDay} * *`
  return `${at} * * ${NAMES.filter((name) => rule.days.includes(name)).join(',')}`
}

/** Reads a cron expression as a simple rule; undefined for one that is not simple. */
export function simpleOf(cron: string): Simple | undefined {
  const match = /^(\d{1,2}) (\d{1,2}) (\S+) \* (\S+)$/.exec(cron.trim().replace(/\s+/g, ' ').toUpperCase())
  if (!match) return undefined
  const [, minute, hour, monthDay, weekday] = match as unknown as [string, string, string, string, string]
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
  if (monthDay === '*') {
    if (weekday === '*') return { every: 'day', time }
    const days = daysOf(weekday)
    return days && { every: 'week', days, time }
  }
  if (weekday !== '*' || !(monthDay === LAST_DAY || /^([1-9]|[12]\d|3[01])$/.test(monthDay))) return undefined
  return { every: 'month', monthDay, time }
}

/** `MON-FRI,SUN` -> the names of the days in their order; undefined for what is no list of days. */
function daysOf(text: string): Day[] | undefined {
  const days = new Set<number>()
  for (const part of text.split(',')) {
    const [first, last = first] = part.split('-').map(dayNumber)
    if (first === undefined || last === undefined || part.split('-').length > 2) return undefined
    for (let day = first; day !== last; day = (day + 1) % NAMES.length) days.add(day)
    days.add(last)
  }
  return NAMES.filter((_, i) => days.has(i))
}

/** Place of a day in the week, from Monday; undefined for what is no day. 0 and 7 are Sunday. */
function dayNumber(text: string): number | undefined {
  const at = /^[0-7]$/.test(text) ? (Number(text) + 6) % 7 : NAMES.indexOf(text as Day)
  return at === -1 ? undefined : at
}

const listed = new Intl.ListFormat('en', { type: 'conjunction' })
const ordinals = new Intl.PluralRules('en', { type: 'ordinal' })
const ENDINGS: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd', other: 'th' }

/** `1` -> `the 1st`, `L` -> `the last day` */
export const nameOfMonthDay = (day: string): string =>
  day === LAST_DAY ? 'the last day' : `the ${day}${ENDINGS[ordinals.select(Number(day))]!}`

/** The days and times of a rule: "Every Monday and Thursday at 9:00 AM". */
function repeatsInWords(cron: string): string {
  const rule = simpleOf(cron)
  if (!rule) return `By the rule ${cron}`
  return `${whichDays(rule)} at ${inWords(new Date(`1970-01-01T${rule.time}Z`), 'UTC', 'time')}`
}

function whichDays(rule: Simple): string {
  if (rule.every === 'day') return 'Every day'
  if (rule.every === 'month') return `On ${nameOfMonthDay(rule.monthDay)} of each month`
  const names = rule.days.map((day) => DAYS[day as Day])
  if (names.length === NAMES.length) return 'Every day'
  if (
    names.join() ===
    NAMES.slice(0, 5)
      .map((name) => DAYS[name])
      .join()
  )
    return 'Monday to Friday'
  return `Every ${listed.format(names)}`
}

/** The clock of a rule: "Europe/Berlin", "on each phone’s clock". */
export const zoneInWords = (timezone: string): string =>
  timezone === EACH_PHONE ? 'on each phone’s clock' : timezone.replaceAll('_', ' ')

/** The rule whole: "Every Monday at 9:00 AM (Europe/Berlin), from Monday, March 2, 2026 at 9:00 AM". */
export function ruleInWords({ cron, timezone, startsAt, endsAt }: Rule): string {
  const bounds = [
    ...(startsAt == null ? [] : [`from ${wallInWords(startsAt)}`]),
    ...(endsAt == null ? [] : [`until ${wallInWords(endsAt)}`]),
  ]
  const when = repeatsInWords(cron)
  const whole = timezone === EACH_PHONE ? `${when}, ${zoneInWords(timezone)}` : `${when} (${zoneInWords(timezone)})`
  return [whole, ...bounds].join(', ')
}

const inWords = (at: Date, timeZone: string, part?: 'time') =>
  new Intl.DateTimeFormat(undefined, {
    ...(part !== 'time' && { dateStyle: 'full' }),
    timeStyle: 'short',
    timeZone,
  }).format(at)

/** `2026-03-02 09:00` in words. */
export const wallInWords = (wall: string): string => inWords(new Date(`${wall.replace(' ', 'T')}Z`), 'UTC')

/**
 * A time ahead, as the interface writes it, in words of the clock of the rule: an instant, or where each phone has its own clock, a
 * wall time.
 */
export const timeInWords = (time: string, timezone: string): string =>
  timezone === EACH_PHONE ? wallInWords(time) : inWords(instantFrom(time), timezone)

/** Reads `schedule` of an answer, which may hold anything; undefined for what is no rule. */
export function ruleOf(schedule: unknown): Rule | undefined {
  const { strategy, cron, timezone, startsAt, endsAt } = (schedule ?? {}) as Record<string, unknown>
  if (strategy !== 'recurring' || typeof cron !== 'string' || typeof timezone !== 'string') return undefined
  const bound = (value: unknown) => (typeof value === 'string' ? value : undefined)
  return { cron, timezone, startsAt: bound(startsAt), endsAt: bound(endsAt) }
}
