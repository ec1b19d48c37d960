import { ownConsents, readConsents, readFlag, standingOf } from '../read/consent.ts'
import {
  countryCodeOf,
  idOf,
  instantIn,
  NO_WORDS,
  NOTHING,
  objectFrom,
  pick,
  splitTags,
  textOf,
} from '../read/values.ts'
import type { Candidate, Converted, Row, Source, SourceOptions } from '../types.ts'
import { deviceTypeByName, osOf, platformByDeviceType } from './platforms.ts'

/**
 * OneSignal: the CSV of `POST /players/csv_export` or of Audience > Subscriptions > Export, one row for each
 * subscription. Columns and device types: https://documentation.onesignal.com/reference/csv-export; the other device
 * types: https://github.com/OneSignal/onesignal-rust-api/blob/main/docs/Player.md. `web_auth` and `web_p256` are in it
 * only if they are asked for in `extra_fields`.
 */

/** Device types that no gateway here reaches. */
const OTHERS: ReadonlyMap<number, string> = new Map([
  [2, 'Amazon devices'],
  [3, 'Windows phones'],
  [4, 'Chrome apps and extensions'],
  [6, 'Windows apps'],
  [9, 'macOS apps'],
  [10, 'Alexa'],
  [11, 'email addresses'],
  [14, 'phone numbers (SMS)'],
])

/**
 * Types without a gateway in the newer API (`type` of a subscription,
 * https://documentation.onesignal.com/reference/view-user), for exports through it as JSON.
 */
const OTHER_TYPES: Readonly<Record<string, number>> = {
  FireOSPush: 2,
  ChromeExtensionPush: 4,
  WindowsPush: 6,
  macOSPush: 9,
  Email: 11,
  SMS: 14,
}

export const onesignal: Source = {
  name: 'onesignal',
  label: 'OneSignal',
  columns: {
    id: 'install id, as onesignal-…',
    identifier: 'push token, or endpoint of the browser',
    external_user_id: 'user',
    device_type: 'platform',
    web_auth: 'key of the browser',
    web_p256: 'key of the browser',
    notification_types: 'notifications on or off',
    enabled: 'notifications on or off',
    invalid_identifier: 'unreachable: the token is left out',
    test_type: "sandbox or production of Apple's tokens",
    tags: 'attributes of the user; with --tag-channel channels',
    language: 'language',
    timezone_id: 'time zone',
    country: 'country',
    game_version: 'app version',
    device_os: 'version of the system',
    device_model: 'device',
    last_active: 'last activity',
    created_at: 'first activity of the user',
    timezone: 'left behind: an offset has no daylight saving time (timezone_id has)',
    session_count: 'left behind',
    playtime: 'left behind',
    amount_spent: 'left behind',
    badge_count: 'left behind',
    sdk: 'left behind',
    ad_id: 'left behind: it identifies people across apps',
    ip: 'left behind: it identifies people across apps',
    rooted: 'left behind',
    location: 'left behind: devices report their own position',
    lat: 'left behind: devices report their own position',
    lon: 'left behind: devices report their own position',
    onesignal_id: 'left behind: users have the external id',
    email: 'left behind: no email is sent from here',
  },
  others: () => 'left behind',
  wrappers: ['players', 'subscriptions'],
  consent: {
    column: 'notification_types',
    remedy: 'export again with "extra_fields": ["notification_types", …] in POST /players/csv_export',
  },
  convert,
}

/** The number, also of a type that is written as a word. */
function deviceTypeOf(given: unknown): number | undefined {
  const text = String(given)
  return deviceTypeByName.get(text) ?? OTHER_TYPES[text] ?? (/^\d+$/.test(text) ? Number(text) : undefined)
}

function convert(row: Row, options: SourceOptions): Converted {
  const given = pick(row, 'device_type', 'type')
  const type = deviceTypeOf(given)
  if (type === undefined) return { problem: 'has no device_type' }
  const left = OTHERS.get(type)
  if (left !== undefined) return { left }
  const platform = platformByDeviceType.get(type)
  if (!platform) return { problem: `has the unknown device_type ${String(given)}` }
  const tags = objectFrom(row.tags)
  if (!tags) return { problem: 'tags is not a JSON object' }
  const key = idOf(row.id, 'id')
  if (key === null) return { problem: 'has no id' }
  const split = splitTags(tags, options)
  if ('problem' in split) return split
  const consent = readConsents([
    ['notification_types', row.notification_types, 'oneSignalTypes'],
    ['enabled', row.enabled, 'wanted'],
    ...ownConsents(row, onesignal.columns),
  ])
  if (typeof consent !== 'string') return consent
  const isInvalid = readFlag('invalid_identifier', row.invalid_identifier)
  if (isInvalid !== null && typeof isInvalid !== 'boolean') return isInvalid
  const word = textOf(pick(row, 'identifier', 'token'))
  const candidate: Candidate = {
    ...NOTHING,
    key,
    user: idOf(pick(row, 'external_user_id', 'external_id'), 'external_user_id'),
    platform,
    token: word === null ? null : platform === 'web' ? subscriptionOf(row, word, type) : word,
    environment: Number(row.test_type) === 1 || options.sandbox ? 'sandbox' : null,
    reachable: word !== null && isInvalid !== true,
    ...standingOf(consent),
    ...split,
    words: {
      ...NO_WORDS,
      os: osOf(platform),
      osVersion: platform === 'web' ? null : textOf(row.device_os),
      appVersion: textOf(pick(row, 'game_version', 'app_version')),
      deviceModel: textOf(row.device_model),
      country: countryCodeOf(row.country),
      timezone: textOf(row.timezone_id),
      locale: textOf(row.language),
    },
    // The CSV has text in UTC, the API seconds.
    createdAt: instantIn(row, ['created_at'], 'seconds'),
    lastActive: instantIn(row, ['last_active'], 'seconds'),
  }
  return { found: [candidate] }
}

/**
 * The subscription of a browser. Chrome's endpoints used to be stored as the registration id alone, which is the last
 * part of the endpoint at FCM.
 */
function subscriptionOf(row: Row, identifier: string, type: number): unknown {
  const isChrome = type === 5 || type === 12
  const endpoint =
    isChrome && /^[\w:-]{20,}$/.test(identifier) ? `https://fcm.googleapis.com/fcm/send/${identifier}` : identifier
  return { endpoint, keys: { p256dh: pick(row, 'web_p256'), auth: pick(row, 'web_auth') } }
}
