import type { Knex } from 'knex'
import { versionKey } from '../../../src/domain/crm/store/version-key.ts'
import { BUILD_KINDS } from '../../../src/domain/crm/types.ts'

/** An install with its user, as plain data: what both databases are filled with and what `evaluate.ts` looks at. */
export interface Person {
  installId: string
  identifier: string
  anonymous: boolean
  attributes: Record<string, unknown>
  inAppEnabled: boolean
  firstActive: number
  lastActive: number
  os: string | null
  sdkType: string | null
  appVersion: string | null
  locale: string | null
  countryIsoCode: string | null
  timezone: string | null
  buildKind: string | null
  simulator: boolean | null
  timeSensitive: boolean | null
  transport: string | null
  subscribed: boolean
  /** uuids of channels that the user is subscribed to, and what the install itself says. */
  userChannels: string[]
  words: Record<string, boolean>
}

export const DAY = 86_400_000
export const NOW = Date.parse('2026-03-01T12:00:00Z')
export const CHANNELS = ['news', 'sport', 'naïve "quoted"']

/** mulberry32: the same numbers everywhere for one seed. */
export function seeded(seed: number) {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (n: number) => Math.floor(next() * n)
  return {
    below,
    chance: (p: number) => next() < p,
    pick: <T>(from: readonly T[]): T => from[below(from.length)]!,
    some: <T>(from: readonly T[], most: number): T[] =>
      Array.from({ length: 1 + below(most) }, () => from[below(from.length)]!),
  }
}
export type Random = ReturnType<typeof seeded>

/** Names that a naive path would trip over. */
export const KEYS = [
  'plan',
  'age',
  'vip',
  'a.b',
  'with "quotes"',
  "o'clock",
  'back\\slash',
  'größe',
  '😀',
  '',
  '$',
  '[0]',
  '0',
  'a\nb',
  '__proto__',
  'tag?',
]
export const TEXTS = [
  'gold',
  'silver',
  'Gold',
  'gold ',
  '',
  '10',
  '9',
  'true',
  'null',
  'été',
  'ete\u0301',
  'zażółć',
  '😀',
  '\uffee',
  'a%b_c',
  '["x"]',
  '{"a":1}',
  "'; DROP TABLE users; --",
  '?',
  '\\u0041',
  'A',
  '\u0001',
  'ℵ',
  'ß',
  'ss',
  '2026-01-01',
]
export const NUMBERS = [
  0,
  -1,
  1,
  9,
  10,
  10.5,
  0.1,
  0.30000000000000004,
  1e21,
  -1e300,
  5e-324,
  2 ** 53,
  803536847597175400,
  1.7976931348623157e308,
  0.1 + 0.7,
]
/** Names that the deeper paths ask for. */
const OFTEN = ['plan', 'a', 'age', '0', 'with "quotes"']
/** Text that jsonb refuses. */
const UNSTORABLE = ['gold\u0000', '\\u0000', '\\\u0000', '\u0000', 'go\ud800ld', '\udc00']

function randomValue(random: Random, depth = 0): unknown {
  const kind = random.below(depth > 1 ? 5 : 9)
  if (kind <= 1) return random.chance(0.1) ? random.pick(UNSTORABLE) : random.pick(TEXTS)
  if (kind <= 2) return random.pick(NUMBERS)
  if (kind === 3) return random.chance(0.5)
  if (kind === 4) return null
  if (kind === 5) return Array.from({ length: random.below(3) }, () => randomValue(random, depth + 1))
  return randomObject(random, depth + 1)
}

function randomObject(random: Random, depth = 0): Record<string, unknown> {
  // Inside of others they are small: a filter on attributes reads all of it, for each person.
  const most = depth === 0 ? 24 : 4
  const keys = random.chance(0.1) ? [] : [...random.some(KEYS, most), ...random.some(OFTEN, 3)]
  // fromEntries, because assignment to __proto__ does something else.
  return Object.fromEntries(keys.map((key) => [key, randomValue(random, depth)]))
}

