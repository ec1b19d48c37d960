import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { checkCandidate } from '../../../src/domain/imports/check.ts'
import { readExport } from '../../../src/domain/imports/read/export.ts'
import { sources } from '../../../src/domain/imports/sources/all.ts'
import { readMap } from '../../../src/domain/imports/sources/fields.ts'
import { maskToken } from '../../../src/domain/imports/survey.ts'
import type { Candidate, Ready, Row, SourceName, SourceOptions } from '../../../src/domain/imports/types.ts'
import { collect } from '../../../src/platform/chunks.ts'

const EXPORTS = join(import.meta.dirname, 'exports')
const OPTIONS: SourceOptions = { map: new Map(), tagChannels: [], numbers: false, sandbox: false }
const P256DH = 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'
const AUTH = 'BTBZMqHH6r4Tts7J_aSIgg'
const TOKEN = 'a1'.repeat(32)

const rules = (source: SourceName) => ({
  source,
  maxAttributes: { bytes: 1000, setting: 'limits.attributes' },
  refusalOfEndpoint: (endpoint: string) => (endpoint.includes('evil') ? 'no push service' : undefined),
})

/** What a row becomes: what can be stored, or the sentence that refuses it or leaves it behind. */
function readRow(source: SourceName, row: Row, options: Partial<SourceOptions> = {}): Ready | string {
  const converted = sources[source].convert(row, { ...OPTIONS, ...options })
  if ('problem' in converted) return converted.problem
  if ('left' in converted) return `left: ${converted.left}`
  const checked = checkCandidate(converted.found[0]!, rules(source))
  return 'problem' in checked ? checked.problem : checked
}

const ready = (...of: Parameters<typeof readRow>): Ready => {
  const read = readRow(...of)
  if (typeof read === 'string') throw new Error(read)
  return read
}

/** The rows of an export in test/domain/imports/exports: `platform id`, or why a row is not imported. */
async function readFile(source: SourceName, name: string, options: Partial<SourceOptions> = {}): Promise<string[]> {
  const rows = await collect(
    readExport({
      files: [{ name, open: async () => createReadStream(join(EXPORTS, name)) }],
      source: sources[source],
      options: { ...OPTIONS, ...options },
      rules: rules(source),
    }),
  )
  return rows.flatMap((row) => {
    if ('left' in row) return [`left: ${row.left}`]
    if ('problem' in row) return [row.problem]
    return row.ready.map(({ platform, identifier, token, enabled }) =>
      [
        platform ?? 'user',
        identifier ?? '-',
        ...(platform ? [token === null ? 'unreachable' : enabled ? 'on' : 'off'] : []),
      ].join(' '),
    )
  })
}

