import { type AppRules, DEVICE_CHANNELS } from '../../domain/apps/types.ts'
import { answer, integer, nullable, object, oneOf, optional, string, told } from '../schema.ts'

function presentQuiet({ from, to, hold }: NonNullable<AppRules['quiet']>) {
  // oxlint-disable-next-line unicorn/no-thenable -- a word of the interface, never a function
  return { from: timeOf(from), to: timeOf(to), ...(hold && { then: 'hold' }) }
}

function timeOf(minute: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`
}

/** The rules of an app as their form takes them; null where there is none. */
export const restraint = answer<AppRules>()('Restraint', 'The rules of an app for its sends and its devices.', {
  quietHours: told(
    nullable(
      object('QuietHours', 'Hours in which installs get nothing, in their own time zone.', {
        from: told(string, 'Start, as `HH:MM` of the local day.', '22:00'),
        to: told(string, 'End, as `HH:MM` of the local day.', '07:00'),
        // oxlint-disable-next-line unicorn/no-thenable -- a word of the interface, never a function
        then: optional(
          told(
            { const: 'hold' },
            'Present when recipients are kept until the quiet hours end; otherwise they are left out.',
          ),
        ),
      }),
    ),
    'Hours in which installs get nothing. Null: no quiet hours.',
    ({ quiet }) => quiet && presentQuiet(quiet),
  ),
  frequencyCap: told(
    nullable(
      object('FrequencyCap', 'How many notifications an install may get.', {
        count: told(integer, 'Maximum number of notifications.', 5),
        hours: told(integer, 'Period in hours.', 24),
      }),
    ),
    'How many notifications an install may get. Null: any number.',
    ({ cap }) => cap && { count: cap.count, hours: cap.hours },
  ),
  confirmAbove: told(nullable(integer), 'Sends to more recipients than this must name `confirm`. Null: never.', 10_000),
  deviceChannels: told(
    oneOf(DEVICE_CHANNELS),
    'Who sees channels that devices create: everyone (`public`) or subscribers (`private`).',
    'private',
  ),
  languageAttribute: told(
    nullable(string),
    'User attribute that says which language a person reads, such as `language` or `profile.language`. Null: the locale of each install says it.',
    'language',
  ),
})
export const presentRestraint = restraint.present
