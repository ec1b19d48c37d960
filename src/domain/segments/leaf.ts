import { isOrder, ORDER, type OrderOperator, readOperation } from '../../platform/filter-operators.ts'
import { type InstantRules, readInstant } from '../../platform/instants.ts'
import { isStorable } from '../../platform/json.ts'
import { IS_REQUIRED, joined, list, MUST_BE, type Problems, type Reader } from '../../platform/reader.ts'
import { namesOfZone } from '../../platform/zones.ts'
import { SDK_TYPES, zoneOf } from '../crm/details.ts'
import { versionKey } from '../crm/version-key.ts'
import { isAttributeField, PATH_RULE, readAttributePath } from './attribute-path.ts'
import { type Condition, type Scalar, TEXT_OPERATORS, type WordField } from './types.ts'

/** A condition being read. A reader returns undefined after reporting a problem. */
interface Given {
  op: string
  value: unknown
  /** Reports a problem of the value, or of an item of it: `[2]`. */
  say(problem: string, item?: string): undefined
}

/** The operators of a field, in the order in which errors list them, and the reader of its conditions. */
interface Field {
  ops: readonly string[]
  read(given: Given): Condition | undefined
}

const MAX_VALUES = 1000
const MAX_VALUE_LENGTH = 1024
/** A hundred years. */
const MAX_DAYS = 36_500
const DAY_MS = 86_400_000
/** A time must have an offset: without one it is unclear whose time zone is meant. */
const TIMES: InstantRules = { needsOffset: true, largestOffset: 23, hour24: true }

const WORD_OPS = ['equals', 'notEquals', 'in']
const ORDER_OPS = Object.keys(ORDER)
const TIME_OPS = ['withinDays', 'olderThanDays', ...ORDER_OPS]
const negated = (part: Condition): Condition => ({ kind: 'not', part })

/** All fields except `attributes…`. */
const FIELDS: Readonly<Record<string, Field>> = {
  identifier: {
    ops: [...WORD_OPS, 'known'],
    read: (given) =>
      given.op === 'known' ? onlyIf(given, { kind: 'flag', field: 'known' }) : readWord(given, 'identifier', plain),
  },
  os: optionalWord('os', (value) => asciiLower(value)),
  sdkType: optionalWord('sdkType', (value) => (SDK_TYPES.includes(value) ? value : undefined), SDK_TYPES.join(', ')),
  appVersion: { ops: [...WORD_OPS, ...ORDER_OPS, 'exists'], read: readVersion },
  locale: optionalWord('locale', (value) => asciiLower(value).replaceAll('_', '-')),
  language: { ops: WORD_OPS, read: readLanguage },
  countryIsoCode: optionalWord('countryIsoCode', readCountry, 'a country code of two letters, such as DE'),
  timezone: { ops: [...WORD_OPS, 'exists'], read: readZone },
  firstActive: { ops: TIME_OPS, read: (given) => readTime(given, 'firstActive') },
  lastActive: { ops: TIME_OPS, read: (given) => readTime(given, 'lastActive') },
  channel: { ops: ['equals', 'in'], read: readChannels },
  geofence: { ops: ['equals', 'in'], read: readGeofences },
  inAppEnabled: { ops: ['equals'], read: (given) => onlyIf(given, { kind: 'flag', field: 'inAppEnabled' }) },
  subscribedToPush: { ops: ['equals'], read: (given) => onlyIf(given, { kind: 'flag', field: 'subscribedToPush' }) },
}

const ATTRIBUTE_OPS = [...WORD_OPS, ...ORDER_OPS, ...TEXT_OPERATORS, 'exists']

