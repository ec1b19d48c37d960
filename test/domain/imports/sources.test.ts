import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect } from 'chai'
import { checkCandidate } from '../../../src/domain/imports/check.ts'
import { readExport } from '../../../src/domain/imports/read/export.ts'
import { sources } from '../../../src/domain/imports/sources/all.ts'
import { fateOfColumn, readMap } from '../../../src/domain/imports/sources/fields.ts'
import { maskToken } from '../../../src/domain/imports/survey.ts'
import type { Candidate, Ready, Row, SourceName, SourceOptions } from '../../../src/domain/imports/types.ts'
import { collect } from '../../../src/platform/concurrency/chunks.ts'

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

/** Reads a row: returns what can be stored, or the sentence that refuses it or leaves it behind. */
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
    [['a=tokn'], '--map a=tokn: there is no field tokn (did you mean token?)'],
    [['a=last_active:hours'], 'there is no unit hours: numbers count seconds, milliseconds, microseconds since 1970'],
    [['a=user:seconds'], 'there is no field user:seconds'],
    [['a=user', 'a=token'], '--map names the column a twice'],
  ]
  for (const [pairs, message] of wrongMaps) {
    it(`--map ${pairs.join(' ')} is refused`, () => {
      expect(() => readMap(pairs)).to.throw(message)
    })
  }

  /** The rows of a file with these contents, as `readFile` says them, or why it is refused. */
  async function readText(source: SourceName, text: string | Buffer, map: string[] = []): Promise<string[]> {
    try {
      const rows = await collect(
        readExport({
          files: [{ name: 'file', open: async () => Readable.from([Buffer.from(text as string)]) }],
          source: sources[source],
          options: { ...OPTIONS, map: readMap(map) },
          rules: rules(source),
        }),
      )
      return rows.map((row) => {
        const what = 'left' in row ? `left: ${row.left}` : 'problem' in row ? row.problem : row.ready[0]!.identifier
        return `${row.line} ${what}`
      })
    } catch (error) {
      const { message, details } = error as { message: string; details?: { fields?: Record<string, string[]> } }
      return [Object.values(details?.fields ?? {})[0]?.[0] ?? message]
    }
  }

  it('a column inside of objects is named by its path', async () => {
    const row = { a: { b: { c: 'kim' } }, devices: [{ os: 'android', push: { token: 'some-token' } }], 'x.y': 'Oslo' }
    const map = ['a.b.c=user', 'devices.0.push.token=token', 'devices.0.os=platform', 'x.y=attr:city']
    const [read] = await collect(
      readExport({
        files: [{ name: 'file', open: async () => Readable.from([Buffer.from(JSON.stringify(row))]) }],
        source: sources.csv,
        options: { ...OPTIONS, map: readMap(map) },
        rules: rules('csv'),
      }),
    )
    expect(read)
      .to.have.nested.property('ready[0]')
      .that.deep.include({
        identifier: 'kim',
        platform: 'android',
        attributes: { city: 'Oslo' },
      })
    const cells = 'who,data\nkim,"{""push"":{""token"":""t""},""os"":""fcm""}"\n'
    expect(await readText('csv', cells, ['who=user', 'data.push.token=token', 'data.os=platform'])).to.deep.equal([
      '2 kim',
    ])
    expect(fateOfColumn('a', { ...OPTIONS, map: readMap(map) })).to.equal('b.c: user')
  })

  it('what --map says goes before columns that have the name of a field', async () => {
    const text = 'user,who\nanna,kim\n'
    expect(await readText('csv', text, ['who=user'])).to.deep.equal(['2 kim'])
  })

  it('a mapped column that no row of JSON has is refused with those that are there', async () => {
    for (const text of ['{"user":"kim","os":{"name":"x"}}\n{"user":"lea"}', '[{"user":"kim","os":{"name":"x"}}]']) {
      expect(await readText('csv', text, ['usr=user'])).to.deep.equal([
        'names usr (did you mean user?), but the columns are user, os, os.name',
      ])
      expect(await readText('csv', text, ['os.nam=attr:os'])).to.deep.equal([
        'names os.nam (did you mean os.name?), but the columns are user, os, os.name',
      ])
      expect(await readText('csv', text, ['os.name=attr:os'])).to.include('1 kim')
    }
  })

  it('an id with NUL is refused, because without it the id would be another one', async () => {
    expect(await readText('csv', '{"user":"a\\u0000b"}\n{"user":"a\\\\u0000b"}')).to.deep.equal([
      '1 contains a NUL character, which cannot be stored',
      '2 a\\u0000b',
    ])
  })

  describe('the CSV of Firebase, which has no header,', () => {
    /** A row of auth:export with this name, and as many columns as this version of the tool writes. */
    const account = (id: string, name = '', { columns = 28, disabled = 'false', claims = '' } = {}) =>
      `${[id, `${id}@example.com`, 'true', '', '', name, ...Array(17).fill(''), '1682935200000', '', '', disabled, claims].slice(0, columns).join(',')},`

    it('is read whatever the version of the tool', async () => {
      for (const columns of [25, 26, 27, 28]) {
        const text = `${account('a', '', { columns })}\r\n${account('b', '"Otto, the second"', { columns })}\r\n`
        expect(await readText('firebase', text), `${columns}`).to.deep.equal(['1 a', '2 b'])
      }
    })

    it('has the width of most of its rows, whichever come first', async () => {
      const [narrow, wide] = [25, 28].map((columns) => (id: string) => account(id, '', { columns }))
      for (const [rows, refused] of [
        [[narrow!('a'), wide!('b'), wide!('c')], '1 has 26 cells, but the rows of this export have 29'],
        [[wide!('a'), narrow!('b'), narrow!('c')], '1 has 29 cells, but the rows of this export have 26'],
      ] as const) {
        expect(await readText('firebase', rows.join('\n'))).to.deep.equal([refused, '2 b', '3 c'])
      }
    })

    it('refuses both halves of a row whose name has a line break', async () => {
      const text = [account('a'), account('b', 'Bob\nSmith', { disabled: 'true' }), account('c')].join('\n')
      expect(await readText('firebase', text)).to.deep.equal([
        '1 a',
        '2 has 6 cells, but the rows of this export have 29',
        '3 has 24 cells, but the rows of this export have 29',
        '4 c',
      ])
    })

    it('is known by its other rows when the first is broken', async () => {
      for (const first of ['Bob', account('a', 'Bob\nSmith'), account('a', '"Bob'), '']) {
        const read = await readText('firebase', `${first}\n${account('c')}\n`)
        expect(read.at(-1), first).to.match(/^\d c$/)
        expect(read.slice(0, -1).join(), first).to.not.match(/\d [ab]$/)
      }
    })

    it('an open quote ends with its line, and the next account is read as it is', async () => {
      const text = [account('a', '"Bob'), account('b', '"x, y"', { disabled: 'true' }), account('c')].join('\n')
      expect(await readText('firebase', text)).to.deep.equal([
        '1 has a quote that is never closed',
        '2 left: disabled accounts',
        '3 c',
      ])
    })

    it('quotes in names without a comma are part of them, and claims may have quotes', async () => {
      const claims = '"{""plan"":""pro, yearly""}"'
      const text = [account('a', 'Bob "the" Smith'), account('b', '', { claims })].join('\n')
      expect(await readText('firebase', text)).to.deep.equal(['1 a', '2 b'])
    })

    const wrong: [what: string, row: string, problem: RegExp][] = [
      ['a shifted row', account('b').replace(',true,', ',x,'), /neither true nor false for emailVerified/],
      ['a word for disabled', account('b', '', { disabled: 'maybe' }), /neither true nor false for disabled/],
      ['no id', account('').replace('@example.com', ''), /has no localId/],
      ['a time that is none', account('b').replace('1682935200000', 'soon'), /createdAt \(cell 24\) is not a number/],
      ['a comma that is not quoted', account('b', 'x,y'), /has 30 cells/],
      ['NUL', account('b\0'), /NUL/],
      ['a CR', account('b', 'x\ry'), /lines end with LF or CRLF/],
    ]
    for (const [what, row, problem] of wrong) {
      it(`refuses ${what}, and reads the others`, async () => {
        const [first, second, third] = await readText('firebase', [account('a'), row, account('c')].join('\n'))
        expect([first, third]).to.deep.equal(['1 a', '3 c'])
        expect(second).to.match(/^2 /).and.to.match(problem)
      })
    }

    it('whose lines end with CR alone says so', async () => {
      expect(await readText('firebase', `${account('a')}\r${account('b')}\r`)).to.deep.equal([
        'the first line contains a carriage return: lines end with LF or CRLF',
      ])
    })

    it('takes no --map for what it has by its place', async () => {
      const [read] = await readText('firebase', account('a'), ['email=-'])
      expect(read).to.include('--map cannot change what becomes of its email')
    })
  })

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
    ['onesignal', 'external_user_id', { id: 'p', identifier: 't', device_type: 1, notification_types: 1 }],
    ['onesignal', 'id', { identifier: 't', device_type: 1, notification_types: 1 }],
    ['parse', 'installationId', { objectId: 'o', deviceType: 'android' }],
    ['parse', 'objectId', { deviceType: 'android' }],
    ['parse', 'user', { objectId: 'o', deviceType: 'android' }],
    ['airship', 'named_user_id', { channel_id: 'c', device_type: 'android', opt_in: true }],
    ['airship', 'channel_id', { device_type: 'android', opt_in: true }],
    ['pinpoint', 'Id', { ChannelType: 'GCM', Address: 't', OptOut: 'NONE' }],
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
        // About ids alone: these rows say nothing of consent.
        options: { ...OPTIONS, assumeSubscribed: true },
        rules: rules(source),
      }),
    )
    return 'problem' in found! ? found.problem : 'ready' in found! ? found.ready : 'left'
  }

  it('of 16 digits is a tag that stays text, also where --numbers makes numbers', () => {
    const tags = { a: '9007199254740993', b: '-999999999999999', c: '0.12345678901234', d: '1234567890.123456' }
    const row = { id: 'o', device_type: 1, identifier: 't', notification_types: 1, tags }
    const converted = sources.onesignal.convert(row, { ...OPTIONS, numbers: true })
    expect('found' in converted && converted.found[0]!.attributes).to.deep.equal({
      a: '9007199254740993',
      b: -999_999_999_999_999,
      c: 0.12345678901234,
      d: '1234567890.123456',
    })
    const Metrics = { total: '9007199254740993' }
    const endpoint = sources.pinpoint.convert({ Id: 'e', ChannelType: 'GCM', Address: 't', Metrics }, OPTIONS)
    expect('found' in endpoint && endpoint.found[0]!.attributes).to.deep.equal(Metrics)
  })

  it('of a device type in capitals is that type', () => {
    const types: [SourceName, Row][] = [
      ['airship', { channel_id: 'c', device_type: 'IOS', push_address: 't', opt_in: true }],
      ['parse', { objectId: 'o', deviceType: 'iOS', deviceToken: 't' }],
    ]
    for (const [source, row] of types) {
      const converted = sources[source].convert(row, OPTIONS)
      expect('found' in converted && converted.found[0]!.platform, source).to.equal('ios')
    }
  })

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

  const times: [value: unknown, is: string | null, field?: string][] = [
    ['1700000000', '2023-11-14T22:13:20.000Z', 'last_active:seconds'],
    [1_700_000_000_000, '2023-11-14T22:13:20.000Z', 'last_active:ms'],
    [1_700_000_000, '1970-01-20T16:13:20.000Z', 'last_active:milliseconds'],
    ['2023-11-14 22:13:20 UTC', '2023-11-14T22:13:20.000Z'],
    ['Tue Nov 14 2023 22:13:20 GMT+0000 (Coordinated Universal Time)', '2023-11-14T22:13:20.000Z'],
    ['20231114', '2023-11-14T00:00:00.000Z'],
    [{ $date: { $numberLong: '1700000000000' } }, '2023-11-14T22:13:20.000Z'],
    [{ $date: { $numberLong: '-1700000000000' } }, '1916-02-18T01:46:40.000Z'],
    [{ $date: -1_700_000_000_000 }, '1916-02-18T01:46:40.000Z'],
    [{ __type: 'Date', iso: '2023-11-14T22:13:20Z' }, '2023-11-14T22:13:20.000Z'],
    [{ _seconds: 1_700_000_000, _nanoseconds: 0 }, '2023-11-14T22:13:20.000Z'],
    ['', null],
    [null, null],
    ['yesterday', 'seen is not a date that can be read: "yesterday" (2026-03-01T08:00:00Z can)'],
    ['2023-02-30', 'seen is not a date that can be read: "2023-02-30" (2026-03-01T08:00:00Z can)'],
    [
      -1,
      'seen is the number -1, and nothing says whether it counts seconds or milliseconds: say --map seen=last_active:seconds or last_active:milliseconds',
    ],
    [
      1_700_000_000_000,
      'seen is not a date: 1700000000000 seconds since 1970 are outside of the years 0001 to 9999',
      'last_active:s',
    ],
  ]
  for (const [value, is, field = 'last_active'] of times) {
    it(`with the time ${JSON.stringify(value)} as ${field} gives ${is}`, () => {
      const read = readRow('csv', { ...device, seen: value }, { map: readMap([`seen=${field}`]) })
      const shown = typeof read === 'string' ? read : read.lastActive && new Date(read.lastActive).toISOString()
      expect(shown).to.equal(is)
    })
  }

  it('is refused for a date that cannot be read, whatever the service', () => {
    const wrong: [SourceName, Row, string][] = [
      ['onesignal', { id: 'p', identifier: 'token', device_type: '1', last_active: 'soon' }, 'last_active'],
      ['parse', { objectId: 'x', deviceType: 'android', deviceToken: 'token', _updated_at: 'soon' }, '_updated_at'],
      ['parse', { objectId: 'x', username: 'x', createdAt: 1_700_000_000 }, 'createdAt'],
      ['airship', { channel_id: 'x', device_type: 'android', created: 'soon' }, 'created'],
      ['firebase', { localId: 'x', createdAt: 'soon' }, 'createdAt'],
      ['firebase', { uid: 'x', token: 'token', updatedAt: 'soon' }, 'updatedAt'],
      ['expo', { type: 'android', data: 'token', updated_at: 'soon' }, 'updated_at'],
    ]
    for (const [source, row, column] of wrong) {
      expect(readRow(source, row), source).to.match(new RegExp(`^${column} is (not a date|the number)`))
    }
  })

  it('of MongoDB or Parse keeps its values at every depth', () => {
    const row = {
      _id: { $oid: '507f1f77bcf86cd799439011' },
      username: 'maria',
      age: { $numberInt: '33' },
      born: { $date: { $numberLong: '-2208988800000' } },
      past: [{ at: { __type: 'Date', iso: '2020-01-01T00:00:00.000Z' }, n: { $numberLong: '5' } }],
    }
    const { identifier, attributes } = ready('parse', row)
    expect(identifier).to.equal('507f1f77bcf86cd799439011')
    expect(attributes).to.deep.equal({
      username: 'maria',
      age: 33,
      born: '1900-01-01T00:00:00.000Z',
      past: [{ at: '2020-01-01T00:00:00.000Z', n: 5 }],
    })
    expect(readRow('parse', { ...row, score: { $numberDouble: 'NaN' } })).to.equal(
      'score has {"$numberDouble":"NaN"}, which JSON cannot hold',
    )
    const made = { _seconds: 1_700_000_000, _nanoseconds: 0 }
    const map = readMap(['made=attr:made'])
    expect(ready('csv', { ...device, made: { at: [made] } }, { map }).attributes).to.deep.equal({
      made: { at: ['2023-11-14T22:13:20.000Z'] },
    })
    expect(ready('csv', { ...device, attributes: '{"at":{"$date":0}}' }).attributes).to.deep.equal({
      at: '1970-01-01T00:00:00.000Z',
    })
  })

  it('a token is shown without its middle', () => {
    expect(maskToken(TOKEN)).to.equal('a1a1a1…a1a1')
    expect(maskToken('https://fcm.googleapis.com/fcm/send/secret-1234')).to.equal('https://fcm.googleapis.com/…1234')
  })
})
