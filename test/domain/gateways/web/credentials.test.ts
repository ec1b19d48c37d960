import { createECDH, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import type { CheckedCredential } from '../../../../src/domain/gateways/gateway.ts'
import { checkWeb, isSubject } from '../../../../src/domain/gateways/web/credentials.ts'
import {
  DEFAULT_SUBJECT,
  mergeWeb,
  type WebFacts,
  type WebSecret,
} from '../../../../src/domain/gateways/web/key-ring.ts'
import { inspectWeb } from '../../../../src/domain/gateways/web/probe.ts'
import { makeVapidKey, signingKeyOf } from '../../../../src/domain/gateways/web/vapid-keys.ts'

const NOW = Date.UTC(2026, 5, 1, 12)
const pair = makeVapidKey(0)
const signing = signingKeyOf(pair)
const stranger = makeVapidKey(0)

async function store(block: unknown, before?: CheckedCredential, now = NOW) {
  const checked = await checkWeb(block, now)
  if ('errors' in checked) throw new Error(JSON.stringify(checked.errors))
  const merged = mergeWeb(checked.credential, before, now)
  return { ...merged, secret: merged.secret as WebSecret, facts: merged.facts as WebFacts }
}
const errorsOf = async (block: unknown) => {
  const checked = await checkWeb(block, NOW)
  return 'errors' in checked ? checked.errors : {}
}

describe('the credential of Web Push', () => {
  it('makes a pair the first time and keeps it', async () => {
    const first = await store({ iconUrl: 'https://example.com/icon.png' })
    expect(Buffer.from(first.facts.publicKey, 'base64url')).to.have.length(65)
    expect(first.secret.keys).to.have.length(1)
    expect(first.facts).to.deep.equal({
      publicKey: first.secret.keys[0]!.publicKey,
      subject: DEFAULT_SUBJECT,
      iconUrl: 'https://example.com/icon.png',
      keys: [{ id: first.secret.keys[0]!.id, publicKey: first.facts.publicKey, createdAt: NOW }],
      warnings: [],
    })
    const again = await store({}, first, NOW + 1000)
    expect(again.secret).to.deep.equal(first.secret)
    expect(again.facts).not.to.have.property('iconUrl')
  })

  it('never shows a private key', async () => {
    const { secret, facts } = await store({})
    expect(JSON.stringify(facts)).not.to.include(secret.keys[0]!.privateKey)
  })

  it('keeps the subject until another one is given', async () => {
    const first = await store({ subject: 'mailto:push@example.org' })
    expect((await store({}, first)).facts.subject).to.equal('mailto:push@example.org')
    expect((await store({ subject: 'https://example.org/push' }, first)).facts.subject).to.equal(
      'https://example.org/push',
    )
  })

  it('rotates to a new pair and keeps the old ones for sending', async () => {
    const first = await store({})
    const second = await store({ rotate: true }, first, NOW + 1)
    const third = await store({ rotate: true }, second, NOW + 2)
    expect(third.secret.keys.map(({ createdAt }) => createdAt)).to.deep.equal([NOW + 2, NOW + 1, NOW])
    expect(third.facts.publicKey).to.equal(third.secret.keys[0]!.publicKey)
    expect(third.facts.keys.map(({ id }) => id)).to.deep.equal(third.secret.keys.map(({ id }) => id))
  })

  it('imports a pair as the current one, a known pair without doubling it', async () => {
    const { publicKey, privateKey } = pair
    const first = await store({})
    const second = await store({ vapid: { publicKey, privateKey } }, first)
    expect(second.secret.keys.map((key) => key.publicKey)).to.deep.equal([publicKey, first.facts.publicKey])
    const third = await store({ rotate: true }, second)
    const fourth = await store({ vapid: { publicKey, privateKey } }, third, NOW + 9)
    expect(fourth.secret.keys).to.have.length(3)
    expect(fourth.secret.keys[0]).to.include({ publicKey, createdAt: NOW })
  })

  const spellings: [string, { publicKey?: string; privateKey: string }][] = [
    ['base64url, as other tools print them', { publicKey: pair.publicKey, privateKey: pair.privateKey }],
    ['the private key alone', { privateKey: pair.privateKey }],
    [
      'base64 with padding',
      {
        publicKey: Buffer.from(pair.publicKey, 'base64url').toString('base64'),
        privateKey: Buffer.from(pair.privateKey, 'base64url').toString('base64'),
      },
    ],
    [
      'PEM of both',
      {
        publicKey: createPublicKey(signing).export({ type: 'spki', format: 'pem' }).toString(),
        privateKey: signing.export({ type: 'pkcs8', format: 'pem' }).toString(),
      },
    ],
    ['PEM as OpenSSL makes it', { privateKey: signing.export({ type: 'sec1', format: 'pem' }).toString() }],
    [
      'PEM out of JSON',
      { privateKey: signing.export({ type: 'pkcs8', format: 'pem' }).toString().replaceAll('\n', '\\n') },
    ],
    [
      'base64url of PKCS#8',
      { privateKey: (signing.export({ type: 'pkcs8', format: 'der' }) as Buffer).toString('base64url') },
    ],
  ]
  it('imports a private key whose leading zero another tool has left out', async () => {
    const scalar = Buffer.alloc(32, 7)
    scalar[0] = 0
    const { secret } = await store({ vapid: { privateKey: scalar.subarray(1).toString('base64url') } })
    expect(secret.keys[0]!.privateKey).to.equal(scalar.toString('base64url'))
  })

  for (const [name, vapid] of spellings) {
    it(`imports ${name}`, async () => {
      const { secret } = await store({ vapid })
      expect(secret.keys).to.deep.equal([{ ...pair, createdAt: NOW }])
    })
  }

  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' })
  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export({ type: 'pkcs8', format: 'pem' })
  const wrong: [string, unknown, string[]][] = [
    ['nothing', null, ['']],
    ['an icon that is no address', { iconUrl: 'icon.png' }, ['iconUrl']],
    ['an icon that is null', { iconUrl: null }, ['iconUrl']],
    ['a rotation that is no yes or no', { rotate: 'yes' }, ['rotate']],
    ['a rotation and an import', { rotate: true, vapid: { privateKey: pair.privateKey } }, ['rotate']],
    ['a pair without its private half', { vapid: { publicKey: pair.publicKey } }, ['vapid.privateKey']],
    ['halves of two pairs', { vapid: { ...pair, publicKey: stranger.publicKey } }, ['vapid.publicKey']],
    ['a public key that is short', { vapid: { ...pair, publicKey: 'BAAA' } }, ['vapid.publicKey']],
    ['a private key that is short', { vapid: { privateKey: 'AAAA' } }, ['vapid.privateKey']],
    ['a private key of zeros', { vapid: { privateKey: 'A'.repeat(43) } }, ['vapid.privateKey']],
    ['an RSA key', { vapid: { privateKey: String(rsa) } }, ['vapid.privateKey']],
    ['a key of another curve', { vapid: { privateKey: String(p384) } }, ['vapid.privateKey']],
    ['a subject that is refused', { subject: 'mailto: <a@b>', iconUrl: 1 }, ['iconUrl', 'subject']],
  ]
  for (const [name, block, keys] of wrong) {
    it(`refuses ${name}`, async () => {
      expect(Object.keys(await errorsOf(block)).sort()).to.deep.equal(keys)
    })
  }

  const subjects: [string, boolean][] = [
    ['mailto:push@example.com', true],
    ['mailto:a.b+c@sub.example.co.uk', true],
    ['https://example.com', true],
    ['https://example.com/contact?x=1', true],
    [DEFAULT_SUBJECT, true],
    ['mailto: push@example.com', false],
    ['mailto:<push@example.com>', false],
    ['mailto:push', false],
    ['mailto:push@localhost', false],
    ['https://localhost', false],
    ['https://app.localhost', false],
    ['https://127.0.0.1', false],
    ['https://user@example.com', false],
    ['http://example.com', false],
    ['push@example.com', false],
    ['mailto:push@exämple.com', false],
  ]
  for (const [subject, ok] of subjects) {
    it(`${ok ? 'takes' : 'refuses'} the subject ${subject}`, () => expect(isSubject(subject)).to.equal(ok))
  }

  it('keeps a key whose number begins with zeros whole', () => {
    const scalar = Buffer.concat([Buffer.alloc(31), Buffer.of(5)])
    const short = createECDH('prime256v1')
    short.setPrivateKey(scalar)
    const key = { ...pair, publicKey: short.getPublicKey('base64url'), privateKey: scalar.toString('base64url') }
    expect(createPrivateKey(signingKeyOf(key).export({ type: 'pkcs8', format: 'pem' })).type).to.equal('private')
  })

  it('is looked at without asking anybody', async () => {
    const { secret, facts } = await store({})
    expect(inspectWeb(secret, facts).map(({ level }) => level)).to.deep.equal(['ok', 'warning'])
    const own = await store({ subject: 'mailto:push@example.org', rotate: true }, { secret, facts, sendable: true })
    const findings = inspectWeb(own.secret, own.facts)
    expect(findings.map(({ level }) => level)).to.deep.equal(['ok', 'ok'])
    expect(findings[0]!.what).to.include('1 more')
    const broken = { ...secret, keys: [{ ...secret.keys[0]!, privateKey: stranger.privateKey }] }
    expect(inspectWeb(broken, facts)[0]).to.include({ level: 'error' })
  })
})
