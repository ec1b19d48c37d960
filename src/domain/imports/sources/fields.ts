import { AppError, invalid } from '../../../platform/errors.ts'
import { isPlainObject } from '../../../platform/json/json.ts'
import { suggest } from '../../../platform/text/suggest.ts'
import { NUMBER_UNITS, type NumberUnit } from '../../../platform/time/dates.ts'
import { type Platform, platforms } from '../../gateways/registry.ts'
import { hasColumn, objectIn, unknownColumns, valueAt } from '../read/columns.ts'
import { consentOfColumn, looksLikeConsent, readConsents, standingOf, type VocabularyName } from '../read/consent.ts'
import {
  countryCodeOf,
  datesAsText,
  idOf,
  instantOf,
  listOf,
  NO_WORDS,
  NOTHING,
  objectFrom,
  textOf,
  withNumbers,
} from '../read/values.ts'
import type { Candidate, Converted, Row, SourceOptions } from '../types.ts'
import { osOf, platformByName } from './platforms.ts'

/** Tables of one's own: every column is one of these fields, which `--map column=field` names. */
const FIELDS: Readonly<Record<string, string>> = {
  id: 'install id, as csv-…',
  user: 'user',
  platform: 'platform',
  token: 'push token, or endpoint of the browser',
  p256dh: 'key of the browser',
  auth: 'key of the browser',
  environment: "sandbox or production of Apple's tokens",
  topic: 'bundle id of the tokens of Apple',
  enabled: 'notifications on or off',
  opted_out: 'the person said no in the app',
  channels: 'channels',
  attributes: 'attributes of the user (a JSON object)',
  language: 'language',
  timezone: 'time zone',
  country: 'country',
  app_version: 'app version',
  os_version: 'version of the system',
  device_model: 'device',
  created_at: 'first activity of the user',
  last_active: 'last activity',
}

/** A field of the form `attr:NAME` is the attribute NAME, `-` is left behind. */
const ATTRIBUTE = 'attr:'
const IGNORED = '-'

/** Units of numbers in a column of dates, as `--map column=field:unit` names them. */
const UNITS: Readonly<Record<string, NumberUnit>> = {
  ...Object.fromEntries(NUMBER_UNITS.map((unit) => [unit, unit])),
  s: 'seconds',
  ms: 'milliseconds',
  us: 'microseconds',
}
const DATE_FIELDS: ReadonlySet<string> = new Set(['created_at', 'last_active'])

/** The fields of `--map column=field`. Throws `usage` naming the error. */
export function readMap(pairs: readonly string[]): Map<string, string> {
  const map = new Map<string, string>()
  for (const pair of pairs) {
    // A column may contain an equals sign, a field may not.
    const cut = pair.lastIndexOf('=')
    const [column, field] = [pair.slice(0, cut), pair.slice(cut + 1)]
    if (cut < 1) throw new AppError('usage', `--map ${pair}: write column=field`)
    const problem = fieldProblem(field)
    if (problem !== undefined) throw new AppError('usage', `--map ${pair}: ${problem}`)
    if (map.has(column)) throw new AppError('usage', `--map names the column ${column} twice`)
    map.set(column, field)
  }
  return map
}

function fieldProblem(field: string): string | undefined {
  if (field === IGNORED || Object.hasOwn(FIELDS, field)) return undefined
  if (field.startsWith(ATTRIBUTE) && field.length > ATTRIBUTE.length) return undefined
  const { name, unit } = dateField(field)
  if (DATE_FIELDS.has(name)) {
    return Object.hasOwn(UNITS, unit!)
      ? undefined
      : `there is no unit ${unit}: numbers count ${NUMBER_UNITS.join(', ')} since 1970`
  }
  const known = Object.keys(FIELDS)
  const meant = suggest(field, known)
  return `there is no field ${field}${meant ? ` (did you mean ${meant}?)` : ''}. Fields: ${known.join(', ')}, ${ATTRIBUTE}NAME, or - to leave the column out`
}

/** `last_active:seconds` in its two parts. */
function dateField(field: string): { name: string; unit: string | undefined } {
  const cut = field.indexOf(':')
  return cut < 0 ? { name: field, unit: undefined } : { name: field.slice(0, cut), unit: field.slice(cut + 1) }
}

/** The field of a column: as `--map` says, else by the column's own name or a well-known other name for it. */
function fieldOf(
  column: string,
  map: ReadonlyMap<string, string>,
  others: Readonly<Record<string, string>> = {},
): string | undefined {
  const mapped = map.get(column)
  if (mapped !== undefined) return mapped
  const bare = column.trim().toLowerCase().replaceAll(/[ -]/g, '_')
  if (Object.hasOwn(FIELDS, bare)) return bare
  if (Object.hasOwn(others, bare)) return others[bare]
  const consent = consentOfColumn(column)
  return consent && (consent === 'refused' ? 'opted_out' : 'enabled')
}

