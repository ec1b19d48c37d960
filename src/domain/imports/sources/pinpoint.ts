import { isPlainObject } from '../../../platform/json/json.ts'
import type { Platform } from '../../gateways/registry.ts'
import { type Consent, ownConsents, readConsent, readConsents, standingOf, strictest } from '../read/consent.ts'
import { countryCodeOf, idOf, instantIn, NO_WORDS, NOTHING, objectFrom, textOf, withNumbers } from '../read/values.ts'
import type { Converted, Row, Source, SourceOptions } from '../types.ts'
import { osOf } from './platforms.ts'

/**
 * Amazon Pinpoint: endpoints as an export job writes them (JSON lines, packed with gzip, several files under a prefix of
 * S3), as segments are exported (the same, or CSV whose columns are the paths, `User.UserId`), or as answers of
 * `GetEndpoint`. Export: https://docs.aws.amazon.com/pinpoint/latest/developerguide/audience-define-export.html. Fields:
 * https://docs.aws.amazon.com/pinpoint/latest/apireference/apps-application-id-endpoints-endpoint-id.html
 */

/** Types of channels that a gateway here reaches. */
const PLATFORMS: Readonly<Record<string, { platform: Platform; environment?: 'sandbox' }>> = {
  APNS: { platform: 'ios' },
  APNS_SANDBOX: { platform: 'ios', environment: 'sandbox' },
  GCM: { platform: 'android' },
}

/** The others, as people call them. */
const OTHERS: Readonly<Record<string, string>> = {
  APNS_VOIP: 'VoIP tokens of Apple',
  APNS_VOIP_SANDBOX: 'VoIP tokens of Apple',
  ADM: 'Amazon devices (ADM)',
  BAIDU: 'Baidu devices',
  EMAIL: 'email addresses',
  SMS: 'phone numbers (SMS)',
  VOICE: 'phone numbers (voice)',
  CUSTOM: 'custom channels',
  IN_APP: 'in-app endpoints',
  PUSH: 'endpoints of the type PUSH, which name no gateway',
}

/** The parts of an endpoint that are objects, as columns of CSV begin. */
const PARTS = ['Attributes', 'Metrics', 'User.UserAttributes', 'User', 'Demographic', 'Location'] as const

export const pinpoint: Source = {
  name: 'pinpoint',
  label: 'Amazon Pinpoint',
  columns: {
    Id: 'install id, as pinpoint-…',
    ChannelType: 'platform',
    Address: 'push token',
    OptOut: 'ALL: opted out',
    EndpointStatus: 'INACTIVE: notifications off, the token is left out',
    User: 'user, attributes of the user',
    Attributes: 'attributes of the user',
    Metrics: 'attributes of the user, as numbers',
    Demographic: 'app version, system, device, time zone, language',
    Location: 'country; the rest is left behind',
    CreationDate: 'first activity of the user',
    EffectiveDate: 'last activity',
    ApplicationId: 'left behind',
    CohortId: 'left behind',
    RequestId: 'left behind',
  },
  others: fateOf,
  wrappers: ['Item'],
  consent: {
    column: 'OptOut',
    remedy: 'export the endpoints again with aws pinpoint create-export-job, which has it for every endpoint',
  },
  convert,
}

function fateOf(column: string): string {
  if (column === 'User.UserId') return 'user'
  if (/^(Attributes|User\.UserAttributes)\./.test(column)) return 'attribute of the user'
  if (column.startsWith('Metrics.')) return 'attribute of the user, as a number'
  if (/^Demographic\.(AppVersion|Locale|Make|Model|PlatformVersion|Timezone)$/.test(column)) return 'about the device'
  return column === 'Location.Country' ? 'country' : 'left behind'
}