/** Reads the condition at the path `at`; undefined after reporting every problem. */
export function readLeaf(node: Record<string, unknown>, at: string, problems: Problems): Condition | undefined {
  const { field: name } = node
  const fieldAt = joined(at, 'field')
  if (typeof name !== 'string') return problems.say(fieldAt, name === undefined ? IS_REQUIRED : MUST_BE.string)
  const field = fieldOf(name)
  if (!field) {
    const rule = isAttributeField(name) ? PATH_RULE : `one of ${Object.keys(FIELDS).join(', ')}, or attributes.NAME`
    return problems.say(fieldAt, `must be ${rule}`)
  }
  const asked = readOperation(node, { usual: 'op', possible: field.ops, about: ` for ${name}` }, at, problems)
  const valueAt = joined(at, 'value')
  if (!(asked ? 'value' in asked : Object.hasOwn(node, 'value'))) return problems.say(valueAt, IS_REQUIRED)
  if (!asked) return undefined
  const say = (problem: string, item = '') => problems.say(`${valueAt}${item}`, problem)
  const condition = field.read({ op: asked.operator, value: asked.value, say })
  return condition?.kind === 'channels' || condition?.kind === 'geofences' ? { ...condition, at: valueAt } : condition
}

function fieldOf(name: string): Field | undefined {
  if (Object.hasOwn(FIELDS, name)) return FIELDS[name]
  const path = isAttributeField(name) ? readAttributePath(name) : undefined
  return path && { ops: ATTRIBUTE_OPS, read: (given) => readAttribute(given, path) }
}

/**
 * A text that a device may not have reported. `canonical` converts a value to the stored form, or refuses it (`rule`).
 */
function optionalWord(field: WordField, canonical: Canonical, rule?: string): Field {
  return {
    ops: [...WORD_OPS, 'exists'],
    read: (given) =>
      given.op === 'exists' ? onlyIf(given, { kind: 'present', field }) : readWord(given, field, canonical, rule),
  }
}

type Canonical = (value: string) => string | undefined
/** A function and not a constant, because `FIELDS` above uses it. */
function plain(value: string): string {
  return value
}

function readWord(given: Given, field: WordField, canonical: Canonical, rule?: string): Condition | undefined {
  const values = readTexts(given, canonical, rule)
  return values && unlessNegated(given, { kind: 'word', field, values })
}

function readLanguage(given: Given): Condition | undefined {
  const canonical: Canonical = (value) => (/^[a-z]{2,8}$/i.test(value) ? asciiLower(value) : undefined)
  const values = readTexts(given, canonical, 'a language of two or more letters without a region, such as en')
  return values && unlessNegated(given, { kind: 'language', values })
}

function readCountry(value: string): string | undefined {
  return /^[a-z]{2}$/i.test(value) ? value.toUpperCase() : undefined
}

/** Devices report one zone under different names: Asia/Calcutta is Asia/Kolkata. */
function readZone(given: Given): Condition | undefined {
  if (given.op === 'exists') return onlyIf(given, { kind: 'present', field: 'timezone' })
  const zones = readTexts(
    given,
    (value) => zoneOf(value) ?? undefined,
    'the name of a time zone, such as Europe/Berlin',
  )
  if (!zones) return undefined
  return unlessNegated(given, { kind: 'word', field: 'timezone', values: [...new Set(zones.flatMap(namesOfZone))] })
}

function readVersion(given: Given): Condition | undefined {
  const { op, value, say } = given
  if (op === 'exists') return onlyIf(given, { kind: 'present', field: 'appVersion' })
  if (isOrder(op)) {
    const key = typeof value === 'string' ? versionKey(value) : null
    if (key === null) return say('must be a version that begins with a number, such as "1.10" (a string)')
    return { kind: 'versionOrder', op: ORDER[op], key }
  }
  const texts = readTexts(given, plain)
  if (!texts) return undefined
  const keys = texts.flatMap((text) => versionKey(text) ?? [])
  return unlessNegated(given, { kind: 'version', keys, texts: texts.filter((text) => versionKey(text) === null) })
}

