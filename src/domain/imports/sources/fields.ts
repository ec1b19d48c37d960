import { AppError, invalid } from '../../../platform/errors.ts'
import { isPlainObject } from '../../../platform/json.ts'
import { type Platform, platforms } from '../../gateways/registry.ts'
import {
  countryCodeOf,
  flagOf,
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

/** The fields of `--map column=field`. Throws `usage` naming what is wrong. */
export function readMap(pairs: readonly string[]): Map<string, string> {
  const map = new Map<string, string>()
  for (const pair of pairs) {
    // A column may contain an equals sign, a field may not.
    const cut = pair.lastIndexOf('=')
    const [column, field] = [pair.slice(0, cut), pair.slice(cut + 1)]
    if (cut < 1) throw new AppError('usage', `--map ${pair}: write column=field`)
    const isAttribute = field.startsWith(ATTRIBUTE) && field.length > ATTRIBUTE.length
    if (!isAttribute && field !== IGNORED && !Object.hasOwn(FIELDS, field)) {
      const known = Object.keys(FIELDS).join(', ')
      throw new AppError(
        'usage',
        `--map ${pair}: there is no field ${field}. Fields: ${known}, ${ATTRIBUTE}NAME, or - to leave the column out`,
      )
    }
    if (map.has(column)) throw new AppError('usage', `--map names the column ${column} twice`)
    map.set(column, field)
  }
  return map
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
  return Object.hasOwn(FIELDS, bare) ? bare : Object.hasOwn(others, bare) ? others[bare] : undefined
}

/** What becomes of a column of a table, in a few words. */
export function fateOfColumn(
  column: string,
  { map }: SourceOptions,
  others?: Readonly<Record<string, string>>,
): string {
  const field = fieldOf(column, map, others)
  if (field === undefined) return `left behind: --map ${column}=${ATTRIBUTE}NAME makes it an attribute`
  if (field === IGNORED) return 'left behind'
  return field.startsWith(ATTRIBUTE) ? `attribute ${field.slice(ATTRIBUTE.length)}` : FIELDS[field]!
}

/** Throws `invalid` for a mapped column that the file does not have, and for a file without a token, a user and an id. */
export function checkColumns(
  names: readonly string[],
  { map }: SourceOptions,
  others?: Readonly<Record<string, string>>,
): void {
  const missing = [...map.keys()].filter((column) => !names.includes(column))
  if (missing.length > 0) {
    throw invalid({ '--map': [`names ${missing.join(', ')}, but the columns are ${names.join(', ')}`] })
  }
  const fields = names.map((name) => fieldOf(name, map, others))
  if (!fields.includes('token') && !fields.includes('user')) {
    throw invalid({
      '--map': [`must name a column for token or user (--map COLUMN=token); the columns are ${names.join(', ')}`],
    })
  }
}

/** A row by its fields. `defaultPlatform` is that of rows that name none. */
export function convertFields(
  row: Row,
  options: SourceOptions,
  { others, defaultPlatform }: { others?: Readonly<Record<string, string>>; defaultPlatform?: Platform } = {},
): Converted {
  const given: Record<string, unknown> = {}
  const named: [string, unknown][] = []
  for (const [column, value] of Object.entries(row)) {
    if (value === null || value === '') continue
    const field = fieldOf(column, options.map, others)
    if (field?.startsWith(ATTRIBUTE)) named.push([field.slice(ATTRIBUTE.length), value])
    else if (field !== undefined && field !== IGNORED && given[field] === undefined) given[field] = value
  }
  const more = objectFrom(given.attributes)
  if (!more) return { problem: 'attributes is not a JSON object' }
  const own = { ...more, ...Object.fromEntries(named) }
  const tokens = Array.isArray(given.token) ? given.token : [given.token]
  const common: Candidate = {
    ...NOTHING,
    user: idOf(given.user, 'user'),
    topic: textOf(given.topic),
    enabled: flagOf(given.enabled) ?? true,
    optedOut: flagOf(given.opted_out) ?? false,
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
    createdAt: instantOf(given.created_at),
    lastActive: instantOf(given.last_active),
  }
  if (given.token === undefined && given.id === undefined) {
    return common.user === null ? { problem: 'names neither a token nor a user' } : { found: [common] }
  }
  const word = textOf(given.platform)
  const platform = word === null ? defaultPlatform : platformByName.get(word.toLowerCase())
  if (!platform) {
    const known = `one of ${platforms.join(', ')}`
    return { problem: word === null ? `has no platform (${known})` : `has the unknown platform ${word} (${known})` }
  }
  const environment = environmentOf(given.environment)
  if (environment === undefined) return { problem: 'environment must be production or sandbox' }
  const id = idOf(given.id, 'id')
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