export const OSES = ['iOS', 'Android', 'macOS', 'web', 'ÄndroId']
export const VERSIONS = [
  '1.9',
  '1.10',
  '1.10.0',
  '1.10-beta.2',
  '1.10-beta.11',
  '2.0',
  'v2.0.1',
  '2.0.1 (77)',
  'nightly',
  'Nightly',
  '0',
  '10.0',
]
export const LOCALES = [
  'en',
  'en-GB',
  'en_US',
  'EN-us',
  'de-DE',
  'de',
  'den',
  'en.UTF-8',
  'en@calendar=x',
  'zh-Hant-TW',
  'zh_Hant_TW',
  'İn',
]
export const COUNTRIES = ['DE', 'GB', 'US', 'TW']
export const ZONES = ['Europe/Berlin', 'America/New_York', 'US/Eastern', 'Asia/Kathmandu', 'Asia/Katmandu', 'UTC']
export const SDKS = ['swift', 'android', 'react-native', 'web']
export const TRANSPORTS = ['apns', 'fcm', 'unifiedpush', 'hms', 'web', 'safari']
/** The type of token and the column `runs_in` of each. */
const STORED: Readonly<Record<string, [platform: number, runsIn: string | null]>> = {
  apns: [1, 'app'],
  fcm: [2, null],
  unifiedpush: [3, 'app'],
  hms: [5, 'app'],
  web: [3, null],
  safari: [4, 'browser'],
}
export const IDENTIFIERS = ['anna', 'Anna', 'ünal', 'x@example.com', "o'neill"]

export function randomPeople(random: Random, count: number): Person[] {
  const maybe = <T>(from: readonly T[]) => (random.chance(0.2) ? null : random.pick(from))
  return Array.from({ length: count }, (_, i) => {
    const named = i < IDENTIFIERS.length
    const transport = random.chance(0.8) ? random.pick(TRANSPORTS) : null
    return {
      installId: `install-${i}`,
      identifier: named ? IDENTIFIERS[i]! : `user-${i}`,
      anonymous: !named && random.chance(0.3),
      attributes: randomObject(random),
      inAppEnabled: random.chance(0.5),
      firstActive: NOW - DAY * random.below(60),
      lastActive: NOW - random.pick([0, DAY, DAY - 1, DAY + 1, 7 * DAY, 30 * DAY, DAY / 2]),
      os: maybe(OSES),
      sdkType: maybe(SDKS),
      appVersion: maybe(VERSIONS),
      locale: maybe(LOCALES),
      countryIsoCode: maybe(COUNTRIES),
      timezone: maybe(ZONES),
      buildKind: maybe(BUILD_KINDS),
      simulator: maybe([true, false]),
      timeSensitive: maybe([true, false]),
      transport,
      subscribed: transport !== null && random.chance(0.9),
      userChannels: CHANNELS.filter(() => random.chance(0.3)),
      words: Object.fromEntries(CHANNELS.filter(() => random.chance(0.3)).map((uuid) => [uuid, random.chance(0.5)])),
    }
  })
}

/** Stores them, with channels of the app that exist already (`channelIds` by uuid). */
export async function storePeople(
  trx: Knex.Transaction,
  appId: number,
  people: readonly Person[],
  channelIds: ReadonlyMap<string, number>,
): Promise<void> {
  for (const one of people) {
    const [user] = await trx('users')
      .insert({
        app_id: appId,
        identifier: one.identifier,
        anonymous: one.anonymous,
        listed: false,
        attributes: JSON.stringify(one.attributes),
        in_app_enabled: one.inAppEnabled,
        first_active: one.firstActive,
        last_active: one.lastActive,
        created_at: NOW,
        updated_at: NOW,
      })
      .returning('id')
    const [platform, runsIn] = one.transport === null ? [null, null] : STORED[one.transport]!
    const [install] = await trx('installs')
      .insert({
        app_id: appId,
        install_id: one.installId,
        user_id: user.id,
        platform,
        runs_in: runsIn,
        token: platform === null ? null : `token-${one.installId}`,
        subscribed: one.subscribed,
        os: one.os,
        sdk_type: one.sdkType,
        app_version: one.appVersion,
        app_version_key: versionKey(one.appVersion),
        locale: one.locale,
        country_iso_code: one.countryIsoCode,
        timezone: one.timezone,
        build_kind: one.buildKind,
        simulator: one.simulator,
        time_sensitive: one.timeSensitive,
        last_active: NOW,
        created_at: NOW,
        updated_at: NOW,
      })
      .returning('id')
    for (const uuid of one.userChannels) {
      await trx('channel_users').insert({ app_id: appId, channel_id: channelIds.get(uuid), user_id: user.id })
    }
    for (const [uuid, subscribed] of Object.entries(one.words)) {
      await trx('channel_installs').insert({
        app_id: appId,
        channel_id: channelIds.get(uuid),
        install_row: install.id,
        subscribed,
      })
    }
  }
}
