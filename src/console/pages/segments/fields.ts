import { operatorOf, TEXT_OPS } from '../../parts/operators.ts'

/** Fields and operators of filters, as in docs/segments.md. */

/** Kinds of inputs for a value. */
export type ValueKind =
  | 'text'
  | 'number'
  | 'yesNo'
  | 'days'
  | 'date'
  /** Text, number, or true and false: of attributes. */
  | 'any'
  | 'channel'
  | 'geofence'

interface Field {
  field: string
  label: string
  group: 'person' | 'device' | 'place'
  ops: readonly string[]
  kind: ValueKind
  /** All values that there are. */
  values?: readonly string[]
  placeholder?: string
}

const WORD = ['equals', 'notEquals', 'in']
const ORDER = ['lessThan', 'atMost', 'greaterThan', 'atLeast']
const WHEN = ['withinDays', 'olderThanDays', 'lessThan', 'atMost', 'greaterThan', 'atLeast']
const SDKS = ['swift', 'objective-c', 'android', 'cordova', 'xamarin', 'csharp', 'react-native', 'flutter', 'web']

const TRANSPORTS = ['apns', 'fcm', 'unifiedpush', 'hms', 'web', 'safari']

/** All fields but attributes and metrics, which have names of their own. */
export const FIELDS: readonly Field[] = [
  { field: 'lastActive', label: 'Last active', group: 'person', ops: WHEN, kind: 'date' },
  { field: 'firstActive', label: 'First active', group: 'person', ops: WHEN, kind: 'date' },
  { field: 'identifier', label: 'User id', group: 'person', ops: [...WORD, 'known'], kind: 'text' },
  { field: 'inAppEnabled', label: 'Takes in-app messages', group: 'person', ops: ['equals'], kind: 'yesNo' },
  { field: 'os', label: 'Operating system', group: 'device', ops: [...WORD, 'exists'], kind: 'text' },
  {
    field: 'appVersion',
    label: 'App version',
    group: 'device',
    ops: [...WORD, ...ORDER, 'exists'],
    kind: 'text',
    placeholder: '2.4.0',
  },
  { field: 'language', label: 'Language', group: 'device', ops: WORD, kind: 'text', placeholder: 'en' },
  { field: 'locale', label: 'Locale', group: 'device', ops: [...WORD, 'exists'], kind: 'text', placeholder: 'en-GB' },
  {
    field: 'countryIsoCode',
    label: 'Country',
    group: 'device',
    ops: [...WORD, 'exists'],
    kind: 'text',
    placeholder: 'DE',
  },
  {
    field: 'timezone',
    label: 'Time zone',
    group: 'device',
    ops: [...WORD, 'exists'],
    kind: 'text',
    placeholder: 'Europe/Berlin',
  },
  { field: 'sdkType', label: 'SDK', group: 'device', ops: [...WORD, 'exists'], kind: 'text', values: SDKS },
  {
    field: 'buildKind',
    label: 'Build',
    group: 'device',
    ops: [...WORD, 'exists'],
    kind: 'text',
    values: ['debug', 'release'],
  },
  {
    field: 'simulator',
    label: 'Is a simulator',
    group: 'device',
    ops: ['equals', 'notEquals', 'exists'],
    kind: 'yesNo',
  },
  {
    field: 'timeSensitive',
    label: 'Lets time-sensitive pushes through',
    group: 'device',
    ops: ['equals', 'notEquals', 'exists'],
    kind: 'yesNo',
  },
  {
    field: 'transport',
    label: 'Way of pushes',
    group: 'device',
    ops: [...WORD, 'exists'],
    kind: 'text',
    values: TRANSPORTS,
  },
  { field: 'subscribedToPush', label: 'Can get pushes', group: 'device', ops: ['equals'], kind: 'yesNo' },
  { field: 'channel', label: 'Channel', group: 'place', ops: ['equals', 'in'], kind: 'channel' },
  { field: 'geofence', label: 'Geofence', group: 'place', ops: ['equals', 'in'], kind: 'geofence' },
]

const ATTRIBUTE: Omit<Field, 'field' | 'label'> = {
  group: 'person',
  ops: [...WORD, ...ORDER, ...TEXT_OPS, 'exists'],
  kind: 'any',
}
const METRIC: Omit<Field, 'field' | 'label'> = { group: 'person', ops: ORDER.toReversed(), kind: 'number' }

export const isAttribute = (field: string): boolean => /^attributes[.[]/.test(field)
export const isMetric = (field: string): boolean => field.startsWith('metrics.')

/** Finds a field, also an attribute or a metric; undefined for one that does not exist. */
export function fieldOf(name: string): Field | undefined {
  if (isAttribute(name)) return { ...ATTRIBUTE, field: name, label: labelOf(name) }
  if (isMetric(name)) return { ...METRIC, field: name, label: labelOf(name) }
  return FIELDS.find(({ field }) => field === name)
}

/** `attributes.plan` -> `plan`; `lastActive` -> `Last active` */
export function labelOf(name: string): string {
  if (isAttribute(name)) return name.replace(/^attributes\.?/, '')
  if (isMetric(name)) return name.slice('metrics.'.length)
  return FIELDS.find(({ field }) => field === name)?.label ?? name
}

/** The kind of input for the value of a condition; some operators have a kind of their own. */
export function valueKind(name: string, op: string): ValueKind {
  const operator = operatorOf(op)
  if (operator === 'exists' || operator === 'isNull' || operator === 'known') return 'yesNo'
  if (operator === 'withinDays' || operator === 'olderThanDays') return 'days'
  if (TEXT_OPS.includes(operator)) return 'text'
  return fieldOf(name)?.kind ?? 'any'
}