/** The vocabulary of a column of the field `enabled` or `opted_out`. */
function vocabularyOf(column: string, field: string): VocabularyName | undefined {
  if (field === 'opted_out') return 'refused'
  // Mapped or not, the numbers of OneSignal stay its numbers.
  return field === 'enabled' ? (consentOfColumn(column) === 'oneSignalTypes' ? 'oneSignalTypes' : 'wanted') : undefined
}

/** The use of a column of a table, in a few words. */
export function fateOfColumn(
  column: string,
  { map }: SourceOptions,
  others?: Readonly<Record<string, string>>,
): string {
  const inside = [...map].flatMap(([path, field]) =>
    path.startsWith(`${column}.`) ? [`${path.slice(column.length + 1)}: ${fateOfField(field)}`] : [],
  )
  const field = fieldOf(column, map, others)
  if (field === undefined && inside.length > 0) return inside.join('; ')
  if (field === undefined) return `left behind: --map ${column}=${ATTRIBUTE}NAME makes it an attribute`
  return [fateOfField(field), ...inside].join('; ')
}

function fateOfField(field: string): string {
  if (field === IGNORED) return 'left behind'
  if (field.startsWith(ATTRIBUTE)) return `attribute ${field.slice(ATTRIBUTE.length)}`
  return FIELDS[dateField(field).name]!
}

/** Throws `invalid` for a mapped column that the file does not have, and for a file without a token, a user and an id. */
export function checkColumns(
  names: readonly string[],
  { map }: SourceOptions,
  others?: Readonly<Record<string, string>>,
): void {
  const missing = [...map.keys()].filter((path) => !hasColumn(names, path))
  if (missing.length > 0) throw unknownColumns(missing, names)
  const fields = [...names.map((name) => fieldOf(name, map, others)), ...map.values()]
  if (!fields.includes('token') && !fields.includes('user')) {
    throw invalid({
      '--map': [`must name a column for token or user (--map COLUMN=token); the columns are ${names.join(', ')}`],
    })
  }
}

const unmapped = (column: string) =>
  `the column ${column} looks as if it says who opted out: name it with --map ${column}=opted_out or ${column}=enabled, or leave it out with ${column}=-`

/** Levels of objects that are looked into. */
const DEEPEST = 4

/** The column that looks as if it named people who opted out, or its path inside of an object, if nobody has named it. */
function unreadConsent(path: string, value: unknown, map: ReadonlyMap<string, string>, depth = 0): string | undefined {
  if (value === null || map.has(path)) return undefined
  const inside = objectIn(value)
  if (!inside) return looksLikeConsent(path.slice(path.lastIndexOf('.') + 1), value) ? path : undefined
  if (depth === DEEPEST) return undefined
  for (const [name, inner] of Object.entries(inside)) {
    const unread = unreadConsent(`${path}.${name}`, inner, map, depth + 1)
    if (unread !== undefined) return unread
  }
  return undefined
}

/** The values of a row by their fields: columns that `--map` names come first, then columns that have the name of a field. */
function* fieldsOf(
  row: Row,
  map: ReadonlyMap<string, string>,
  others: Readonly<Record<string, string>> | undefined,
): Generator<{ column: string; field: string | undefined; value: unknown }> {
  for (const [column, field] of map) yield { column, field, value: valueAt(row, column) }
  const mapped = new Set([...map.values()].map((field) => dateField(field).name))
  for (const [column, value] of Object.entries(row)) {
    if (map.has(column)) continue
    const field = fieldOf(column, map, others)
    // Columns about consent all count, also beside a mapped one.
    const counts = field === undefined || field === 'enabled' || field === 'opted_out' || !mapped.has(field)
    if (counts) yield { column, field, value }
  }
}

/** The values of a row, sorted by what they are. */
interface Sorted {
  /** Values by field. */
  given: Record<string, unknown>
  /** Attributes in columns of their own. */
  named: [string, unknown][]
  consents: [string, unknown, VocabularyName][]
  dates: Record<string, number | null>
}

