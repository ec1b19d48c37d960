import { DAY, NOW, type Person } from './population.ts'

/** A filter as it is written, judged by plain JavaScript in the words of docs/segments.md: shares no code with the product. */
export type Written = { and: Written[] } | { or: Written[] } | { not: Written } | Leaf
export interface Leaf {
  field: string
  op: string
  value: unknown
}

export function matches(filter: Written, person: Person): boolean {
  if ('and' in filter) return filter.and.every((part) => matches(part, person))
  if ('or' in filter) return filter.or.some((part) => matches(part, person))
  if ('not' in filter) return !matches(filter.not, person)
  return matchesLeaf(filter, person)
}

function matchesLeaf({ field, op, value }: Leaf, person: Person): boolean {
  if (op === 'notEquals') return !matchesLeaf({ field, op: 'equals', value }, person)
  if (op === 'in') return (value as unknown[]).some((one) => matchesLeaf({ field, op: 'equals', value: one }, person))
  if (field.startsWith('attributes')) return matchesAttribute(op, value, attributeOf(field, person.attributes))
  if (op === 'known') return !person.anonymous === value
  if (op === 'exists') return ((person[field as 'os'] ?? null) !== null) === value
  switch (field) {
    case 'identifier':
    case 'sdkType':
    case 'buildKind':
    case 'simulator':
    case 'timeSensitive':
    case 'countryIsoCode':
      return person[field] === (field === 'countryIsoCode' ? String(value).toUpperCase() : value)
    case 'timezone':
      return person.timezone !== null && placeOf(person.timezone) === placeOf(value as string)
    case 'os':
    case 'transport':
      return ascii(person[field]) === ascii(value as string)
    case 'locale':
      return ascii(person.locale)?.replaceAll('_', '-') === ascii(value as string)!.replaceAll('_', '-')
    case 'language':
      return person.locale !== null && ascii(person.locale)!.split(/[-_.@]/)[0] === ascii(value as string)
    case 'appVersion':
      return matchesVersion(op, person.appVersion, value as string)
    case 'firstActive':
    case 'lastActive':
      return matchesTime(op, person[field], value)
    case 'inAppEnabled':
      return person.inAppEnabled === value
    case 'subscribedToPush':
      return person.subscribed === value
    case 'channel':
      return person.words[value as string] ?? person.userChannels.includes(value as string)
    default:
      throw new Error(`what is ${field}?`)
  }
}

const ascii = (text: string | null) => text && text.replace(/[A-Z]/g, (c) => c.toLowerCase())

const paths = new Map<string, readonly string[]>()

/** The keys in a field such as `attributes.a["b"]`. */
function keysOf(field: string): readonly string[] {
  const known = paths.get(field)
  if (known) return known
  const steps = [...field.slice('attributes'.length).matchAll(/\.([^.[]+)|\[("(?:[^"\\]|\\.)*")\]/gs)]
  const keys = steps.map(([, plain, quoted]) => plain ?? (JSON.parse(quoted!) as string))
  paths.set(field, keys)
  return keys
}

function attributeOf(field: string, attributes: unknown): unknown {
  return keysOf(field).reduce<unknown>((at, key) => {
    const isObject = typeof at === 'object' && at !== null && !Array.isArray(at)
    return isObject && Object.hasOwn(at, key) ? (at as Record<string, unknown>)[key] : undefined
  }, attributes)
}

function matchesAttribute(op: string, value: unknown, is: unknown): boolean {
  if (op === 'exists') return (is !== undefined && is !== null) === value
  if (typeof is !== typeof value) return false
  if (op === 'equals') return is === value
  if (typeof is === 'string') return matchesText(op, storable(is), value as string)
  return typeof is === 'number' && holds(op, compareNumbers(is, value as number))
}

function matchesText(op: string, is: string, value: string): boolean {
  if (op === 'startsWith') return is.startsWith(value)
  if (op === 'contains') return is.includes(value)
  return holds(op, Buffer.compare(Buffer.from(is), Buffer.from(value)))
}

/** NUL and lone surrogates as the product sees them; no filter can ask for them. */
function storable(text: string): string {
  return text.replace(/\0|\p{Surrogate}/gu, (c) =>
    c === '\0' ? '\uffff' : `\uffff${c.charCodeAt(0).toString(16).slice(1)}`,
  )
}

function compareNumbers(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function holds(op: string, order: number): boolean {
  return op === 'lessThan' ? order < 0 : op === 'atMost' ? order <= 0 : op === 'greaterThan' ? order > 0 : order >= 0
}

function matchesTime(op: string, is: number, value: unknown): boolean {
  if (op === 'withinDays') return is >= NOW - (value as number) * DAY
  if (op === 'olderThanDays') return is < NOW - (value as number) * DAY
  const at = Date.parse(value as string)
  return holds(op === 'before' ? 'lessThan' : op === 'since' ? 'atLeast' : op, compareNumbers(is, at))
}

const places = new Map<string, string>()

/** The one name that Intl of this Node has for all names of a zone. */
function placeOf(timeZone: string): string {
  const known = places.get(timeZone)
  if (known !== undefined) return known
  const place = new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone
  places.set(timeZone, place)
  return place
}

/** Versions as numbers, then the pre-release; enough for those of the population. */
function matchesVersion(op: string, is: string | null, wanted: string): boolean {
  if (is === null) return false
  const [a, b] = [parse(is), parse(wanted)]
  if (op === 'equals') return a && b ? compareVersions(a, b) === 0 : is === wanted
  return a !== undefined && b !== undefined && holds(op, compareVersions(a, b))
}

interface Version {
  numbers: number[]
  pre: (string | number)[] | undefined
}

function parse(version: string): Version | undefined {
  const found = /^v?([\d.]+)(?:-([a-z0-9.]+))?/.exec(version)
  if (!found) return undefined
  const pre = found[2]?.split('.').map((one) => (/^\d+$/.test(one) ? Number(one) : one))
  return { numbers: found[1]!.split('.').map(Number), pre }
}

function compareVersions(a: Version, b: Version): number {
  for (let i = 0; i < Math.max(a.numbers.length, b.numbers.length); i++) {
    const order = (a.numbers[i] ?? 0) - (b.numbers[i] ?? 0)
    if (order !== 0) return order
  }
  if (!a.pre || !b.pre) return Number(!a.pre) - Number(!b.pre)
  for (let i = 0; i < Math.max(a.pre.length, b.pre.length); i++) {
    const [x, y] = [a.pre[i], b.pre[i]]
    if (x === y) continue
    if (x === undefined || y === undefined) return x === undefined ? -1 : 1
    if (typeof x !== typeof y) return typeof x === 'number' ? -1 : 1
    return x < y ? -1 : 1
  }
  return 0
}
