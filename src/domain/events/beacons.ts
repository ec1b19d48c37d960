import { shortText, wholeNumber } from '../../platform/lenient.ts'
import type { EventHandlers } from './handlers.ts'
import type { EventData } from './types.ts'

/** `type` of a beacon (docs/reference/device-protocol.md section 5). */
const IBEACON = 1
const EDDYSTONE = 2

/**
 * What a device says of a beacon (docs/reference/device-protocol.md section 12) in one form, whichever SDK sent it: numbers are numbers, ids are in
 * one case, and the distance is `distance` in metres (Android says `distance`, React Native `distanceMetres`). Only parts that make
 * sense are in it; empty for a beacon of another kind.
 */
export function readBeacon(data: EventData): EventData {
  const type = wholeNumber(data.type)
  const text = (key: string, as: (value: string) => string) => {
    const value = shortText(data[key])
    return value === null ? {} : { [key]: as(value) }
  }
  const whole = (key: string, max: number) => {
    const value = wholeNumber(data[key])
    return value === null || value < 0 || value > max ? {} : { [key]: value }
  }
  if (type === IBEACON) {
    return {
      type,
      ...text('uuid', (uuid) => uuid.toUpperCase()),
      ...whole('major', 0xffff),
      ...whole('minor', 0xffff),
      ...whole('proximity', 3),
    }
  }
  if (type !== EDDYSTONE) return {}
  const distance = metresOf(data.distance) ?? metresOf(data.distanceMetres)
  return {
    type,
    ...text('namespace', (hex) => hex.toLowerCase()),
    ...text('instance', (hex) => hex.toLowerCase()),
    ...(distance !== null && { distance }),
  }
}

function metresOf(value: unknown): number | null {
  const metres = typeof value === 'string' && /^\s*\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : value
  return typeof metres === 'number' && Number.isFinite(metres) && metres >= 0 ? metres : null
}

/** Beacons have no effect of their own; the stored event has them in one form, beside what the device sent. */
export const beaconEventHandlers: EventHandlers = {
  // oxlint-disable-next-line typescript/require-await
  'k.engage.beaconEnteredProximity': async ({ data }) => readBeacon(data),
}