function readTime({ op, value, say }: Given, field: 'firstActive' | 'lastActive'): Condition | undefined {
  if (op === 'withinDays' || op === 'olderThanDays') {
    if (typeof value !== 'number' || !(value > 0 && value <= MAX_DAYS)) {
      return say(`must be a number of days above 0, at most ${MAX_DAYS}`)
    }
    return { kind: 'time', field, op: op === 'withinDays' ? '>=' : '<', instant: { ago: Math.round(value * DAY_MS) } }
  }
  const at = typeof value === 'string' ? readInstant(value, TIMES) : undefined
  if (at === undefined) {
    return say('must be a date such as "2026-03-01" or a time with its offset such as "2026-03-01T08:00:00Z"')
  }
  return { kind: 'time', field, op: ORDER[op as OrderOperator], instant: { at } }
}

function readChannels(given: Given): Condition | undefined {
  const uuids = readTexts(given, plain)
  return uuids && { kind: 'channels', uuids, at: '' }
}

function readGeofences(given: Given): Condition | undefined {
  const isId = (one: unknown) => Number.isSafeInteger(one) && (one as number) > 0
  const ids = readValues(given, (one) => (isId(one) ? (one as number) : undefined), 'the id of a geofence (an integer)')
  return ids && { kind: 'geofences', ids, at: '' }
}

function readAttribute(given: Given, path: string[]): Condition | undefined {
  const { op, value, say } = given
  const about = (test: (Condition & { kind: 'attribute' })['test']): Condition => ({ kind: 'attribute', path, test })
  if (op === 'exists') return onlyIf(given, about({ op: 'exists' }))
  const textOperator = TEXT_OPERATORS.find((one) => one === op)
  if (textOperator) {
    if (typeof value !== 'string' || !isText(value)) return say(`must be ${TEXT_RULE}`)
    return about({ op: textOperator, value })
  }
  if (isOrder(op)) {
    if (typeof value === 'number' || (typeof value === 'string' && isText(value))) {
      return about({ op: ORDER[op], value })
    }
    return say(`must be a number or ${TEXT_RULE}`)
  }
  const isScalar = (one: unknown): one is Scalar =>
    typeof one === 'number' || typeof one === 'boolean' || one === '' || (typeof one === 'string' && isText(one))
  const values = readValues(given, (one) => (isScalar(one) ? one : undefined), `a string, a number, true or false`)
  return values && unlessNegated(given, about({ op: 'among', values }))
}

/** `value: false` negates the condition. */
function onlyIf({ value, say }: Given, condition: Condition): Condition | undefined {
  if (typeof value !== 'boolean') return say(MUST_BE.boolean)
  return value ? condition : negated(condition)
}

function unlessNegated({ op }: Given, condition: Condition): Condition {
  return op === 'notEquals' ? negated(condition) : condition
}

const TEXT_RULE = `a string of 1 to ${MAX_VALUE_LENGTH} characters`

function isText(value: string): boolean {
  return (
    value !== '' && isStorable(value) && (value.length <= MAX_VALUE_LENGTH || [...value].length <= MAX_VALUE_LENGTH)
  )
}

function readTexts(given: Given, canonical: Canonical, rule = TEXT_RULE): string[] | undefined {
  return readValues(given, (one) => (typeof one === 'string' && isText(one) ? canonical(one) : undefined), rule)
}

/** Reads the value of `equals`, or each value of the list of `in`; undefined after reporting the wrong ones. */
function readValues<T>(
  { op, value, say }: Given,
  read: (one: unknown) => T | undefined,
  rule: string,
): T[] | undefined {
  if (op !== 'in') {
    const one = read(value)
    if (one === undefined) say(`must be ${rule}${Array.isArray(value) ? '; a list goes with the operator in' : ''}`)
    return one === undefined ? undefined : [one]
  }
  const readItem: Reader<T> = (one, at, problems) => read(one) ?? problems.say(at, `must be ${rule}`)
  const all = list(readItem, { max: MAX_VALUES, what: 'values' })(value, '', {
    say: (at, problem) => say(problem, at),
  })
  return !all || all.includes(undefined) ? undefined : [...new Set(all as T[])]
}

/** Converts only ASCII, as both databases do with `COLLATE "C"`. */
function asciiLower(value: string): string {
  return value.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase())
}