describe('OneSignal', () => {
  const player = (more: object) => ({ id: 'p', identifier: 'some-fcm-token', device_type: '1', ...more })

  const types: [device_type: unknown, becomes: string, more?: object][] = [
    ['0', 'ios', { identifier: TOKEN }],
    ['1', 'android'],
    ['2', 'left: Amazon devices'],
    ['3', 'left: Windows phones'],
    ['4', 'left: Chrome apps and extensions'],
    ['5', 'web', { identifier: 'https://fcm.googleapis.com/fcm/send/x', web_p256: P256DH, web_auth: AUTH }],
    ['6', 'left: Windows apps'],
    ['7', 'safari', { identifier: TOKEN }],
    ['8', 'web', { identifier: 'https://updates.push.services.mozilla.com/x', web_p256: P256DH, web_auth: AUTH }],
    ['9', 'left: macOS apps'],
    ['11', 'left: email addresses'],
    ['13', 'hcm'],
    ['14', 'left: phone numbers (SMS)'],
    ['17', 'web', { identifier: 'https://web.push.apple.com/x', web_p256: P256DH, web_auth: AUTH }],
    ['99', 'has the unknown device_type 99'],
    [undefined, 'has no device_type'],
  ]
  for (const [type, becomes, more] of types) {
    it(`device_type ${String(type)} becomes ${becomes}`, () => {
      const read = readRow('onesignal', player({ device_type: type, ...more }))
      expect(typeof read === 'string' ? read : read.platform).to.equal(becomes)
    })
  }

  it('an invalid token is left out, notifications that are off stay off, and an opt-out is known as one', () => {
    expect(ready('onesignal', player({ invalid_identifier: 't' })).token).to.equal(null)
    expect(ready('onesignal', player({ identifier: undefined })).token).to.equal(null)
    expect(ready('onesignal', player({ notification_types: '1' }))).to.include({ enabled: true, optedOut: false })
    expect(ready('onesignal', player({ notification_types: '0' }))).to.include({ enabled: false, optedOut: false })
    expect(ready('onesignal', player({ notification_types: '-2' }))).to.include({ enabled: false, optedOut: true })
  })

  it('a registration id of Chrome becomes the endpoint it is the end of', () => {
    const id = 'dGhpcyBpcyBub3Qgb25l:APA91b'
    const read = ready('onesignal', player({ device_type: '5', identifier: id, web_p256: P256DH, web_auth: AUTH }))
    expect(read.token!.token).to.equal(`https://fcm.googleapis.com/fcm/send/${id}`)
  })

  it('tags keep their types, become numbers on request, or channels', () => {
    const tags = '{"level":"7","zip":"01067","vip":"true","news":"1","sport":"0"}'
    expect(ready('onesignal', player({ tags })).attributes).to.deep.equal(JSON.parse(tags))
    const read = ready('onesignal', player({ tags }), { numbers: true, tagChannels: ['news', 'sport'] })
    expect(read.attributes).to.deep.equal({ level: 7, zip: '01067', vip: true })
    expect(read.channels).to.deep.equal(['news'])
  })

  it('tokens of test builds are of the sandbox of Apple', () => {
    const ios = { device_type: '0', identifier: TOKEN }
    expect(ready('onesignal', player({ ...ios })).token!.environment).to.equal('production')
    expect(ready('onesignal', player({ ...ios, test_type: '1' })).token!.environment).to.equal('sandbox')
    expect(ready('onesignal', player(ios), { sandbox: true }).token!.environment).to.equal('sandbox')
  })
})

describe('the other services', () => {
  it('Parse: installations and users, without secrets', async () => {
    expect(await readFile('parse', 'parse.jsonl')).to.deep.equal([
      'ios u1 on',
      'android - on',
      'android u2 off',
      'left: devices of type winrt',
      'ios - unreachable',
      'token must be the device token in hexadecimal',
      'user u1',
      'is not valid JSON',
    ])
    const user = {
      objectId: 'u',
      username: 'maria',
      _hashed_password: 'x',
      sessionToken: 'y',
      authData: {},
      born: { $date: '2000-01-02T00:00:00Z' },
    }
    expect(ready('parse', user).attributes).to.deep.equal({ username: 'maria', born: '2000-01-02T00:00:00.000Z' })
  })

  it('Airship: pages of channels and of named users', async () => {
    expect(await readFile('airship', 'airship.pages')).to.deep.equal([
      'ios nina on',
      'android nina off',
      'web - on',
      'ios - unreachable',
      'left: channels of type email',
      'token must be the device token in hexadecimal',
      'has no channel_id',
      'user nina',
    ])
  })

  it('Firebase: users as JSON and as CSV without a header, and tables of tokens', async () => {
    expect(await readFile('firebase', 'firebase-users.json')).to.deep.equal([
      'user fb1',
      'user fb2',
      'left: disabled accounts',
      'names neither a token nor a user',
    ])
    expect(await readFile('firebase', 'firebase-users.csv')).to.deep.equal(['user fb1', 'user fb4'])
    const [android, iphone, plain, empty] = await readFile('firebase', 'firebase-tokens.csv')
    expect([android, plain, empty]).to.deep.equal([
      'android fb1 on',
      'android fb4 on',
      'names neither a token nor a user',
    ])
    expect(iphone).to.include('a token of FCM for an iPhone')
    const several = sources.firebase.convert({ uid: 'x', fcmTokens: ['token-1', 'token-2'] }, OPTIONS) as {
      found: Candidate[]
    }
    expect(several.found.map(({ user, token }) => [user, token])).to.deep.equal([
      ['x', 'token-1'],
      ['x', 'token-2'],
    ])
  })

  it('Expo: native tokens are imported, and those of Expo are refused with the remedy', async () => {
    const [ios, android, only, web, wrapped] = await readFile('expo', 'expo.jsonl')
    expect([ios, android, web]).to.deep.equal(['ios e1 on', 'android e2 on', 'web e4 on'])
    expect(only).to.equal(wrapped).and.to.include('let the app report getDevicePushTokenAsync()')
  })

  it('a table of one’s own is read as --map says', async () => {
    const map = readMap([
      'customer=user',
      'push_token=token',
      'os=platform',
      'endpoint_key=p256dh',
      'endpoint_auth=auth',
      'city=attr:city',
      'groups=channels',
      'said_no=opted_out',
    ])
    expect((await readFile('csv', 'own.csv', { map })).slice(0, 4)).to.deep.equal([
      'ios kim on',
      'android lea off',
      'web lea on',
      'has the unknown platform symbian (one of ios, android, web, safari, hcm)',
    ])
  })

  const wrongMaps: [string[], string][] = [
    [['token'], '--map token: write column=field'],
    [['a=colour'], '--map a=colour: there is no field colour'],
    [['a=attr:'], 'there is no field attr:'],
    [['a=user', 'a=token'], '--map names the column a twice'],
  ]
  for (const [pairs, message] of wrongMaps) {
    it(`--map ${pairs.join(' ')} is refused`, () => {
      expect(() => readMap(pairs)).to.throw(message)
    })
  }

  it('a mapped column that is not there is refused with those that are', async () => {
    const error = await readFile('csv', 'own.csv', { map: readMap(['nobody=user']) }).catch((error: unknown) => error)
    expect(error)
      .to.have.nested.property('details.fields.--map[0]')
      .that.includes('but the columns are customer, push_token')
  })
})

