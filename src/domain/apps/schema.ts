import { documented, type Infer, integer, judged, oneOf, shape, text } from '../../platform/values/parse.ts'
import { type AppRules, DEVICE_CHANNELS, QUIET_THEN } from './types.ts'

/** Name of an app: shown to operators only. */
const appName = text({ max: 255 })

export const createApp = shape({ name: appName.required(), accountId: integer({ min: 1 }) })

/** How long a replaced key keeps working at most: ten years, for the secret key that is compiled into apps. */
const MAX_GRACE_S = 10 * 365 * 86_400

/** Body that replaces a key of an app. Without a grace period the old key stops working at once. */
export const rotateKey = shape({ graceSeconds: integer({ min: 0, max: MAX_GRACE_S }).required() }).required()

const clockTime = text({ max: 5 })
  .test(
    'time',
    'must be a time of day such as 22:00',
    (value) => value == null || /^([01]\d|2[0-3]):[0-5]\d$/.test(value),
  )
  .required()

/** The maximum of an integer column; no app has more installs. */
const MAX_RECIPIENTS = 2_147_483_647

/** How many recipients the caller of a send expects at most: an extension that every form takes at its top level. */
export const confirmField = () =>
  documented(integer({ min: 0, max: MAX_RECIPIENTS }), {
    description:
      'How many recipients are expected at most. An app may demand it of sends above a number (`confirmAbove` of its restraint)',
  })

/** Body of `PUT restraint`: absent fields stay unchanged, null turns a rule off. Times are local to each install. */
export const restraintForm = shape({
  // oxlint-disable-next-line unicorn/no-thenable -- a word of the interface, never a function
  quietHours: judged(shape({ from: clockTime, to: clockTime, then: oneOf(QUIET_THEN) }).nullable(), ({ from, to }) =>
    // Equal times are ambiguous: they could mean no hour or all hours.
    from !== undefined && from === to ? { to: ['must be another time than from'] } : {},
  ),
  frequencyCap: shape({
    count: integer({ min: 1, max: 1000 }).required(),
    hours: integer({ min: 1, max: 8760 }).required(),
  }).nullable(),
  confirmAbove: integer({ min: 0, max: MAX_RECIPIENTS }).nullable(),
  deviceChannels: oneOf(DEVICE_CHANNELS).nullable(),
}).required()

/** The rules that a form changes; absent fields stay unchanged. */
export function fromRestraintForm({
  quietHours,
  frequencyCap,
  confirmAbove,
  deviceChannels,
}: Infer<typeof restraintForm>): Partial<AppRules> {
  return {
    ...(quietHours !== undefined && {
      quiet: quietHours && {
        from: minuteOf(quietHours.from),
        to: minuteOf(quietHours.to),
        ...(quietHours.then === 'hold' && { hold: true as const }),
      },
    }),
    ...(frequencyCap !== undefined && { cap: frequencyCap }),
    ...(confirmAbove !== undefined && { confirmAbove }),
    ...(deviceChannels !== undefined && { deviceChannels: deviceChannels ?? 'private' }),
  }
}

function minuteOf(time: string): number {
  const [hour, minute] = time.split(':').map(Number)
  return hour! * 60 + minute!
}
