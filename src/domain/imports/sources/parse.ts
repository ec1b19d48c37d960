import { isPlainObject } from '../../../platform/json/json.ts'
import { fromExtendedJson } from '../../../platform/text/extended-json.ts'
import { countryOf } from '../../crm/details.ts'
import type { Platform } from '../../gateways/registry.ts'
import { type Consent, ownConsents, readConsents, standingOf } from '../read/consent.ts'
import { datesAsText, idOf, instantIn, listOf, NO_WORDS, NOTHING, pick, textOf } from '../read/values.ts'
import type { Converted, Row, Source, SourceOptions } from '../types.ts'

/**
 * Parse: the class `_Installation`, from `mongoexport` (a document for each line, with `_id`, `_created_at` and
 * `_p_user`, as parse-server stores them), from the REST API (`{"results": […]}`) or as the JSON list of Parse's own
 * export. Fields: https://docs.parseplatform.org/rest/guide/#installations and
 * https://www.rubydoc.info/gems/parse-stack/Parse/Installation. Rows of the class `_User` are users without a device.
 */

const PLATFORMS: Readonly<Record<string, Platform>> = { ios: 'ios', android: 'android' }

const COLUMNS: Readonly<Record<string, string>> = {
  _id: 'install id, as parse-…, if there is no installationId',
  objectId: 'install id, as parse-…, if there is no installationId',
  installationId: 'install id, as parse-…',
  deviceToken: 'push token',
  deviceType: 'platform',
  pushType: 'none: notifications off',
  user: 'user: the objectId of the pointer',
  _p_user: 'user: the objectId of the pointer',
  channels: 'channels',
  timeZone: 'time zone',
  localeIdentifier: 'language and country',
  appVersion: 'app version',
  appIdentifier: 'bundle id of the tokens of Apple',
  deviceModel: 'device',
  createdAt: 'first activity of the user',
  _created_at: 'first activity of the user',
  updatedAt: 'last activity',
  _updated_at: 'last activity',
  GCMSenderId: 'left behind: the FCM project of the android gateway has to be the same',
  badge: 'left behind',
  appName: 'left behind',
  parseVersion: 'left behind',
  deviceTokenLastModified: 'left behind',
  ACL: 'left behind',
  username: 'attribute of the user (class _User)',
  email: 'attribute of the user (class _User)',
  authData: 'left behind: a secret',
  sessionToken: 'left behind: a secret',
  password: 'left behind: a secret',
  className: 'left behind',
  __type: 'left behind',
}

export const parse: Source = {
  name: 'parse',
  label: 'Parse',
  columns: COLUMNS,
  others: (column) => (column.startsWith('_') ? "left behind: the server's own" : 'attribute of the user'),
  wrappers: ['results'],
  convert,
}

function convert(given: Row, options: SourceOptions): Converted {
  const row = fromExtendedJson(given) as Row
  const id = idOf(pick(row, 'objectId', '_id'), 'objectId')
  const type = textOf(row.deviceType)?.toLowerCase() ?? null
  if (type === null && (row.username !== undefined || row._hashed_password !== undefined)) return userOf(row, id)
  const platform = PLATFORMS[type ?? '']
  if (type === null) return { problem: 'has no deviceType' }
  if (!platform) return { left: `devices of type ${type}` }
  const key = idOf(row.installationId, 'installationId') ?? id
  if (key === null) return { problem: 'has neither installationId nor objectId' }
  const consent = consentOf(row)
  if (typeof consent !== 'string') return consent
  const token = textOf(row.deviceToken)
  const locale = textOf(row.localeIdentifier)
  return {
    found: [
      {
        ...NOTHING,
        key,
        user: userPointer(pick(row, 'user', '_p_user')),
        platform,
        token,
        environment: options.sandbox ? 'sandbox' : null,
        topic: platform === 'ios' ? textOf(row.appIdentifier) : null,
        reachable: token !== null,
        ...standingOf(consent),
        attributes: ownFields(row),
        channels: listOf(row.channels),
        words: {
          ...NO_WORDS,
          os: platform === 'ios' ? 'iOS' : 'Android',
          appVersion: textOf(row.appVersion),
          deviceModel: textOf(row.deviceModel),
          country: locale && countryOf(locale),
          timezone: textOf(row.timeZone),
          locale,
        },
        createdAt: instantIn(row, ['createdAt', '_created_at']),
        lastActive: instantIn(row, ['updatedAt', '_updated_at']),
      },
    ],
  }
}

/**
 * Parse sends to every installation with a token, so one that says nothing else is subscribed. Apps without a field of
 * Parse for it add a column of their own, such as `pushEnabled`: it counts when its name says what it is.
 */
function consentOf(row: Row): Consent | { problem: string } {
  const said = readConsents([['pushType', row.pushType, 'parsePushType'], ...ownConsents(row, COLUMNS)])
  return said === 'unknown' ? 'subscribed' : said
}

/** A row of the class `_User`. */
function userOf(row: Row, id: string | null): Converted {
  if (id === null) return { problem: 'has no objectId' }
  const { username, email } = row
  const attributes = {
    ...(typeof username === 'string' && { username }),
    ...(typeof email === 'string' && { email }),
    ...ownFields(row),
  }
  const times = {
    createdAt: instantIn(row, ['createdAt', '_created_at']),
    lastActive: instantIn(row, ['updatedAt', '_updated_at']),
  }
  return { found: [{ ...NOTHING, user: id, attributes, ...times }] }
}

/** `{"__type": "Pointer", "objectId": "x"}`, or `_User$x` as it is stored. */
function userPointer(value: unknown): string | null {
  if (isPlainObject(value)) return idOf(value.objectId ?? value, 'user')
  const text = idOf(value, 'user')
  return text && text.replace(/^_User\$/, '')
}

/** Columns that the app has added. What begins with `_` is the server's own, tokens and hashes of passwords among it. */
function ownFields(row: Row): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row)
      .filter(([name, value]) => !Object.hasOwn(COLUMNS, name) && !name.startsWith('_') && value !== null)
      .map(([name, value]) => [name, datesAsText(value, name)]),
  )
}
