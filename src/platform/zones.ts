import { IANAZone } from 'luxon'
import { ZONE_LINKS } from './zone-links.ts'

/** Time zones by their IANA names. The only file that knows the library. */

/** Whether we can reckon with a zone of this name. Offsets such as `+02:00` are no names of zones. */
export function isZone(name: string): boolean {
  return /^[a-z]/i.test(name) && IANAZone.create(name).isValid
}

const DAY_MS = 86_400_000

/** A stretch of time in which a zone's offset is the same. */
interface Span {
  from: number
  to: number
  offset: number
}

/** Asking the library takes 5 µs and a plan asks 48 times for each of 400 zones: what was asked last is kept. */
const asked = new Map<string, Span[]>()
const MOST_SPANS = 8

/**
 * Milliseconds that the wall clock of a zone is ahead of UTC at an instant. Expects a zone that `isZone` knows. Relies on what
 * is true of all zones there ever were: none changed its offset and changed it back within two days.
 */
export function zoneOffset(zone: string, instant: number): number {
  let spans = asked.get(zone)
  const known = spans?.find(({ from, to }) => from <= instant && instant <= to)
  if (known) return known.offset
  const read = (at: number) => IANAZone.create(zone).offset(at) * 60_000
  const from = instant - DAY_MS
  const to = instant + DAY_MS
  const offset = read(from)
  if (offset !== read(to)) return read(instant)
  if (!spans) asked.set(zone, (spans = []))
  if (spans.length >= MOST_SPANS) spans.shift()
  spans.push({ from, to, offset })
  return offset
}

/** Lower case -> all names of the same place, spelt as the tz database does. Made when somebody asks first. */
let linked: Map<string, readonly string[]> | undefined

function links(): Map<string, readonly string[]> {
  if (linked) return linked
  linked = new Map()
  const alone = Intl.supportedValuesOf('timeZone').map((name) => [name])
  const lines = ZONE_LINKS.trim().split('\n')
  for (const names of [...alone, ...lines.map((line) => line.split(' '))]) {
    for (const name of names) linked.set(name.toLowerCase(), names)
  }
  return linked
}

/**
 * Every name of the place that a zone is named after, the given one among them: `Asia/Kolkata` -> `Asia/Calcutta`,
 * `Asia/Kolkata`. Upper and lower case do not matter. Expects a zone that `isZone` knows.
 */
export function namesOfZone(name: string): readonly string[] {
  return links().get(name.toLowerCase()) ?? [name]
}
