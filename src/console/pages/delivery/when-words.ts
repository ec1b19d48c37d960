import { appZone, instantFrom } from '../../parts/zones.ts'

/** The schedule of a push, as the interface tells it. */
interface Schedule {
  strategy: 'utc' | 'timezone' | 'local' | 'intelligent'
  sendAt: string
  timezone?: string | null | undefined
}

/** A due time with the zones that are due then, where they are known. */
interface Due {
  at: string
  zones?: readonly (string | null)[] | undefined
}

const HOUR_S = 3600
const DAY_S = 24 * HOUR_S

/** "Honolulu", for a zone that has no name of its own in a sentence. */
const cityOf = (zone: string | null): string =>
  zone === null ? 'places that are not known' : zone.replace(/^.*\//, '').replaceAll('_', ' ')

/** Seconds in the unit that people would say. */
function spoken(seconds: number): [number, 'minute' | 'hour' | 'day'] {
  const size = Math.abs(seconds)
  if (size < 90 * 60) return [Math.round(seconds / 60), 'minute']
  return size < 2 * DAY_S ? [Math.round(seconds / HOUR_S), 'hour'] : [Math.round(seconds / DAY_S), 'day']
}
const fromNow = (at: number, now: number): string =>
  new Intl.RelativeTimeFormat(undefined, { numeric: 'always' }).format(...spoken((at - now) / 1000))
function length(ms: number): string {
  const [count, unit] = spoken(ms / 1000)
  return new Intl.NumberFormat(undefined, { style: 'unit', unit, unitDisplay: 'long' }).format(count)
}

const dayAndTime = (ms: number, timeZone: string) =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeStyle: 'short', timeZone }).format(ms)
const wall = (sendAt: string) => Date.parse(`${sendAt.replace(' ', 'T')}Z`)
const nameOf = (zone: string) => zone.replaceAll('_', ' ')

/** "first in Auckland in 3 hours, last in Honolulu 21 hours later" */
function spread(due: readonly Due[], now: number): string {
  const [first, last] = [due[0], due.at(-1)]
  if (!first || !last) return ''
  const place = ({ zones }: Due) => (zones?.[0] === undefined ? '' : `in ${cityOf(zones[0])} `)
  const [from, to] = [first, last].map(({ at }) => instantFrom(at).getTime())
  if (from === to) return `${place(first)}${fromNow(from!, now)}`
  return `first ${place(first)}${fromNow(from!, now)}, last ${place(last)}${length(to! - from!)} later`
}

/**
 * The time of a scheduled push in words: "29 November at 7:00 on each phone’s clock: first in Auckland in 3 hours, last in
 * Honolulu 21 hours later". `due`: its due times, ascending; without them it says
 * the time alone. Pure, but for the language of the viewer and the zone of the app.
 */
export function whenInWords(schedule: Schedule | null, due: readonly Due[] = [], now = 0): string {
  if (schedule === null) return 'Within a day, at the hour at which each person is usually active'
  const { strategy, sendAt, timezone } = schedule
  const ahead = spread(due, now)
  const more = ahead === '' ? '' : `: ${ahead}`
  if (strategy === 'local') return `${dayAndTime(wall(sendAt), 'UTC')} on each phone’s clock${more}`
  if (strategy === 'intelligent') {
    const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeZone: 'UTC' }).format(
      wall(`${sendAt} 00:00`),
    )
    return `${day}, at the hour at which each person is usually active`
  }
  const zone = strategy === 'timezone' ? (timezone ?? 'UTC') : appZone()
  const at = strategy === 'timezone' ? dayAndTime(wall(sendAt), 'UTC') : dayAndTime(wall(sendAt), zone)
  return `${at} (${nameOf(zone)})${more}`
}
