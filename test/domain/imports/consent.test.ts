import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { checkCandidate } from '../../../src/domain/imports/check.ts'
import { readConsent, strictest } from '../../../src/domain/imports/read/consent.ts'
import { readExport } from '../../../src/domain/imports/read/export.ts'
import { sources } from '../../../src/domain/imports/sources/all.ts'
import { readMap } from '../../../src/domain/imports/sources/fields.ts'
import type { Row, SourceName, SourceOptions } from '../../../src/domain/imports/types.ts'
import { collect } from '../../../src/platform/concurrency/chunks.ts'

const OPTIONS: SourceOptions = { map: new Map(), tagChannels: [], numbers: false, sandbox: false }
const rules = (source: SourceName) => ({ source, maxAttributes: undefined, refusalOfEndpoint: () => undefined })

/** Reads a row as `on`, `off`, `opted out`, `unknown`, or the sentence that refuses it. */
function become(source: SourceName, row: Row, options: Partial<SourceOptions> = {}): string {
  const converted = sources[source].convert(row, { ...OPTIONS, ...options })
  if ('problem' in converted) return converted.problem
  if ('left' in converted) return `left: ${converted.left}`
  const checked = checkCandidate(converted.found[0]!, rules(source))
  if ('problem' in checked) return checked.problem
  if (!checked.isSaid) return 'unknown'
  return checked.enabled ? 'on' : checked.optedOut ? 'opted out' : 'off'
}

const TABLE = { id: 'd', platform: 'android', token: 'some-token', user: 'u' }
const PLAYER = { id: 'p', identifier: 'some-fcm-token', device_type: '1' }
const CHANNEL = { channel_id: 'c', device_type: 'android', push_address: 'some-fcm-token' }
const PARSED = { objectId: 'o', deviceType: 'android', deviceToken: 'some-fcm-token' }
const ENDPOINT = { Id: 'e', ChannelType: 'GCM', Address: 'some-fcm-token' }

/** Words that meant consent while nobody could read them. */
const NO_IN_OTHER_WORDS = [
  'ALL',
  'unsubscribed',
  'N',
  'off',
  'disabled',
  'denied',
  'INACTIVE',
  'OPTED_OUT',
  'opted-out',
  ' Opted out ',
  'OptOut',
  'NO',
  'False',
  'F',
  '0',
  '0.0',
  '-1',
  'blocked',
  'revoked',
  'declined',
  'muted',
  'notDetermined',
  'ausgetragen',
  'maybe',
  'unknown',
  'nein',
  '✗',
  { value: 'no' },
  ['no'],
  Number.NaN,
]