function convert(row: Row, options: SourceOptions): Converted {
  const endpoint = isPlainObject(row.EndpointResponse) ? row.EndpointResponse : row
  const type = textOf(endpoint.ChannelType)?.toUpperCase()
  if (type === undefined) return { problem: 'has no ChannelType' }
  if (Object.hasOwn(OTHERS, type)) return { left: OTHERS[type]! }
  if (!Object.hasOwn(PLATFORMS, type)) return { problem: `has the unknown ChannelType ${type}` }
  const { platform, environment } = PLATFORMS[type]!
  const parts = Object.fromEntries(PARTS.map((part) => [part, partOf(endpoint, part)]))
  const broken = PARTS.find((part) => parts[part] === undefined)
  if (broken !== undefined) return { problem: `${broken} is not a JSON object` }
  const [user, about, place] = [parts.User!, parts.Demographic!, parts.Location!]
  const consent = consentOf(endpoint)
  if ('problem' in consent) return consent
  const address = textOf(endpoint.Address)
  const model = textOf(about.Model)
  return {
    found: [
      {
        ...NOTHING,
        key: idOf(endpoint.Id, 'Id'),
        user: idOf(user.UserId, 'User.UserId'),
        platform,
        token: address,
        environment: environment ?? (options.sandbox ? 'sandbox' : null),
        // Another endpoint has the same address, or had it later: that one gets the token.
        reachable: address !== null && consent.isActive,
        ...standingOf(consent.said),
        attributes: attributesOf(parts, options),
        words: {
          ...NO_WORDS,
          os: osOf(platform),
          osVersion: textOf(about.PlatformVersion),
          appVersion: textOf(about.AppVersion),
          deviceModel: model ?? textOf(about.Make),
          country: countryCodeOf(place.Country),
          timezone: textOf(about.Timezone),
          // `en_US`, `en-US`, and `en_US_POSIX` of some systems.
          locale: textOf(about.Locale)?.replaceAll('_', '-') ?? null,
        },
        createdAt: instantIn(endpoint, ['CreationDate']),
        lastActive: instantIn(endpoint, ['EffectiveDate', 'CreationDate']),
      },
    ],
  }
}

/**
 * `OptOut` is what the person wants; it has to be there. `EndpointStatus` is whether Pinpoint sends to the endpoint:
 * without it the endpoint is active, as Pinpoint makes it.
 */
function consentOf(row: Row): { said: Consent; isActive: boolean } | { problem: string } {
  const optOut = readConsent('OptOut', row.OptOut, 'pinpointOptOut')
  if (typeof optOut !== 'string') return optOut
  const status = readConsent('EndpointStatus', row.EndpointStatus, 'pinpointStatus')
  if (typeof status !== 'string') return status
  const own = readConsents(ownConsents(row, pinpoint.columns))
  if (typeof own !== 'string') return own
  return { said: strictest([optOut, status === 'off' ? 'off' : 'unknown', own]), isActive: status !== 'off' }
}

/** An object of the endpoint, or the columns of CSV whose names begin with it. Undefined for what is no object. */
function partOf(row: Row, part: (typeof PARTS)[number]): Record<string, unknown> | undefined {
  const [outer, inner] = part.split('.') as [string, string | undefined]
  const object = objectFrom(row[outer])
  const whole = inner === undefined ? object : object && objectFrom(object[inner])
  if (!whole) return undefined
  const flat = Object.entries(row).flatMap(([column, value]) =>
    column.startsWith(`${part}.`) ? [[column.slice(part.length + 1), value] as const] : [],
  )
  return flat.length === 0 ? whole : { ...whole, ...Object.fromEntries(flat) }
}

/** Pinpoint keeps every attribute as a list: a list of one becomes its value. What is said of the user comes first. */
function attributesOf(parts: Record<string, Record<string, unknown> | undefined>, options: SourceOptions) {
  const words = Object.fromEntries(
    [parts.Attributes, parts['User.UserAttributes']].flatMap((part) =>
      Object.entries(part ?? {}).flatMap(([name, value]) => {
        const plain = Array.isArray(value) && value.length === 1 ? (value[0] as unknown) : value
        return plain === null || plain === '' || isEmpty(plain) ? [] : [[name, plain]]
      }),
    ),
  )
  return { ...withNumbers(parts.Metrics ?? {}), ...(options.numbers ? withNumbers(words) : words) }
}

const isEmpty = (value: unknown) =>
  (Array.isArray(value) && value.length === 0) || (isPlainObject(value) && Object.keys(value).length === 0)
