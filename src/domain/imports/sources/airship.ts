import { isPlainObject } from '../../../platform/json/json.ts'
import type { Platform } from '../../gateways/registry.ts'
import { ownConsents, readConsents, readFlag, standingOf } from '../read/consent.ts'
import {
  countryCodeOf,
  idOf,
  instantIn,
  listOf,
  NO_WORDS,
  NOTHING,
  objectFrom,
  pick,
  textOf,
  withNumbers,
} from '../read/values.ts'
import type { Converted, Row, Source, SourceOptions } from '../types.ts'

/**
 * Airship: the pages of `GET /api/channels` (`{"channels": […]}`, one after another in a file), or the same columns as
 * CSV. Fields: https://docs.airship.com/developer/rest-api/ua/schemas/channels ("Channel listing object"). Pages of
 * `GET /api/named_users` give users with their attributes and the tags that the channel listing leaves out.
 */

const PLATFORMS: Readonly<Record<string, Platform>> = { ios: 'ios', android: 'android', web: 'web' }

export const airship: Source = {
  name: 'airship',
  label: 'Airship',
  columns: {
    channel_id: 'install id, as airship-…',
    device_type: 'platform',
    push_address: 'push token, or endpoint of the browser',
    web: 'keys of the browser',
    named_user_id: 'user',
    installed: 'false: unreachable, the token is left out',
    opt_in: 'notifications on or off',
    push_opt_in: 'notifications on or off',
    tags: 'channels',
    tag_groups: 'attributes of the user, a list for each group',
    attributes: 'attributes of the user',
    device_attributes: 'app version, system, device, time zone, language',
    locale_country: 'country',
    locale_language: 'language',
    created: 'first activity of the user',
    last_registration: 'last activity',
    ios: 'time zone',
    android: 'left behind',
    background: 'left behind',
    alias: 'left behind: Airship has given up aliases for named users',
    address: 'left behind: no email is sent from here',
    channels: 'left behind: export the channels themselves',
  },
  others: () => 'left behind',
  wrappers: ['channels', 'named_users'],
  consent: { column: 'opt_in', remedy: 'export again with GET /api/channels, which has it for every channel' },
  convert,
}

function convert(row: Row, options: SourceOptions): Converted {
  const type = textOf(row.device_type)?.toLowerCase() ?? null
  const user = idOf(row.named_user_id, 'named_user_id')
  if (type === null && row.channel_id === undefined && user !== null) return namedUser(row, user, options)
  if (type === null) return { problem: 'has no device_type' }
  const platform = PLATFORMS[type]
  if (!platform) return { left: `channels of type ${type}` }
  const key = idOf(row.channel_id, 'channel_id')
  if (key === null) return { problem: 'has no channel_id' }
  const read = attributesOf(row, options)
  if ('problem' in read) return read
  const consent = readConsents([
    ['opt_in', row.opt_in, 'wanted'],
    ['push_opt_in', row.push_opt_in, 'wanted'],
    ...ownConsents(row, airship.columns),
  ])
  if (typeof consent !== 'string') return consent
  const isInstalled = readFlag('installed', row.installed)
  if (isInstalled !== null && typeof isInstalled !== 'boolean') return isInstalled
  const own = objectFrom(row.device_attributes) ?? {}
  const ios = objectFrom(row.ios) ?? {}
  const address = textOf(row.push_address)
  return {
    found: [
      {
        ...NOTHING,
        key,
        user,
        platform,
        token: address !== null && platform === 'web' ? subscriptionOf(row, address) : address,
        environment: options.sandbox ? 'sandbox' : null,
        reachable: address !== null && isInstalled !== false,
        ...standingOf(consent),
        attributes: read.attributes,
        channels: listOf(row.tags),
        words: {
          ...NO_WORDS,
          os: platform === 'ios' ? 'iOS' : platform === 'android' ? 'Android' : 'web',
          osVersion: platform === 'web' ? null : textOf(own.ua_device_os),
          appVersion: textOf(own.ua_app_version),
          deviceModel: textOf(own.ua_device_model),
          country: countryCodeOf(pick(row, 'locale_country') ?? own.ua_country),
          timezone: textOf(own.ua_local_tz ?? ios.tz),
          locale: textOf(pick(row, 'locale_language') ?? own.ua_language),
        },
        createdAt: instantIn(row, ['created']),
        lastActive: instantIn(row, ['last_registration', 'created']),
      },
    ],
  }
}

function namedUser(row: Row, user: string, options: SourceOptions): Converted {
  // A named user has its tags by group, as a channel has them in `tag_groups`.
  const groups = isPlainObject(row.tags) ? { tag_groups: row.tags } : {}
  const read = attributesOf({ attributes: row.attributes, ...groups }, options)
  if ('problem' in read) return read
  const times = { createdAt: instantIn(row, ['created']), lastActive: instantIn(row, ['last_modified', 'created']) }
  return { found: [{ ...NOTHING, user, attributes: read.attributes, ...times }] }
}

function attributesOf(row: Row, options: SourceOptions): { attributes: Record<string, unknown> } | { problem: string } {
  const attributes = objectFrom(row.attributes)
  const groups = objectFrom(row.tag_groups)
  if (!attributes) return { problem: 'attributes is not a JSON object' }
  if (!groups) return { problem: 'tag_groups is not a JSON object' }
  return { attributes: { ...groups, ...(options.numbers ? withNumbers(attributes) : attributes) } }
}

/** A browser has its keys in `web.subscription`. */
function subscriptionOf(row: Row, endpoint: string): unknown {
  const keys = objectFrom(objectFrom(row.web)?.subscription) ?? {}
  return { endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth } }
}
