import { generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import { type ApnsFacts, type ApnsSecret, checkApns } from '../../../../src/domain/gateways/apns/credentials.ts'
import { makeCertificate, makeP12, otherKey, STANDARD } from './certificates.ts'
import { P12_FILES, PASSWORD } from './p12-files.ts'

const NOW = Date.UTC(2026, 5, 1)
const p8 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'pem', type: 'pkcs8' })
const KEY = {
  p8: p8.toString(),
  keyId: 'ABCDE12345',
  teamId: 'TEAM123456',
  topic: 'com.example.app',
  mode: 'production',
}

async function accepted(block: unknown) {
  const result = await checkApns(block, NOW)
  if ('errors' in result) throw new Error(JSON.stringify(result.errors))
  return {
    ...result.credential,
    facts: result.credential.facts as ApnsFacts,
    secret: result.credential.secret as ApnsSecret,
  }
}

async function refused(block: unknown) {
  const result = await checkApns(block, NOW)
  return 'errors' in result ? result.errors : {}
}

describe('an ios block with a certificate', () => {
  const block = { p12: makeP12(), password: 'secret', mode: 'production' }

  it('is accepted, and its facts come from the certificate', async () => {
    const { secret, facts, sendable } = await accepted({ ...block, somethingElse: 1 })
    expect(sendable).to.equal(true)
    expect(facts).to.deep.include({
      kind: 'certificate',
      mode: 'production',
      topics: ['com.example.app', 'com.example.app.voip'],
      topic: 'com.example.app',
      environments: ['production', 'sandbox'],
      notAfter: Date.UTC(2027, 0, 31),
      warnings: [],
    })
    expect(secret.kind === 'certificate' && secret.cert).to.match(/^-----BEGIN CERTIFICATE-----/)
    expect(secret.kind === 'certificate' && secret.key).to.match(/^-----BEGIN PRIVATE KEY-----/)
    expect(JSON.stringify(facts)).not.to.contain('PRIVATE')
  })

  it('may be wrapped over several lines of base64', async () => {
    const lines = block.p12.replace(/(.{64})/g, '$1\r\n')
    expect((await accepted({ ...block, p12: lines })).sendable).to.equal(true)
  })

  it('opens as old tools export it and with an elliptic key', async () => {
    for (const p12 of [P12_FILES.legacy, P12_FILES.aes]) {
      const { facts } = await accepted({ p12, password: PASSWORD, mode: 'sandbox' })
      expect(facts.warnings.join()).to.contain('not issued by Apple').and.to.contain('does not name its environment')
    }
  })

  it('works without a password when the file has an empty one', async () => {
    expect((await accepted({ p12: P12_FILES.emptyPassword, mode: 'sandbox' })).facts.topic).to.equal('com.example.ec')
  })

  const rows: [string, unknown, string, RegExp][] = [
    ['a wrong password', { ...block, password: 'wrong' }, 'password', /does not open/],
    ['no password', { p12: block.p12, mode: 'production' }, 'password', /is required/],
    ['a password that is a number', { ...block, password: 7 }, 'password', /must be a string/],
    ['no mode', { p12: block.p12, password: 'secret' }, 'mode', /is required/],
    ['an unknown mode', { ...block, mode: 'live' }, 'mode', /must be one of/],
    ['a mode of null', { ...block, mode: null }, 'mode', /./],
    ['neither p12 nor p8', { mode: 'sandbox' }, 'p12', /is required/],
    ['a p12 that is an object', { ...block, p12: {} }, 'p12', /must be a string/],
    ['a p12 of null', { ...block, p12: null }, 'p12', /./],
    ['an empty p12', { ...block, p12: '' }, 'p12', /must not be empty/],
    ['a p12 that is not base64', { ...block, p12: '***' }, 'p12', /must be base64/],
    ['PEM instead of p12', { ...block, p12: '-----BEGIN CERTIFICATE-----' }, 'p12', /not PEM/],
    ['PEM in base64', { ...block, p12: btoa('-----BEGIN CERTIFICATE-----') }, 'p12', /not PEM/],
    ['garbage', { ...block, p12: 'Z2FyYmFnZQ==' }, 'p12', /PKCS#12/],
    ['RC4', { ...block, p12: P12_FILES.rc4, password: PASSWORD }, 'p12', /RC4.*export it again/],
    ['more than 64 KiB', { ...block, p12: Buffer.alloc(64 * 1024 + 1).toString('base64') }, 'p12', /64 KiB/],
    ['a file without a key', { ...block, p12: makeP12({ key: null }) }, 'p12', /no private key/],
    ['a file without a certificate', { ...block, p12: makeP12({ certificate: null }) }, 'p12', /no certificate/],
    ['a key of another certificate', { ...block, p12: makeP12({ key: otherKey }) }, 'p12', /does not belong/],
    [
      'an expired certificate',
      { ...block, p12: makeP12({ certificate: makeCertificate({ ...STANDARD, notAfter: NOW - 1000 }) }) },
      'p12',
      /expired on 2026-05-31/,
    ],
    [
      'a development certificate in production',
      { ...block, p12: makeP12({ certificate: makeCertificate({ sandbox: true }) }) },
      'mode',
      /must be sandbox/,
    ],
    [
      'a production certificate in the sandbox',
      { ...block, mode: 'sandbox', p12: makeP12({ certificate: makeCertificate({ production: true }) }) },
      'mode',
      /must be production/,
    ],
    ['both kinds of credential', { ...KEY, p12: block.p12, password: 'secret' }, 'p8', /together/],
  ]
  for (const [what, wrong, key, message] of rows) {
    it(`is refused for ${what}, under ${key}`, async () => {
      const errors = await refused(wrong)
      expect(Object.keys(errors)).to.deep.equal([key])
      expect(errors[key]!.join()).to.match(message)
    })
  }

  it('has every wrong field named at once', async () => {
    expect(await refused({ p12: 'Z2FyYmFnZQ==', password: 'x' })).to.have.all.keys('mode', 'p12')
    expect(await refused({ p12: 5, password: [], mode: 1, keyId: 2 })).to.have.all.keys(
      'mode',
      'p12',
      'password',
      'keyId',
    )
  })

  describe('whose file holds several certificates', () => {
    const LATER = Date.UTC(2030, 0, 1)
    const END = Date.UTC(2027, 0, 31)
    const signing = makeCertificate({ userId: 'TEAM123456', notAfter: LATER })
    const push = makeCertificate(STANDARD)
    const older = makeCertificate({ ...STANDARD, notAfter: NOW + 86_400_000 })
    const development = makeCertificate({ userId: 'com.example.app', sandbox: true, notAfter: LATER })
    const other = makeCertificate({ userId: 'com.example.other', topics: ['com.example.other'], production: true })
    const website = makeCertificate({ userId: 'web.com.example', production: true, notAfter: LATER })
    const of = (...certificate: ReturnType<typeof makeCertificate>[]) => ({ ...block, p12: makeP12({ certificate }) })

    const taken: [string, object, string, number][] = [
      ['the push certificate, not the one that expires last', of(signing, push), 'com.example.app', END],
      ['in any order', of(push, signing), 'com.example.app', END],
      ['the newer of two', of(older, push, signing), 'com.example.app', END],
      ['the one for the mode', of(development, push), 'com.example.app', END],
      ['the one of an app, not of a website', of(website, push), 'com.example.app', END],
      [
        'the one of the topic',
        { ...of(push, other), topic: 'com.example.other' },
        'com.example.other',
        other.validity.notAfter.getTime(),
      ],
      [
        "the one of the topic's app",
        { ...of(push, other), topic: 'com.example.app.voip' },
        'com.example.app.voip',
        END,
      ],
    ]
    for (const [what, given, topic, notAfter] of taken) {
      it(`takes ${what}`, async () => {
        const { facts } = await accepted(given)
        expect([facts.topic, facts.notAfter]).to.deep.equal([topic, notAfter])
        expect(facts.warnings.join()).to.match(/the push certificate that expires on 20\d\d-\d\d-\d\d is used/)
      })
    }

    const unfit: [string, object, RegExp][] = [
      [
        'none is for push',
        of(signing, makeCertificate({ userId: 'com.example.app' })),
        /2 certificates with keys, and none/,
      ],
      ['two apps fit', of(push, other), /com\.example\.app and com\.example\.other.*topic/],
      ['no topic fits', { ...of(push, other), topic: 'com.example.third' }, /which does not fit/],
      ['only a website fits', of(signing, website), /web\.com\.example, which does not fit/],
    ]
    for (const [what, given, message] of unfit) {
      it(`is refused when ${what}`, async () => {
        const errors = await refused(given)
        expect(Object.keys(errors)).to.deep.equal(['p12'])
        expect(errors.p12!.join()).to.match(message)
      })
    }
  })

  it('that is no object is refused as a whole', async () => {
    for (const wrong of [null, 5, 'x', [], undefined]) expect(await refused(wrong)).to.have.all.keys('')
  })

  it('is warned about when it is for websites, from somebody else or not valid yet', async () => {
    const certificate = makeCertificate({ userId: 'web.com.example', issuer: 'Somebody', notBefore: NOW + 86_400_000 })
    const { facts } = await accepted({ ...block, p12: makeP12({ certificate }) })
    expect(facts.warnings.join()).to.match(/not issued by Apple.*not valid before.*website/)
  })
})

describe('an ios block with a key', () => {
  it('is accepted and works in both environments', async () => {
    const { secret, facts } = await accepted(KEY)
    expect(secret).to.deep.include({ kind: 'key', keyId: 'ABCDE12345', teamId: 'TEAM123456' })
    expect(facts).to.deep.equal({
      kind: 'key',
      mode: 'production',
      topics: ['com.example.app'],
      topic: 'com.example.app',
      environments: ['production', 'sandbox'],
      keyId: 'ABCDE12345',
      teamId: 'TEAM123456',
      warnings: [],
    })
  })

  it('may have its line ends written as a backslash and an n', async () => {
    expect((await accepted({ ...KEY, p8: KEY.p8.replaceAll('\n', '\\n') })).sendable).to.equal(true)
  })

  it('is warned about without a topic', async () => {
    const { topic: _, ...rest } = KEY
    expect((await accepted(rest)).facts.warnings).to.have.length(1)
  })

  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export({ format: 'pem', type: 'pkcs8' })
  const rows: [string, Record<string, unknown>, string][] = [
    ['a key id of the wrong length', { keyId: 'ABC' }, 'keyId'],
    ['no key id', { keyId: undefined }, 'keyId'],
    ['no team id', { teamId: undefined }, 'teamId'],
    ['a team id in small letters', { teamId: 'team123456' }, 'teamId'],
    ['a topic with a blank', { topic: 'com example' }, 'topic'],
    ['text that is no key', { p8: 'hello' }, 'p8'],
    ['a key on another curve', { p8: p384.toString() }, 'p8'],
    ['a number as key', { p8: 1 }, 'p8'],
    ['no mode', { mode: undefined }, 'mode'],
  ]
  for (const [what, change, key] of rows) {
    it(`is refused for ${what}`, async () => {
      expect(Object.keys(await refused({ ...KEY, ...change }))).to.deep.equal([key])
    })
  }
})
