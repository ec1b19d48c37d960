import type { FieldErrors } from '../../../platform/errors.ts'
import { isPlainObject } from '../../../platform/json/json.ts'
import {
  address,
  check,
  checked,
  closedShape,
  decimal,
  describe,
  documented,
  flag,
  type Infer,
  judged,
  list,
  oneOf,
  oneOfIntegers,
  present,
  shape,
  text,
  withoutNulls,
} from '../../../platform/values/parse.ts'
import {
  APPLE_PRIORITIES,
  type Button,
  type CriticalSound,
  ICON_TYPES,
  IMPORTANCES,
  INTERRUPTION_LEVELS,
} from '../../gateways/gateway.ts'
import { templateAddress } from '../../personalization/request/schema.ts'
import type { StoredContent } from '../types.ts'

/** Look and sound of a push: the blocks `ios` and `android`, and `buttons`. Every form takes the same. */

/** No gateway's payload has room for more buttons. */
const MAX_BUTTONS = 200
/** Our limit for identifiers that only devices compare. */
const MAX_ID_LENGTH = 1024
/** `NotificationChannel` of Android cuts longer ids, so none of an app could match. */
const MAX_CHANNEL_ID_LENGTH = 1000

const picture = () => templateAddress(address(['http', 'https']))

const icon = closedShape({ type: oneOf(ICON_TYPES).defined(), id: text({ max: MAX_ID_LENGTH }).defined() })

/** The sound of a push as a caller writes it: a file, or an object that can also make it critical. */
const soundObject = judged(
  closedShape({ name: text(), critical: flag(), volume: decimal({ min: 0, max: 1 }) }),
  ({ name, critical, volume }): FieldErrors => {
    if (critical !== true) {
      if (volume !== undefined) return { volume: ['is for critical sounds only: give critical: true as well'] }
      return name === undefined ? { name: ['is required unless critical is true'] } : {}
    }
    return name === 'none' ? { name: ['must be a sound: none is silence, and a critical sound cannot be silent'] } : {}
  },
)

const soundField = () =>
  documented(checked<string | Infer<typeof soundObject>>(judgeSound), {
    anyOf: [{ type: 'string', minLength: 1 }, describe(soundObject)],
  })

function judgeSound(value: unknown): FieldErrors {
  if (typeof value === 'string') return check(text(), value, true) ?? {}
  if (isPlainObject(value)) return check(soundObject, withoutNulls(soundObject, value), true) ?? {}
  return { '': ['must be a string, or an object with name, critical and volume'] }
}

export const iosFields = {
  category: text(),
  sound: soundField(),
  media: shape({ pictureUrl: picture() }),
  subtitle: text(),
  threadId: text({ max: MAX_ID_LENGTH }),
  interruptionLevel: oneOf(INTERRUPTION_LEVELS),
  relevanceScore: decimal({ min: 0, max: 1 }),
  targetContentId: text({ max: MAX_ID_LENGTH }),
  priority: oneOfIntegers(APPLE_PRIORITIES),
}

export const androidFields = {
  highPriority: flag(),
  sound: text(),
  pictureUrl: picture(),
  channelId: text({ max: MAX_CHANNEL_ID_LENGTH }),
  importance: oneOf(IMPORTANCES),
}

export const buttonsField = () =>
  list(shape({ id: text().defined(), text: text().defined(), icon }), { max: MAX_BUTTONS })

const presentation = shape({ ios: shape(iosFields), android: shape(androidFields), buttons: buttonsField() })

type Blocks = Infer<typeof presentation>

/** A button of a checked form. */
export function buttonOf({ id, text, icon }: NonNullable<Blocks['buttons']>[number]): Button {
  return { id, text, ...present({ icon }) }
}

/** The checked blocks as the content has them. */
export function presentationOf({
  ios,
  android,
  buttons,
}: Partial<Blocks>): Pick<StoredContent, 'ios' | 'android' | 'buttons'> {
  return {
    ...present({ buttons: buttons?.map(buttonOf) }),
    ios: ios ? iosOf(ios) : {},
    android: android ? androidOf(android) : {},
  }
}

function iosOf({ sound, media, ...ios }: NonNullable<Blocks['ios']>): StoredContent['ios'] {
  const { category, subtitle, threadId, interruptionLevel, relevanceScore, targetContentId, priority } = ios
  return present({
    category,
    sound: soundOf(sound),
    pictureUrl: media?.pictureUrl,
    subtitle,
    threadId,
    interruptionLevel,
    relevanceScore,
    targetContentId,
    priority,
  })
}

function androidOf(android: NonNullable<Blocks['android']>): StoredContent['android'] {
  const { highPriority, sound, pictureUrl, channelId, importance } = android
  return present({ highPriority, sound, pictureUrl, channelId, importance })
}

/** The sound as it is stored. An object that is not critical says no more than the name of its file. */
function soundOf(sound: string | Infer<typeof soundObject> | undefined): string | CriticalSound | undefined {
  if (typeof sound !== 'object') return sound
  const { name, critical, volume } = withoutNulls(soundObject, sound) as Infer<typeof soundObject>
  return critical ? { critical, ...present({ name, volume }) } : name
}

/** APNs refuses a push that shows nothing with any priority but 5. `silent`: it has no text. */
export function judgePriority(ios: unknown, silent: boolean): FieldErrors {
  if (!silent || !isPlainObject(ios) || ios.priority === undefined || ios.priority === 5) return {}
  return { 'ios.priority': ['must be 5, or absent: Apple refuses a push without title and message with another one'] }
}

/** The fields that need Apple's entitlement for critical alerts, as every form names them. */
export function criticalFields({ ios }: Pick<StoredContent, 'ios'>): string[] {
  return [
    ...(typeof ios.sound === 'object' ? ['ios.sound.critical'] : []),
    ...(ios.interruptionLevel === 'critical' ? ['ios.interruptionLevel'] : []),
  ]
}