describe('an identifier of an export', () => {
  const ROUNDED = /is a number that a spreadsheet has rounded/
  const WRONG = /must be text, or an integer that a number holds exactly: export it as text/
  const BEYOND = /is an integer beyond 9007199254740991.*: send it as text/

  /** A row of each service with an identifier, by the name of its column. */
  const rows: [source: SourceName, column: string, row: Row][] = [
    ['onesignal', 'external_user_id', { id: 'p', identifier: 't', device_type: 1 }],
    ['onesignal', 'id', { identifier: 't', device_type: 1 }],
    ['parse', 'installationId', { objectId: 'o', deviceType: 'android' }],
    ['parse', 'objectId', { deviceType: 'android' }],
    ['parse', 'user', { objectId: 'o', deviceType: 'android' }],
    ['airship', 'named_user_id', { channel_id: 'c', device_type: 'android' }],
    ['airship', 'channel_id', { device_type: 'android' }],
    ['firebase', 'localId', {}],
    ['csv', 'user', { token: 't', platform: 'android' }],
    ['csv', 'id', { token: 't', platform: 'android' }],
    ['expo', 'userId', { type: 'android', data: 't' }],
    ['expo', 'deviceId', { type: 'android', data: 't' }],
  ]
  /** The JSON of a row as it would stand in a file, with the identifier as it is written there. */
  async function read(
    source: SourceName,
    row: Row,
    column: string,
    written: string,
  ): Promise<string | readonly Ready[]> {
    const given = JSON.stringify({ ...row, [column]: '@' }).replace('"@"', written)
    const [found] = await collect(
      readExport({
        files: [
          {
            name: 'x',
            open: async () =>
              (async function* () {
                yield Buffer.from(`${given}\n`)
              })(),
          },
        ],
        source: sources[source],
        options: OPTIONS,
        rules: rules(source),
      }),
    )
    return 'problem' in found! ? found.problem : 'ready' in found! ? found.ready : 'left'
  }

  for (const [source, column, row] of rows) {
    it(`is refused when it has lost digits, or is no identifier: ${column} of ${source}`, async () => {
      const refused: [string, RegExp][] = [
        ['9007199254740993', BEYOND],
        ['-9007199254740993', BEYOND],
        ['1e400', /is too large for a number/],
        ['1.5', WRONG],
        ['true', WRONG],
        ['{"a":1}', WRONG],
        ['"1.23E+17"', ROUNDED],
        ['"1,23457E+17"', ROUNDED],
        ['"1e+21"', ROUNDED],
      ]
      for (const [written, problem] of refused)
        expect(await read(source, row, column, written), written).to.match(problem)
      for (const written of ['9007199254740991', '"9007199254740993"', '"12e5"', '"1.5"', '7']) {
        expect(await read(source, row, column, written), written).to.be.an('array')
      }
    })
  }

  it('is read out of the extended JSON of MongoDB with all its digits', async () => {
    const row = { deviceType: 'android', deviceToken: 't' }
    const [first] = (await read('parse', row, '_id', '{"$numberLong":"9007199254740993"}')) as readonly Ready[]
    expect(first!.installId).to.equal('parse-9007199254740993')
  })

  it('and an attribute of a table that is not kept is refused by its line', async () => {
    const row = { token: 't', platform: 'android', user: 'u' }
    expect(await read('csv', row, 'attributes', '"{\\"a\\":{\\"b\\":1e400}}"')).to.match(/^a\.b is too large/)
    expect(await read('csv', row, 'attributes', '{"a":9007199254740993}')).to.match(
      /^attributes\.a is an integer beyond/,
    )
    expect(await read('csv', row, 'channels', '"[9007199254740993]"')).to.match(/is an integer beyond/)
  })
})

