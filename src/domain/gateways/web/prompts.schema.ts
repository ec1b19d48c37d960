import { type FieldErrors, invalid } from '../../../platform/errors.ts'
import {
  address,
  check,
  checked,
  closedShape,
  integer,
  isPlainObject,
  judged,
  list,
  oneOf,
  type Schema,
  text,
} from '../../../platform/parse.ts'
import { PROMPT_TYPES, type PromptDesign, type PromptType } from './prompts.types.ts'

/** The file of a prompt. The SDK puts its texts, colours and pictures into other people's pages, so nothing loose gets through. */

const LONGEST_LABEL = 500
const MOST_CHANNELS = 500

const COLOR = /^(#[0-9a-f]{3,4}|#[0-9a-f]{6}|#[0-9a-f]{8}|rgba?\(\s*[\d.%]+(\s*[,/]?\s*[\d.%]+){2,3}\s*\))$/i
const color = () =>
  text({ max: 60 }).test(
    'color',
    'must be a colour such as #1753d8 or rgb(23, 83, 216)',
    (value) => value == null || value === '' || COLOR.test(value),
  )
const label = () => text({ max: LONGEST_LABEL })
const uuid = () => text({ max: 255 })

const each = <N extends string, S>(names: readonly N[], schema: S) =>
  Object.fromEntries(names.map((name) => [name, schema])) as Record<N, S>

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
const OPERATORS = ['in', 'IN', '=', '>', '<', '>=', '<='] as const
const BOX_LABELS = ['heading', 'body', 'declineAction', 'acceptAction'] as const
/** Dark on white with a blue button: for a prompt that names no colours. */
const BOX_COLORS = {
  fg: '#14181f',
  bg: '#ffffff',
  declineActionFg: '#535d6b',
  declineActionBg: '#ffffff',
  acceptActionFg: '#ffffff',
  acceptActionBg: '#1753d8',
}
const BELL_COLORS = { fg: '#ffffff', bg: '#1753d8' }
const THANKS = 'Thanks for subscribing!'

const filters = checked<unknown[]>((value) => {
  if (!Array.isArray(value) || value.length > 50)
    return { '': ['must be a list of at most 50 [property, operator, value]'] }
  const errors: FieldErrors = {}
  value.forEach((filter: unknown, i) => {
    const wrong = filterProblem(filter)
    if (wrong !== undefined) errors[`[${i}]`] = [wrong]
  })
  return errors
})

function filterProblem(filter: unknown): string | undefined {
  if (!Array.isArray(filter) || filter.length !== 3) return 'must be [property, operator, value]'
  const [property, operator, value] = filter as unknown[]
  if (typeof property !== 'string' || property === '') return 'must begin with the name of a property'
  if (!(OPERATORS as readonly unknown[]).includes(operator)) {
    return `has the operator ${JSON.stringify(operator)}: use ${OPERATORS.join(', ')}`
  }
  const isPlain = (one: unknown) => typeof one === 'string' || typeof one === 'number'
  if (operator === 'in' || operator === 'IN') {
    return Array.isArray(value) && value.every(isPlain) ? undefined : 'needs a list of texts or numbers as its value'
  }
  if (operator === '=') {
    return isPlain(value) || typeof value === 'boolean'
      ? undefined
      : 'needs a text, a number, true or false as its value'
  }
  return isPlain(value) ? undefined : 'needs a text or a number as its value'
}

const decline = judged(
  closedShape({
    type: oneOf(['decline', 'remind']).required(),
    delay: closedShape({
      duration: integer({ min: 1, max: 8760 }).required(),
      timeUnit: oneOf(['hours', 'days']).required(),
    }),
  }),
  ({ type, delay }): FieldErrors => {
    if (type === 'remind' && delay === undefined) return { delay: ['is required with type remind'] }
    return type === 'decline' && delay !== undefined ? { delay: ['belongs to type remind only'] } : {}
  },
)

/** `uuids` or one of these words. */
const channelUuids = (...words: string[]) =>
  checked<unknown>((value) => {
    if (typeof value === 'string' && words.includes(value)) return {}
    const isList =
      Array.isArray(value) &&
      value.length <= MOST_CHANNELS &&
      value.every((one) => typeof one === 'string' && one !== '' && one.length <= 255)
    const named = words.map((word) => `"${word}"`).join(' or ')
    return isList ? {} : { '': [`must be ${named}, or a list of at most ${MOST_CHANNELS} channel uuids`] }
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
  trigger: closedShape({
    event: text({ max: 255 }).required(),
    afterSeconds: integer({ min: 0, max: 86_400 }),
    filters,
  }),
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

/** A name that is easy to type and to read in a page. */
export const promptName = text({ max: 64 })
  .matches(/^[A-Za-z0-9][A-Za-z0-9_-]*$/, 'must be of letters, digits, - and _')
  .required()

/** A whole prompt -> the same with every default in place. Throws `invalid` with every wrong key. */
export function parsePrompt(value: unknown): PromptDesign {
  if (!isPlainObject(value)) throw invalid({ '': ['must be an object'] })
  const type = PROMPT_TYPES.find((name) => name === value.type)
  if (!type) throw invalid({ type: [`must be one of ${PROMPT_TYPES.join(', ')}`] })
  const errors = check(SCHEMAS[type], value, true)
  if (errors) throw invalid(errors)
  return withDefaults(type, JSON.parse(JSON.stringify(value)) as Partial<PromptDesign>)
}

/** A prompt of which each part that is given is replaced; null takes a part away. Throws as `parsePrompt` does. */
export function changePrompt(before: PromptDesign, change: unknown): PromptDesign {
  if (!isPlainObject(change)) throw invalid({ '': ['must be an object'] })
  if (Object.keys(change).length === 0) throw invalid({ '': ['names nothing to change'] })
  const type = change.type ?? before.type
  // What belongs to a bell means nothing in a banner.
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

function objectOf(value: unknown): Record<string, unknown> {
  return isPlainObject(value) ? value : {}
}
