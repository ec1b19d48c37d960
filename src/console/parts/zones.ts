import { ownZone } from '../state/app-zone.ts'

/** Wall clock times and time zones, with the zones that the browser knows. */

/** IANA name of the viewer's zone. */
export function viewerZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** IANA name of the zone in which times are planned and days are read: that of the app, else that of the viewer. */
export function appZone(): string {
  const own = ownZone.value
  try {
    if (own !== null) localText(new Date(), own)
    return own ?? viewerZone()
  } catch {
    // A browser may not know the zones of the server.
    return viewerZone()
  }
}

/** Zones as the options of a choice: these first, then all that the browser knows. */
export const zoneChoices = (...first: readonly string[]) =>
  [...new Set([...first, appZone(), viewerZone(), 'UTC', ...Intl.supportedValuesOf('timeZone')])].map((value) => ({
    value,
    label: value.replaceAll('_', ' '),
  }))

/** Reads an instant of the interface: `2026-03-01T12:30:00+0000`, whose offset not every browser reads, or `2026-03-01 12:30:00`, which is UTC. */
export function instantFrom(text: string): Date {
  if (/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)) return new Date(`${text.replace(' ', 'T')}Z`)
  return new Date(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'))
}

/** An instant as wall clock time in a zone: `2026-11-23T21:55`. */
export function localText(at: Date, zone: string): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  }).formatToParts(at)
  const part = (type: string) => parts.find((one) => one.type === type)!.value
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}`
}

/**
 * The instant of a wall clock time in a zone. A time that a change of clocks skips becomes the one after the gap; of two the
 * earlier is taken. Undefined for a text that is no time.
 */
export function instantOf(text: string, zone: string): Date | undefined {
  const asUtc = Date.parse(`${text}Z`)
  if (Number.isNaN(asUtc)) return undefined
  const offsetAt = (ms: number) => Date.parse(`${localText(new Date(ms), zone)}Z`) - Math.floor(ms / 60_000) * 60_000
  const day = 24 * 3600 * 1000
  const offsets = [offsetAt(asUtc - day), offsetAt(asUtc + day)]
  const found = offsets.map((offset) => asUtc - offset).filter((ms) => ms + offsetAt(ms) === asUtc)
  // In a gap the offset from before it leads to the same distance behind it.
  return new Date(found.length > 0 ? Math.min(...found) : asUtc - offsets[0]!)
}
