import { shortText, wholeNumber } from '../../platform/values/lenient.ts'
import type { TypesOf } from './event-types.ts'
import type { EventHandler } from './handler.ts'
import type { EventData } from './types.ts'

/** `type` of a beacon (docs/reference/device-protocol.md section 5). */
const IBEACON = 1
const EDDYSTONE = 2

/**
 * A beacon as a device reports it (docs/reference/device-protocol.md section 12), in a form common to all SDKs: numbers
 * are numbers, ids are in one case, and the distance is `distance` in metres (Android sends `distance`, React Native
 * `distanceMetres`). Fields with unusable values are left out; a beacon of another kind gives `{}`.
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

/** Beacons have no effect. The stored event holds them in the common form, in addition to what the device sent. */
export const beaconHandler: EventHandler<EventData, TypesOf<'events'>> = {
  read: { 'k.engage.beaconEnteredProximity': ({ data }) => readBeacon(data) },
  // oxlint-disable-next-line typescript/require-await
  adds: async (_, beacons) => beacons,
}