/** Sorts the values of a row. Fails when a column about consent is not named. */
function sorted(
  row: Row,
  { map }: SourceOptions,
  others: Readonly<Record<string, string>> | undefined,
): Sorted | { problem: string } {
  const { given, named, consents, dates }: Sorted = { given: {}, named: [], consents: [], dates: {} }
  for (const { column, field, value } of fieldsOf(row, map, others)) {
    if (value === undefined || value === null || value === '' || field === IGNORED) continue
    const vocabulary = field && vocabularyOf(column, field)
    const isHolder = !map.has(column) && [...map.keys()].some((path) => path.startsWith(`${column}.`))
    if (vocabulary && !isHolder) {
      consents.push([column, value, vocabulary])
      continue
    }
    if (field === undefined || vocabulary) {
      const unread = unreadConsent(column, value, map)
      if (unread !== undefined) return { problem: unmapped(unread) }
      continue
    }
    const { name, unit } = dateField(field)
    if (field.startsWith(ATTRIBUTE)) named.push([field.slice(ATTRIBUTE.length), datesAsText(value, column)])
    else if (DATE_FIELDS.has(name)) {
      const remedy = `say --map ${column}=${name}:seconds or ${name}:milliseconds`
      dates[name] ??= instantOf(value, { column, unit: unit === undefined ? undefined : UNITS[unit], remedy })
    } else if (given[field] === undefined) given[field] = value
  }
  return { given, named, consents, dates }
}

/** A row by its fields. `defaultPlatform` is that of rows that name none. */
export function convertFields(
  row: Row,
  options: SourceOptions,
  { others, defaultPlatform }: { others?: Readonly<Record<string, string>>; defaultPlatform?: Platform } = {},
): Converted {
  const values = sorted(row, options, others)
  if ('problem' in values) return values
  const { given, named, consents, dates } = values
  const consent = readConsents(consents)
  if (typeof consent !== 'string') return consent
  const more = objectFrom(given.attributes)
  if (!more) return { problem: 'attributes is not a JSON object' }
  const own = { ...(datesAsText(more, 'attributes') as Row), ...Object.fromEntries(named) }
  const common: Candidate = {
    ...NOTHING,
    user: idOf(given.user, 'user'),
    topic: textOf(given.topic),
    ...standingOf(consent),
    attributes: options.numbers ? withNumbers(own) : own,
    channels: listOf(given.channels),
    words: {
      ...NO_WORDS,
      osVersion: textOf(given.os_version),
      appVersion: textOf(given.app_version),
      deviceModel: textOf(given.device_model),
      country: countryCodeOf(given.country),
      timezone: textOf(given.timezone),
      locale: textOf(given.language),
    },
    createdAt: dates.created_at ?? null,
    lastActive: dates.last_active ?? null,
  }
  if (given.token !== undefined || given.id !== undefined) return installsOf(given, common, options, defaultPlatform)
  return common.user === null ? { problem: 'names neither a token nor a user' } : { found: [common] }
}

/** The installs of a row: one for each of its tokens. */
function installsOf(
  given: Row,
  common: Candidate,
  options: SourceOptions,
  defaultPlatform: Platform | undefined,
): Converted {
  const word = textOf(given.platform)
  const platform = word === null ? defaultPlatform : platformByName.get(word.toLowerCase())
  if (!platform) {
    const known = `one of ${platforms.join(', ')}`
    return { problem: word === null ? `has no platform (${known})` : `has the unknown platform ${word} (${known})` }
  }
  const environment = environmentOf(given.environment)
  if (environment === undefined) return { problem: 'environment must be production or sandbox' }
  const id = idOf(given.id, 'id')
  const tokens = Array.isArray(given.token) ? given.token : [given.token]
  return {
    found: tokens.map((token: unknown, i) => ({
      ...common,
      key: id === null ? null : tokens.length === 1 ? id : `${id}-${i}`,
      platform,
      token: platform === 'web' ? subscriptionOf(token, given) : (token ?? null),
      environment: environment ?? (options.sandbox ? 'sandbox' : null),
      reachable: token !== undefined && token !== null && token !== '',
      words: { ...common.words, os: osOf(platform), ...(platform === 'web' && { osVersion: null }) },
    })),
  }
}

function environmentOf(value: unknown): 'production' | 'sandbox' | null | undefined {
  const text = textOf(value)?.toLowerCase()
  if (text === undefined) return null
  if (text === 'sandbox' || text === 'development') return 'sandbox'
  return text === 'production' ? 'production' : undefined
}

/** A subscription in one column (its JSON), or endpoint and keys in three. */
function subscriptionOf(token: unknown, given: Row): unknown {
  const whole = isPlainObject(token)
    ? token
    : typeof token === 'string' && token.startsWith('{')
      ? objectFrom(token)
      : undefined
  return whole ?? { endpoint: token, keys: { p256dh: given.p256dh, auth: given.auth } }
}
