import { isPathField, readBarePath } from '../../platform/json/path.ts'
import { isZone, LONGEST_NAME, NO_ZONE, spelledZone } from '../../platform/time/zones.ts'
import {
  documented,
  flag,
  type Infer,
  integer,
  judged,
  lineOfText,
  oneOf,
  shape,
  text,
} from '../../platform/values/parse.ts'
import { type AppRules, DEVICE_CHANNELS, QUIET_THEN } from './types.ts'

/** Name of an app: shown to operators only. */
const appName = lineOfText({ max: 255 })

const timezone = text({ max: LONGEST_NAME }).test('zone', NO_ZONE, (value) => value == null || isZone(value))

/** Accepts a name that another app has. */
const allowDuplicate = flag()

export const createApp = shape({
  name: appName.required(),
  accountId: integer({ min: 1 }),
  timezone: timezone.nullable(),
  allowDuplicate,
})

/** Body of a change of an app: absent fields stay unchanged, null clears. */
export const changeApp = shape({
  name: appName,
  timezone: timezone.nullable(),
  iconUrl: text({ max: 2048 }).nullable(),
  allowDuplicate,
}).required()

/** A checked form, with the spelling of the tz database for its zone. */
export function fromAppForm<T extends { timezone?: string | null | undefined }>(form: T): T {
  return form.timezone == null ? form : { ...form, timezone: spelledZone(form.timezone) }
}

/** Maximum grace period of a replaced key: ten years, for the secret key that is compiled into apps. */
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

/** The maximum number of recipients that the caller of a send expects: an extension that every form takes at its top level. */
export const confirmField = () =>
  documented(integer({ min: 0, max: MAX_RECIPIENTS }), {
    description:
      'How many recipients are expected at most. An app may demand it of sends above a number (`confirmAbove` of its restraint)',
  })

/** Maximum length of the path of an attribute: that of its column. */
const MAX_PATH_LENGTH = 255

/** The path of a user attribute below `attributes`, which is not written. */
const attributePath = text({ max: MAX_PATH_LENGTH })
  .test(
    'bare',
    'must be the name of the attribute alone: language, not attributes.language',
    (value) => value == null || !(isPathField('attributes', value) || isPathField('user.attributes', value)),
  )
  .test(
    'path',
    'must be the name of a user attribute: language, profile.language (at most 8 names), or ["a name with . or quotes"]',
    (value) => value == null || value === '' || readBarePath(value) !== undefined,
  )

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
  languageAttribute: attributePath.nullable(),
}).required()

/** The rules that a form changes; absent fields stay unchanged. */
export function fromRestraintForm({
  quietHours,
  frequencyCap,
  confirmAbove,
  deviceChannels,
  languageAttribute,
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
    ...(languageAttribute !== undefined && { languageAttribute }),
  }
}

function minuteOf(time: string): number {
  const [hour, minute] = time.split(':').map(Number)
  return hour! * 60 + minute!
}