describe('an opt-out in whatever words', () => {
  const columns: [name: string, source: SourceName, (value: unknown) => Row][] = [
    ['enabled of a table', 'csv', (enabled) => ({ ...TABLE, enabled })],
    ['a mapped column', 'csv', (state) => ({ ...TABLE, state })],
    ['push_enabled, which nobody mapped', 'csv', (value) => ({ ...TABLE, push_enabled: value })],
    ['subscribed of a table of Firebase tokens', 'firebase', (subscribed) => ({ uid: 'u', fcmToken: 't', subscribed })],
    ['optIn of a table of Expo', 'expo', (optIn) => ({ ...TABLE, optIn })],
    ['notification_types of OneSignal', 'onesignal', (value) => ({ ...PLAYER, notification_types: value })],
    ['enabled of OneSignal', 'onesignal', (enabled) => ({ ...PLAYER, notification_types: 1, enabled })],
    ['opt_in of Airship', 'airship', (opt_in) => ({ ...CHANNEL, opt_in })],
    ['EndpointStatus of Pinpoint', 'pinpoint', (value) => ({ ...ENDPOINT, OptOut: 'NONE', EndpointStatus: value })],
    ['OptOut of Pinpoint', 'pinpoint', (OptOut) => ({ ...ENDPOINT, OptOut, EndpointStatus: 'ACTIVE' })],
    ['pushType of Parse', 'parse', (pushType) => ({ ...PARSED, pushType })],
    ['pushEnabled of an app at Parse', 'parse', (pushEnabled) => ({ ...PARSED, pushEnabled })],
  ]
  const options = { map: readMap(['state=enabled']) }
  for (const [name, source, row] of columns) {
    it(`is never consent in ${name}`, () => {
      for (const value of NO_IN_OTHER_WORDS) {
        const became = become(source, row(value), options)
        expect(became, JSON.stringify(value)).to.match(/^off$|^opted out$|is not taken as consent|it must be one of/)
      }
    })
  }

  const refusals: [string, SourceName, (value: unknown) => Row][] = [
    ['opted_out of a table', 'csv', (opted_out) => ({ ...TABLE, opted_out })],
    ['unsubscribed, which nobody mapped', 'csv', (unsubscribed) => ({ ...TABLE, unsubscribed })],
    ['optOut of an app at Parse', 'parse', (optOut) => ({ ...PARSED, optOut })],
  ]
  const yes = ['ALL', 'unsubscribed', 'Y', 'on', 'off', 'disabled', 'denied', 'INACTIVE', 'OPTED_OUT', 'yes', 'T', 1]
  for (const [name, source, row] of refusals) {
    it(`is never consent in ${name}`, () => {
      for (const value of [...yes, true, '2', 'ja', '2025-03-01T10:00:00Z', '1740000000', { x: 1 }]) {
        expect(become(source, row(value)), JSON.stringify(value)).to.match(/^opted out$|is not taken as consent/)
      }
      for (const value of [false, 'no', 'N', '0', 'NONE', 'f']) expect(become(source, row(value))).to.equal('on')
    })
  }

  it('names the column, the value and the words that are known, and no more of the row', () => {
    const said = become('csv', { ...TABLE, enabled: `maybe, ${'x'.repeat(100)}` })
    expect(said).to.match(/^enabled is "maybe, x{32}…, which is not taken as consent: it must be one of yes, true, 1/)
    expect(become('pinpoint', { ...ENDPOINT, OptOut: 'SOME' })).to.equal(
      'OptOut is "SOME", which is not taken as consent: it must be one of ALL (opted out) and NONE (subscribed)',
    )
  })
})

describe('what a service says about consent', () => {
  const cases: [SourceName, Row, string][] = [
    ['onesignal', { ...PLAYER, notification_types: '1' }, 'on'],
    ['onesignal', { ...PLAYER, notification_types: 31 }, 'on'],
    ['onesignal', { ...PLAYER, notification_types: ' Subscribed ' }, 'on'],
    ['onesignal', { ...PLAYER, notification_types: '0' }, 'off'],
    ['onesignal', { ...PLAYER, notification_types: '-2' }, 'opted out'],
    ['onesignal', { ...PLAYER, notification_types: -22 }, 'off'],
    ['onesignal', { ...PLAYER, notification_types: 1, enabled: false }, 'off'],
    ['onesignal', PLAYER, 'unknown'],
    ['onesignal', { ...PLAYER, Subscribed: 'No' }, 'off'],
    ['onesignal', { ...PLAYER, notification_types: 1, unsubscribed_at: '2026-01-01T00:00:00Z' }, 'opted out'],
    ['airship', { ...CHANNEL, opt_in: true, push_opt_out: 'yes' }, 'opted out'],
    ['pinpoint', { ...ENDPOINT, OptOut: 'NONE', pushEnabled: false }, 'off'],
    ['csv', { ...TABLE, active: 'f' }, 'off'],
    ['onesignal', { ...PLAYER, notification_types: 'NULL' }, 'unknown'],
    [
      'onesignal',
      { ...PLAYER, invalid_identifier: 'x' },
      'invalid_identifier is "x": it must be true or false, yes or no, t or f, 1 or 0',
    ],
    ['airship', { ...CHANNEL, opt_in: true }, 'on'],
    ['airship', { ...CHANNEL, opt_in: 'OPTED_IN' }, 'on'],
    ['airship', { ...CHANNEL, opt_in: 'OPTED_OUT' }, 'opted out'],
    ['airship', { ...CHANNEL, push_opt_in: 'false' }, 'off'],
    ['airship', CHANNEL, 'unknown'],
    ['pinpoint', { ...ENDPOINT, OptOut: 'none', EndpointStatus: 'Active' }, 'on'],
    ['pinpoint', { ...ENDPOINT, OptOut: 'NONE' }, 'on'],
    ['pinpoint', { ...ENDPOINT, OptOut: 'ALL', EndpointStatus: 'INACTIVE' }, 'opted out'],
    ['pinpoint', { ...ENDPOINT, OptOut: 'NONE', EndpointStatus: 'INACTIVE' }, 'off'],
    ['pinpoint', { ...ENDPOINT, EndpointStatus: 'ACTIVE' }, 'unknown'],
    ['parse', PARSED, 'on'],
    ['parse', { ...PARSED, pushType: 'gcm' }, 'on'],
    ['parse', { ...PARSED, pushType: 'NONE' }, 'off'],
    ['parse', { ...PARSED, notificationsEnabled: { $numberInt: '0' } }, 'off'],
    ['csv', TABLE, 'unknown'],
    ['csv', { ...TABLE, enabled: '', opted_out: '\\N' }, 'unknown'],
    ['csv', { ...TABLE, enabled: 'yes', opted_out: 'yes' }, 'opted out'],
    ['csv', { ...TABLE, notification_types: -2 }, 'opted out'],
    ['expo', { ...TABLE, optOut: true }, 'opted out'],
    [
      'firebase',
      { localId: 'x', disabled: 'maybe' },
      'disabled is "maybe": it must be true or false, yes or no, t or f, 1 or 0',
    ],
    ['firebase', { localId: 'x', disabled: 'T' }, 'left: disabled accounts'],
  ]
  for (const [source, row, becomes] of cases) {
    it(`${source}: ${JSON.stringify(row)} is ${becomes}`, () => {
      expect(become(source, row)).to.equal(becomes)
    })
  }

  it('a column of a table that looks as if it said who opted out is not left behind', () => {
    expect(become('csv', { ...TABLE, push_opt_in_2024: 'x' })).to.include('--map push_opt_in_2024=opted_out')
    expect(become('csv', { ...TABLE, push_opt_in_2024: 'x' }, { map: readMap(['push_opt_in_2024=-']) })).to.equal(
      'unknown',
    )
    expect(become('csv', { ...TABLE, email_opt_in: 'x' })).to.equal('unknown')
  })

  const spellings: [string, unknown][] = [
    ['push_disabled', 'true'],
    ['notificationsDisabled', true],
    ['is_push_off', 1],
    ['Push Notifications Enabled?', 'no'],
    ['wantsPush', false],
    ['receive_notifications', 'N'],
    ['subscribedToPush', 'f'],
    ['optOutPush', 'yes'],
    ['notif_enabled', '0'],
    ['push', 'off'],
    ['push_permission_status', 'undetermined'],
    ['muted', 't'],
    ['unsubscribed_at', 'Sat, 28 Nov 2026 15:30:57 GMT'],
    ['optedOutAt', { _seconds: 1_700_000_000, _nanoseconds: 0 }],
    ['state_of_things', 'Unsubscribed'],
  ]
  for (const [column, value] of spellings) {
    it(`${column} = ${JSON.stringify(value)} is no consent in any export`, () => {
      const rows: [SourceName, Row][] = [
        ['csv', TABLE],
        ['expo', TABLE],
        ['firebase', { uid: 'u', fcmToken: 't' }],
        ['parse', PARSED],
        ['onesignal', { ...PLAYER, notification_types: 1 }],
        ['airship', { ...CHANNEL, opt_in: true }],
        ['pinpoint', { ...ENDPOINT, OptOut: 'NONE' }],
      ]
      for (const [source, row] of rows) {
        expect(become(source, { ...row, [column]: value }), source).to.match(/^off$|^opted out$|looks as if it says/)
      }
    })
  }

  it('what only looks like consent is refused by its column or path, until it is named', () => {
    const rows: [string, unknown][] = [
      ['status', 'denied'],
      ['subscription_state', 'x'],
      ['authorizationStatus', 1],
      ['is_disabled', 'no'],
      ['do_not_contact', 'yes'],
      ['settings.push', false],
      ['settings.notifications.enabled', 'off'],
    ]
    for (const [path, value] of rows) {
      const [top, ...inner] = path.split('.')
      const row = { ...TABLE, [top!]: inner.reduceRight<unknown>((held, name) => ({ [name]: held }), value) }
      expect(become('csv', row), path).to.include(`the column ${path} looks as if it says who opted out`)
      expect(become('csv', row, { map: readMap([`${path}=-`]) }), path).to.equal('unknown')
    }
    const cell = { ...TABLE, settings: '{"push": "no"}' }
    expect(become('csv', cell)).to.include('--map settings.push=opted_out')
    expect(become('csv', cell, { map: readMap(['settings.push=enabled']) })).to.equal('off')
    for (const row of [{ status: 'delivered' }, { newsletter: 'unsubscribed' }, { last_push_at: '2026-01-01' }]) {
      expect(become('csv', { ...TABLE, ...row }), JSON.stringify(row)).to.equal('unknown')
    }
  })

  it('what getPermissionsAsync of Expo says is read', () => {
    const said = (row: Row) => become('expo', { type: 'android', data: 'some-token', ...row })
    expect(said({ status: 'granted', granted: true })).to.equal('on')
    expect(said({ status: 'denied' })).to.equal('off')
    expect(said({ status: 'undetermined' })).to.equal('off')
    expect(said({ granted: false })).to.equal('off')
    expect(said({ permissions: { granted: false } })).to.include('--map permissions.granted=opted_out')
  })

  it('the strictest of several columns counts', () => {
    expect(strictest(['unknown', 'subscribed', 'off', 'opted_out'])).to.equal('opted_out')
    expect(strictest(['subscribed', 'off'])).to.equal('off')
    expect(strictest(['unknown', 'subscribed'])).to.equal('subscribed')
    expect(strictest([])).to.equal('unknown')
  })

  it('an opt-out of a user without a device is refused unless it goes on the suppression list', () => {
    const candidate = (sources.csv.convert({ user: 'u', opted_out: 'yes' }, OPTIONS) as { found: [never] }).found[0]
    expect(checkCandidate(candidate, rules('csv')))
      .to.have.property('problem')
      .that.includes('--suppress-opted-out')
    expect(checkCandidate(candidate, { ...rules('csv'), suppressOptedOut: true })).to.include({ optedOut: true })
  })

  const tags: [unknown, 'member' | 'not' | 'refused'][] = [
    ['1', 'member'],
    ['1700000000', 'member'],
    ['Yes', 'member'],
    ['subscribed', 'member'],
    ['0', 'not'],
    ['-1', 'not'],
    ['OFF', 'not'],
    ['unsubscribed', 'not'],
    ['', 'not'],
    ['weekly', 'refused'],
    [['x'], 'refused'],
  ]
  for (const [value, becomes] of tags) {
    it(`a tag that is a channel and has the value ${JSON.stringify(value)}: ${becomes}`, () => {
      const row = { ...PLAYER, notification_types: 1, tags: { news: value } }
      const converted = sources.onesignal.convert(row, { ...OPTIONS, tagChannels: ['news'] })
      const became =
        'found' in converted ? (converted.found[0]!.channels.includes('news') ? 'member' : 'not') : 'refused'
      expect(became).to.equal(becomes)
    })
  }

  it('a value without a column of its own is read as the words that are declared', () => {
    expect(readConsent('x', '+1', 'oneSignalTypes')).to.equal('subscribed')
    expect(readConsent('x', '1.5', 'oneSignalTypes')).to.have.property('problem')
    expect(readConsent('x', 9e20, 'oneSignalTypes')).to.have.property('problem')
  })
})

describe('Amazon Pinpoint', () => {
  async function readFile(name: string, options: Partial<SourceOptions> = {}): Promise<string[]> {
    const rows = await collect(
      readExport({
        files: [{ name, open: async () => createReadStream(join(import.meta.dirname, 'exports', name)) }],
        source: sources.pinpoint,
        options: { ...OPTIONS, ...options },
        rules: rules('pinpoint'),
      }),
    )
    return rows.flatMap((row) => {
      if ('left' in row) return [`left: ${row.left}`]
      if ('problem' in row) return [row.problem]
      return row.ready.map(({ platform, identifier, token, enabled }) =>
        [platform, identifier, token === null ? 'unreachable' : '', enabled ? 'on' : 'off'].filter(Boolean).join(' '),
      )
    })
  }

  it('endpoints of an export job: what no gateway reaches is named, and opt-outs stay', async () => {
    expect(await readFile('pinpoint.jsonl')).to.deep.equal([
      'ios olga on',
      'ios tester on',
      'android pavel unreachable off',
      'android pavel on',
      'android rita off',
      'left: email addresses',
      'left: phone numbers (SMS)',
      'left: Amazon devices (ADM)',
      'OptOut is "SOME", which is not taken as consent: it must be one of ALL (opted out) and NONE (subscribed)',
    ])
  })

  it('a segment as CSV has the same fields as columns, and a row without OptOut is refused', async () => {
    const [tom, ute, vera] = await readFile('pinpoint.csv')
    expect([tom, ute]).to.deep.equal(['android tom on', 'android ute off'])
    expect(vera).to.include('has no OptOut').and.include('--assume-subscribed')
    expect((await readFile('pinpoint.csv', { assumeSubscribed: true })).at(-1)).to.equal('android vera on')
  })

  const found = (row: Row) => {
    const converted = sources.pinpoint.convert(row, OPTIONS)
    if (!('found' in converted)) throw new Error(JSON.stringify(converted))
    return converted.found[0]!
  }

  it('an endpoint gives its user, attributes, device and times, from JSON and from columns', () => {
    const nested = found({
      ...ENDPOINT,
      OptOut: 'NONE',
      Attributes: { plan: ['pro'], topics: ['a', 'b'], none: [] },
      Metrics: { orders: 7 },
      User: { UserId: 'olga', UserAttributes: { city: ['Graz'], plan: ['gold'] } },
      Demographic: {
        AppVersion: '4.2',
        Locale: 'de_AT',
        Model: 'Pixel 8',
        PlatformVersion: '14',
        Timezone: 'Europe/Vienna',
      },
      Location: { Country: 'AT', City: 'Graz' },
      CreationDate: '2023-05-01T10:00:00.000Z',
      EffectiveDate: '2025-08-01T10:00:00.000Z',
    })
    expect(nested).to.deep.include({
      key: 'e',
      user: 'olga',
      attributes: { orders: 7, plan: 'gold', topics: ['a', 'b'], city: 'Graz' },
      createdAt: Date.parse('2023-05-01T10:00:00Z'),
      lastActive: Date.parse('2025-08-01T10:00:00Z'),
    })
    expect(nested.words).to.deep.equal({
      os: 'Android',
      osVersion: '14',
      appVersion: '4.2',
      deviceModel: 'Pixel 8',
      country: 'AT',
      timezone: 'Europe/Vienna',
      locale: 'de-AT',
    })
    const flat = found({
      ...ENDPOINT,
      OptOut: 'NONE',
      'User.UserId': 'olga',
      'User.UserAttributes.city': 'Graz',
      'Metrics.orders': '7',
      'Location.Country': 'AT',
    })
    expect(flat).to.deep.include({ user: 'olga', attributes: { orders: 7, city: 'Graz' } })
    expect(flat.words.country).to.equal('AT')
  })

  const types: [string | undefined, string][] = [
    ['APNS', 'ios production'],
    ['apns_sandbox', 'ios sandbox'],
    ['GCM', 'android production'],
    ['ADM', 'left: Amazon devices (ADM)'],
    ['BAIDU', 'left: Baidu devices'],
    ['APNS_VOIP', 'left: VoIP tokens of Apple'],
    ['APNS_VOIP_SANDBOX', 'left: VoIP tokens of Apple'],
    ['EMAIL', 'left: email addresses'],
    ['SMS', 'left: phone numbers (SMS)'],
    ['VOICE', 'left: phone numbers (voice)'],
    ['CUSTOM', 'left: custom channels'],
    ['IN_APP', 'left: in-app endpoints'],
    ['PIGEON', 'has the unknown ChannelType PIGEON'],
    [undefined, 'has no ChannelType'],
  ]
  for (const [type, becomes] of types) {
    it(`the channel ${type} becomes ${becomes}`, () => {
      const converted = sources.pinpoint.convert({ ...ENDPOINT, ChannelType: type, OptOut: 'NONE' }, OPTIONS)
      const one = 'found' in converted ? converted.found[0]! : undefined
      expect(
        one
          ? `${one.platform} ${one.environment ?? 'production'}`
          : 'left' in converted
            ? `left: ${converted.left}`
            : 'problem' in converted && converted.problem,
      ).to.equal(becomes)
    })
  }
})