describe('a row that is checked', () => {
  const device = { id: 'd', platform: 'android', token: 'some-token' }
  const refused: [string, Row, RegExp][] = [
    ['an identifier that is too long', { ...device, user: 'x'.repeat(300) }, /the user must be well-formed text/],
    [
      'attributes that are too large',
      { ...device, attributes: { a: 'x'.repeat(1000) } },
      /attributes has \d+ bytes as JSON, 1000 are allowed \(limits.attributes\)/,
    ],
    ['attributes with NUL', { ...device, attributes: { a: 'x\0' } }, /contain NUL/],
    [
      'too many channels',
      { ...device, channels: Array.from({ length: 101 }, (_, i) => `c${i}`) },
      /is in 101 channels/,
    ],
    ['the name of a channel that is too long', { ...device, channels: ['x'.repeat(256)] }, /longer than 255/],
    ['a token with blanks', { ...device, token: 'two words' }, /printable ASCII/],
    ['a token of Expo', { ...device, token: 'ExponentPushToken[x]' }, /only Expo can send to/],
    [
      'an endpoint that is no push service',
      { platform: 'web', token: 'https://evil.example/x', p256dh: P256DH, auth: AUTH },
      /the endpoint is refused: no push service/,
    ],
    ['an unknown environment', { ...device, environment: 'staging' }, /environment must be production or sandbox/],
  ]
  for (const [name, row, message] of refused) {
    it(`is refused for ${name}`, () => {
      expect(readRow('csv', row)).to.match(message)
    })
  }

  it('gets the same install id each time: of the service, or a digest of the token', () => {
    expect(ready('csv', device).installId).to.equal('csv-d')
    const { id: _, ...without } = device
    expect(ready('csv', without).installId)
      .to.match(/^csv-[0-9a-f]{32}$/)
      .and.to.equal(ready('csv', without).installId)
    expect(ready('csv', { ...device, id: 'ä'.repeat(300) }).installId).to.match(/^csv-[0-9a-f]{32}$/)
  })

  const times: [unknown, string | null][] = [
    ['1700000000', '2023-11-14T22:13:20.000Z'],
    [1_700_000_000_000, '2023-11-14T22:13:20.000Z'],
    ['2023-11-14 22:13:20 UTC', '2023-11-14T22:13:20.000Z'],
    [{ $date: { $numberLong: '1700000000000' } }, '2023-11-14T22:13:20.000Z'],
    [{ __type: 'Date', iso: '2023-11-14T22:13:20Z' }, '2023-11-14T22:13:20.000Z'],
    ['yesterday', null],
    [-1, null],
  ]
  for (const [value, iso] of times) {
    it(`the time ${JSON.stringify(value)} is ${iso}`, () => {
      const { lastActive } = ready('csv', { ...device, last_active: value })
      expect(lastActive === null ? null : new Date(lastActive).toISOString()).to.equal(iso)
    })
  }

  it('a token is shown without its middle', () => {
    expect(maskToken(TOKEN)).to.equal('a1a1a1…a1a1')
    expect(maskToken('https://fcm.googleapis.com/fcm/send/secret-1234')).to.equal('https://fcm.googleapis.com/…1234')
  })
})
