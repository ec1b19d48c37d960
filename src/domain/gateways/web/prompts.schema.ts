import { invalid } from '../../../platform/errors.ts'
import { isPlainObject, objectOf } from '../../../platform/json/json.ts'
import { address, check, checked, closedShape, list, oneOf, type Schema, text } from '../../../platform/values/parse.ts'
import { BOX_COLORS, color, decline, each, label, trigger } from './page-parts.schema.ts'
import { PROMPT_TYPES, type PromptDesign, type PromptType } from './prompts.types.ts'

/** The file of a prompt. */

const MAX_CHANNELS = 500

const uuid = () => text({ max: 255 })

const POSITIONS = {
  bell: ['bottom-right', 'bottom-left'],
  alert: ['center', 'top'],
  banner: ['top', 'bottom'],
} as const satisfies Record<PromptType, readonly string[]>
const DIALOG_POSITIONS = [
  'top-left',
  'top-center',
  'top-right',
  'center-left',
  'center',
  'center-right',
  'bottom-left',
  'bottom-center',
  'bottom-right',
  'top',
  'bottom',
] as const
const BOX_LABELS = ['heading', 'body', 'declineAction', 'acceptAction'] as const
const BELL_COLORS = { fg: '#ffffff', bg: '#1753d8' }
const THANKS = 'Thanks for subscribing!'

/** A list of uuids, or one of these words. */
const channelUuids = (...words: string[]) =>
  checked<unknown>((value) => {
    if (typeof value === 'string' && words.includes(value)) return {}
    const isList =
      Array.isArray(value) &&
      value.length <= MAX_CHANNELS &&
      value.every((one) => typeof one === 'string' && one !== '' && one.length <= 255)
    const named = words.map((word) => `"${word}"`).join(' or ')
    return isList ? {} : { '': [`must be ${named}, or a list of at most ${MAX_CHANNELS} channel uuids`] }
  })

const channels = closedShape({
  presentedUuids: channelUuids('all').required(),
  checkedUuids: channelUuids('none', 'all').required(),
})

const ACTIONS: Record<string, Schema> = {
  subscribeToChannel: closedShape({ type: text(), channelUuid: uuid().required() }),
  userChannelSelectInline: closedShape({ type: text(), channels: channels.required() }),
  userChannelSelectDialog: closedShape({
    type: text(),
    channels: channels.required(),
    dialogConfig: closedShape({
      labels: closedShape(each(['heading', 'confirmAction'], label().required())).required(),
      colors: closedShape(each(['bg', 'fg', 'confirmActionBg', 'confirmActionFg'], color().required())).required(),
      position: oneOf(DIALOG_POSITIONS).required(),
    }).required(),
  }),
}

const action = checked<unknown>((value) => {
  if (!isPlainObject(value)) return { '': ['must be an object'] }
  const { type } = value
  const schema = typeof type === 'string' && Object.hasOwn(ACTIONS, type) ? ACTIONS[type] : undefined
  if (!schema) return { type: [`must be one of ${Object.keys(ACTIONS).join(', ')}`] }
  return check(schema, value, true) ?? {}
})

const common = {
  type: oneOf(PROMPT_TYPES).required(),
  trigger,
  overlay: closedShape({
    iconUrl: address(['https', 'http']),
    labels: closedShape(each(['heading', 'body'], label().required())).required(),
    links: list(closedShape({ label: label().required(), url: address(['https', 'http']).required() }), { max: 20 }),
    colors: closedShape(each(['shade', 'strip', 'text'], color().required())).required(),
  }),
  silentOverlay: closedShape({
    labels: closedShape({ body: label().required() }).required(),
    colors: closedShape({ text: color().required() }).required(),
  }),
  actions: list(action, { max: 20 }),
}

const boxed = (type: 'alert' | 'banner') =>
  closedShape({
    ...common,
    position: oneOf(POSITIONS[type]),
    labels: closedShape({
      thanksForSubscribing: label(),
      [type]: closedShape(each(BOX_LABELS, label().required())).required(),
    }).required(),
    colors: closedShape({ [type]: closedShape(each(Object.keys(BOX_COLORS), color())) }),
    uiActions: closedShape({ decline }),
    imageUrl: address(['https', 'http']),
    backgroundMask: closedShape({ colors: closedShape({ bg: color().required() }).required() }),
  })

const SCHEMAS: Record<PromptType, Schema> = {
  bell: closedShape({
    ...common,
    position: oneOf(POSITIONS.bell),
    labels: closedShape({
      tooltip: closedShape({ subscribe: label().required() }),
      thanksForSubscribing: label(),
    }),
    colors: closedShape({ bell: closedShape(each(['fg', 'bg'], color())) }),
  }),
  alert: boxed('alert'),
  banner: boxed('banner'),
}

/** A name that is easy to type and to read in a page's source. */
export const promptName = text({ max: 64 })
  .matches(/^[A-Za-z0-9][A-Za-z0-9_-]*$/, 'must begin with a letter or digit and contain only letters, digits, - and _')
  .required()

/** Checks a whole prompt and fills in the defaults. Throws `invalid` with every wrong key. */
export function parsePrompt(value: unknown): PromptDesign {
  if (!isPlainObject(value)) throw invalid({ '': ['must be an object'] })
  const type = PROMPT_TYPES.find((name) => name === value.type)
  if (!type) throw invalid({ type: [`must be one of ${PROMPT_TYPES.join(', ')}`] })
  const errors = check(SCHEMAS[type], value, true)
  if (errors) throw invalid(errors)
  return withDefaults(type, JSON.parse(JSON.stringify(value)) as Partial<PromptDesign>)
}

/** Replaces the given parts of a prompt; null removes a part. Throws as `parsePrompt` does. */
export function changePrompt(before: PromptDesign, change: unknown): PromptDesign {
  if (!isPlainObject(change)) throw invalid({ '': ['must be an object'] })
  if (Object.keys(change).length === 0) throw invalid({ '': ['names nothing to change'] })
  const type = change.type ?? before.type
  // Parts of a bell mean nothing in a banner.
  const kept = type === before.type ? before : { trigger: before.trigger }
  return parsePrompt(
    Object.fromEntries(Object.entries({ ...kept, ...change, type }).filter(([, part]) => part !== null)),
  )
}

function withDefaults(type: PromptType, { labels, colors, uiActions, ...rest }: Partial<PromptDesign>): PromptDesign {
  const given = { labels: objectOf(labels), colors: objectOf(objectOf(colors)[type]), uiActions: objectOf(uiActions) }
  const usual = { type, trigger: { event: 'k.pageViewed' }, position: POSITIONS[type][0] }
  const named = { thanksForSubscribing: THANKS, ...given.labels }
  if (type === 'bell') {
    const tooltip = { subscribe: 'Get notifications', ...objectOf(given.labels.tooltip) }
    return {
      ...usual,
      ...rest,
      labels: { ...named, tooltip },
      colors: { bell: { ...BELL_COLORS, ...given.colors } },
    }
  }
  return {
    ...usual,
    ...rest,
    labels: named,
    colors: { [type]: { ...BOX_COLORS, ...given.colors } },
    uiActions: { decline: given.uiActions.decline ?? { type: 'decline' } },
  }
}
