import { isOrder, ORDER, type OrderOperator, readOperation } from '../../platform/filters/operators.ts'
import {
  type Given,
  isText,
  readValues,
  readValueTest,
  TEXT_RULE,
  VALUE_OPS,
} from '../../platform/filters/value-test.ts'
import { isPathField, pathRule, readJsonPath } from '../../platform/json/path.ts'
import { readInstant, WITH_OFFSET } from '../../platform/time/instants.ts'
import { namesOfZone } from '../../platform/time/zones.ts'
import { IS_REQUIRED, joined, MUST_BE, type Problems } from '../../platform/values/reader.ts'
import { SDK_TYPES, zoneOf } from '../crm/details.ts'
import { TRANSPORTS } from '../crm/store/transport.ts'
import { versionKey } from '../crm/store/version-key.ts'
import { BUILD_KINDS } from '../crm/types.ts'
import { isMetricName, METRIC_NAME_RULE } from '../metrics/schema.ts'
import type { Condition, SaidField, WordField } from './types.ts'

/** The operators of a field, in the order in which errors list them, and the reader of its conditions. */
interface Field {
  ops: readonly string[]
  read(given: Given): Condition | undefined
}

/** A hundred years. */
const MAX_DAYS = 36_500
const DAY_MS = 86_400_000

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
  buildKind: optionalWord(
    'buildKind',
    (value) => (BUILD_KINDS.some((kind) => kind === value) ? value : undefined),
    BUILD_KINDS.join(' or '),
  ),
  simulator: optionalFlag('simulator'),
  timeSensitive: optionalFlag('timeSensitive'),
  transport: optionalWord(
    'transport',
    (value) => TRANSPORTS.find((transport) => transport === asciiLower(value)),
    `one of ${TRANSPORTS.join(', ')}`,
  ),
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

const ATTRIBUTES = 'attributes'
const METRICS = 'metrics.'
/** Values with which a metric is compared: a count, or a sum in whole units and fractions. */
const MAX_METRIC = 9_000_000_000
const METRIC_RULE = `must be a number from -${MAX_METRIC} to ${MAX_METRIC}`

/** Tells whether a field means a metric, even if it is malformed. */
export function isMetricField(field: unknown): field is string {
  return typeof field === 'string' && field.startsWith(METRICS)
}

/** Reads the condition at the path `at`; undefined after reporting every problem. */
export function readLeaf(node: Record<string, unknown>, at: string, problems: Problems): Condition | undefined {
  const { field: name } = node
  const fieldAt = joined(at, 'field')
  if (typeof name !== 'string') return problems.say(fieldAt, name === undefined ? IS_REQUIRED : MUST_BE.string)
  const field = isMetricField(name) ? metricField(node, at, problems) : fieldOf(name)
  if (!field) return problems.say(fieldAt, `must be ${ruleOf(name)}`)
  const asked = readOperation(node, { usual: 'op', possible: field.ops, about: ` for ${name}` }, at, problems)
  const valueAt = joined(at, 'value')
  if (!(asked ? 'value' in asked : Object.hasOwn(node, 'value'))) return problems.say(valueAt, IS_REQUIRED)
  if (!asked) return undefined
  const say = (problem: string, item = '') => problems.say(`${valueAt}${item}`, problem)
  const condition = field.read({ op: asked.operator, value: asked.value, say })
  return condition && 'at' in condition
    ? { ...condition, at: condition.kind === 'metric' ? fieldAt : valueAt }
    : condition
}

function ruleOf(name: string): string {
  if (isMetricField(name)) return `metrics.NAME, where NAME ${METRIC_NAME_RULE}`
  if (isPathField(ATTRIBUTES, name)) return pathRule(ATTRIBUTES)
  return `one of ${Object.keys(FIELDS).join(', ')}, attributes.NAME, or metrics.NAME`
}

function fieldOf(name: string): Field | undefined {
  if (Object.hasOwn(FIELDS, name)) return FIELDS[name]
  const path = readJsonPath(ATTRIBUTES, name)
  return path && { ops: VALUE_OPS, read: (given) => readAttribute(given, path) }
}

/** `metrics.purchase`: the count of a metric for the user, in the last `withinDays` days or in all that are kept. */
function metricField(node: Record<string, unknown>, at: string, problems: Problems): Field | undefined {
  const name = (node.field as string).slice(METRICS.length)
  if (!isMetricName(name)) return undefined
  const { withinDays: days } = node
  const isWrong =
    days !== undefined && !(Number.isInteger(days) && (days as number) > 0 && (days as number) <= MAX_DAYS)
  if (isWrong) problems.say(joined(at, 'withinDays'), `must be a whole number of days from 1 to ${MAX_DAYS}`)
  const withinDays = (days as number | undefined) ?? null
  return {
    ops: ORDER_OPS,
    read({ op, value, say }) {
      if (typeof value !== 'number' || !(Math.abs(value) <= MAX_METRIC)) return say(METRIC_RULE)
      return { kind: 'metric', name, op: ORDER[op as OrderOperator], value, withinDays, at: '' }
    },
  }
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

/** A flag that a device may not have reported. `equals` false means that it said no: not that it said nothing. */
function optionalFlag(field: SaidField): Field {
  return {
    ops: ['equals', 'notEquals', 'exists'],
    read(given) {
      if (given.op === 'exists') return onlyIf(given, { kind: 'present', field })
      const { value, say } = given
      return typeof value === 'boolean' ? unlessNegated(given, { kind: 'said', field, value }) : say(MUST_BE.boolean)
    },
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
  const at = typeof value === 'string' ? readInstant(value, WITH_OFFSET) : undefined
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
  const read = readValueTest(given)
  if (!read) return undefined
  const condition: Condition = { kind: 'attribute', path, test: read.test }
  return read.negated ? negated(condition) : condition
}

/** `value: false` negates the condition. */
function onlyIf({ value, say }: Given, condition: Condition): Condition | undefined {
  if (typeof value !== 'boolean') return say(MUST_BE.boolean)
  return value ? condition : negated(condition)
}

function unlessNegated({ op }: Given, condition: Condition): Condition {
  return op === 'notEquals' ? negated(condition) : condition
}

function readTexts(given: Given, canonical: Canonical, rule = TEXT_RULE): string[] | undefined {
  return readValues(given, (one) => (typeof one === 'string' && isText(one) ? canonical(one) : undefined), rule)
}

/** Converts only ASCII, as both databases do with `COLLATE "C"`. */
function asciiLower(value: string): string {
  return value.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase())
}
