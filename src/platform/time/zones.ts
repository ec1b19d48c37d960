import { IANAZone } from 'luxon'
import { ZONE_LINKS } from './zone-links.ts'

/** Time zones by their IANA names. Only this file uses luxon. */

/** Tells whether this is the name of a known zone. Offsets such as `+02:00` are not names. */
export function isZone(name: string): boolean {
  return /^[a-z]/i.test(name) && IANAZone.create(name).isValid
}

/** The name of a zone as the tz database spells it. `isZone` must know the zone. */
export const spelledZone = (zone: string): string =>
  namesOfZone(zone).find((name) => name.toLowerCase() === zone.toLowerCase()) ?? zone

const DAY_MS = 86_400_000

/** A span of time during which the offset of a zone does not change. */
interface Span {
  from: number
  to: number
  offset: number
}

/** Cache of recent spans by zone: a look-up in the library takes 5 µs, and one plan needs 48 for each of 400 zones. */
const asked = new Map<string, Span[]>()
const MAX_SPANS = 8

/**
 * Milliseconds by which the wall clock of a zone is ahead of UTC at an instant. `isZone` must know the zone. Assumes
 * that no zone changes its offset and changes it back within two days; none ever has.
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
