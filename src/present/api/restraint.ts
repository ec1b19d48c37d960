import { type AppRules, DEVICE_CHANNELS } from '../../domain/apps/types.ts'
import { answerOf, integer, nullable, object, oneOf, optional, string } from '../schema.ts'

/** The rules of an app as their form takes them; null where there is none. */
export function presentRestraint({ quiet, cap, confirmAbove, deviceChannels }: AppRules) {
  return {
    quietHours: quiet && presentQuiet(quiet),
    frequencyCap: cap && { count: cap.count, hours: cap.hours },
    confirmAbove,
    deviceChannels,
  }
}

function presentQuiet({ from, to, hold }: NonNullable<AppRules['quiet']>) {
  // oxlint-disable-next-line unicorn/no-thenable -- a word of the interface, never a function
  return { from: timeOf(from), to: timeOf(to), ...(hold && { then: 'hold' }) }
}

function timeOf(minute: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`
}

export const restraint = answerOf<typeof presentRestraint>('Restraint', {
  // oxlint-disable-next-line unicorn/no-thenable -- a word of the interface, never a function
  quietHours: nullable(object({ from: string, to: string, then: optional({ const: 'hold' }) }, 'QuietHours')),
  frequencyCap: nullable(object({ count: integer, hours: integer }, 'FrequencyCap')),
  confirmAbove: nullable(integer),
  deviceChannels: oneOf(DEVICE_CHANNELS),
})
