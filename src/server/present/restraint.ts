import { type AppRules, DEVICE_CHANNELS } from '../../domain/apps/types.ts'
import { answerOf, integer, nullable, object, oneOf, string } from './schema.ts'

/** The rules of an app as their form takes them; null where there is none. */
export function presentRestraint({ quiet, cap, confirmAbove, deviceChannels }: AppRules) {
  return {
    quietHours: quiet && { from: timeOf(quiet.from), to: timeOf(quiet.to) },
    frequencyCap: cap && { count: cap.count, hours: cap.hours },
    confirmAbove,
    deviceChannels,
  }
}

function timeOf(minute: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`
}

export const restraint = answerOf<typeof presentRestraint>('Restraint', {
  quietHours: nullable(object({ from: string, to: string }, 'QuietHours')),
  frequencyCap: nullable(object({ count: integer, hours: integer }, 'FrequencyCap')),
  confirmAbove: nullable(integer),
  deviceChannels: oneOf(DEVICE_CHANNELS),
})
