import { IANAZone } from 'luxon'
import { ZONE_LINKS } from './zone-links.ts'

/** Time zones by their IANA names. Only this file uses luxon. */

/** Names that were found to be those of zones, each with its spelling: to ask for one takes 70 µs. */
const valid = new Map<string, string>()
/** The most names that are kept: all that there are take a third of it, the rest is for other capitals. */
const MOST_NAMES = 2000
/** The most characters of a name that is looked up: the longest name of a zone has 32. */
export const LONGEST_NAME = 64

/** The refusal of a text that is no name of a zone. */
export const NO_ZONE = 'must be an IANA time zone name such as Europe/Berlin'

/**
 * Tells whether this is the name of a known zone. Offsets such as `+02:00` are not names. Callers may send any text as a zone, so nothing
 * that is none is kept; the library would keep it for ever.
 */
export function isZone(name: string): boolean {
  if (valid.has(name)) return true
  if (name.length > LONGEST_NAME || !/^[a-z]/i.test(name) || !IANAZone.isValidZone(name)) return false
  if (valid.size >= MOST_NAMES) valid.clear()
  valid.set(name, spelledZone(name))
  return true
}

/** The name of a zone as the tz database spells it. `isZone` must know the zone. */
export function spelledZone(zone: string): string {
  const isSame = (name: string) => name.toLowerCase() === zone.toLowerCase()
  const listed = links().get(zone.toLowerCase())?.find(isSame)
  if (listed !== undefined) return listed
  const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions()
  return isSame(timeZone) ? timeZone : zone
}

const DAY_MS = 86_400_000

/** A span of time during which the offset of a zone does not change. */
interface Span {
  from: number
  to: number
  offset: number
}

/** Cache of recent spans by zone in its one spelling: a look-up in the library takes 5 µs, and one plan needs 48 for each of 400 zones. */
const asked = new Map<string, Span[]>()
const MAX_SPANS = 8

/**
 * Milliseconds by which the wall clock of a zone is ahead of UTC at an instant. `isZone` must know the zone. Assumes
 * that no zone changes its offset and changes it back within two days; none ever has.
 */
export function zoneOffset(zone: string, instant: number): number {
  // The library keeps what it makes of each spelling, so it is given one.
  const name = valid.get(zone) ?? (isZone(zone) ? spelledZone(zone) : zone)
  let spans = asked.get(name)
  const known = spans?.find(({ from, to }) => from <= instant && instant <= to)
  if (known) return known.offset
  const read = (at: number) => IANAZone.create(name).offset(at) * 60_000
  const from = instant - DAY_MS
  const to = instant + DAY_MS
  const offset = read(from)
  if (offset !== read(to)) return read(instant)
  if (!spans) asked.set(name, (spans = []))
  if (spans.length >= MAX_SPANS) spans.shift()
  spans.push({ from, to, offset })
  return offset
}

/** Name in lower case -> all names of the same zone, as the tz database spells them. Built on first use. */
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
 * All names of a zone, including the given one: `Asia/Kolkata` -> `Asia/Calcutta`, `Asia/Kolkata`. Case does not
 * matter. `isZone` must know the zone.
 */
export function namesOfZone(name: string): readonly string[] {
  return links().get(name.toLowerCase()) ?? [name]
}
