import { expect } from 'chai'
import { readTokenRegistration } from '../../../src/domain/crm/tokens.ts'
import { isAppError } from '../../../src/platform/errors.ts'

const HEX = 'AB01'.repeat(16)
const P256DH = Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 7)]).toString('base64url')
const AUTH = Buffer.alloc(16, 9).toString('base64url')
const SUBSCRIPTION = {
  endpoint: 'https://push.example.com/send/abc',
  expirationTime: null,
  keys: { p256dh: P256DH, auth: AUTH },
}

function fieldsOf(data: unknown): string[] {
  try {
    readTokenRegistration(data)
  } catch (error) {
    if (isAppError(error)) return Object.keys(error.details.fields ?? {})
    throw error
  }
  return []
}

describe('a token registration', () => {
  it('of an iPhone is production, in lower-case hex, with the bundle id as topic', () => {
    expect(readTokenRegistration({ token: HEX, type: 1, iosTokenType: 1, bundleId: 'com.example.app' })).to.deep.equal({
      platform: 1,
      token: HEX.toLowerCase(),
      keys: null,
      topic: 'com.example.app',
      environment: 'production',
      notificationsEnabled: undefined,
    })
  })

  it('has no topic when the bundle id is none: it would be a header that cannot be sent', () => {
    for (const bundleId of ['x\r\napns-priority: 1', 'ünï', 'a b', '', 5.5e30, null, {}, '日本']) {
      expect(readTokenRegistration({ token: HEX, type: 1, bundleId }).topic).to.equal(null)
    }
  })

  for (const [type, environment] of [
    [1, 'production'],
    [2, 'sandbox'],
    ['2', 'sandbox'],
    [3, 'production'],
    [4, 'production'],
    [-2, 'production'],
    [{}, 'production'],
    [undefined, 'production'],
  ] as const) {
    it(`of an iPhone with iosTokenType ${JSON.stringify(type)} is for ${environment}`, () => {
      expect(readTokenRegistration({ token: HEX, type: 1, iosTokenType: type })).to.include({
        environment,
        topic: null,
      })
    })
  }

  it('may show the token as old apps printed it', () => {
    expect(readTokenRegistration({ token: '<740f4707 bebcf74f 740f4707 bebcf74f>', type: 1 }).token).to.equal(
      '740f4707bebcf74f740f4707bebcf74f',
    )
  })

  it('of Android takes the type as text, and says whether notifications are on', () => {
    expect(
      readTokenRegistration({ token: 'fcm:Token-1', type: '2', package: 'p', areNotificationsEnabled: false }),
    ).to.deep.equal({
      platform: 2,
      token: 'fcm:Token-1',
      keys: null,
      topic: null,
      environment: null,
      notificationsEnabled: false,
    })
  })

  it('of a browser keeps the endpoint as the token and the keys beside it', () => {
    const read = readTokenRegistration({ token: { ...SUBSCRIPTION, expirationTime: '1790000000000' }, type: 3 })
    expect(read).to.include({ platform: 3, token: SUBSCRIPTION.endpoint, topic: null, environment: null })
    expect(JSON.parse(read.keys!)).to.deep.equal({ keys: SUBSCRIPTION.keys, expirationTime: 1790000000000 })
  })

  for (const [said, kept] of [
    [true, true],
    ['true', true],
    [1, true],
    ['yes', undefined],
    [false, undefined],
    [null, undefined],
    [{}, undefined],
  ] as const) {
    it(`of a browser ${kept ? 'keeps' : 'keeps not'} that it reads declarative pushes: ${JSON.stringify(said)}`, () => {
      const { keys } = readTokenRegistration({ token: SUBSCRIPTION, type: 3, declarative: said })
      expect((JSON.parse(keys!) as { declarative?: boolean }).declarative).to.equal(kept)
    })
  }

  it('of Safari is in lower-case hex, with the website push id as topic, and means that notifications are allowed', () => {
    expect(readTokenRegistration({ token: HEX, type: 4, bundleId: 'web.com.example' })).to.include({
      token: HEX.toLowerCase(),
      topic: 'web.com.example',
      environment: null,
      notificationsEnabled: true,
    })
  })

  const wrong: [string, unknown, string[]][] = [
    ['nothing', undefined, ['type']],
    ['no type', { token: HEX }, ['type']],
    [
      'a word that may be a no',
      { token: 't', type: 2, areNotificationsEnabled: 'denied' },
      ['areNotificationsEnabled'],
    ],
    ['an unknown type', { token: HEX, type: 6 }, ['type']],
    ['a type below all', { token: HEX, type: '-1' }, ['type']],
    ['type 0', { token: HEX, type: 0 }, ['type']],
    ['a type in words', { token: HEX, type: 'ios' }, ['type']],
    ['no token', { type: 2 }, ['token']],
    ['an empty token', { type: 2, token: '' }, ['token']],
    ['a token that is no hex', { type: 1, token: 'hello' }, ['token']],
    ['a token of Safari that is no hex', { type: 4, token: 'hello' }, ['token']],
    ['a token with a NUL', { type: 2, token: 'a\0b' }, ['token']],
    ['a token beyond what is indexed', { type: 5, token: 'x'.repeat(2049) }, ['token']],
    ['text for a browser', { type: 3, token: 'x' }, ['token']],
    ['an empty subscription', { type: 3, token: {} }, ['token.endpoint', 'token.keys.p256dh', 'token.keys.auth']],
    [
      'an endpoint without TLS',
      { type: 3, token: { ...SUBSCRIPTION, endpoint: 'http://push.example.com/' } },
      ['token.endpoint'],
    ],
    [
      'an endpoint with a password',
      { type: 3, token: { ...SUBSCRIPTION, endpoint: 'https://a:b@push.example.com/' } },
      ['token.endpoint'],
    ],
    [
      'a compressed point',
      { type: 3, token: { ...SUBSCRIPTION, keys: { p256dh: Buffer.alloc(33, 2).toString('base64url'), auth: AUTH } } },
      ['token.keys.p256dh'],
    ],
  ]
  for (const [what, data, fields] of wrong) {
    it(`with ${what} is refused, naming ${fields.join(', ')}`, () => {
      expect(fieldsOf(data)).to.deep.equal(fields)
    })
  }
})
