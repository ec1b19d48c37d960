import { generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { openApns } from '../../../../src/domain/gateways/apns/client.ts'
import type { ApnsFacts, ApnsSecret } from '../../../../src/domain/gateways/apns/credentials.ts'
import { apns } from '../../../../src/domain/gateways/apns/gateway.ts'
import { previewApns } from '../../../../src/domain/gateways/apns/payload.ts'
import type { GatewaySettings, PushMessage } from '../../../../src/domain/gateways/gateway.ts'
import { ACCEPTED } from '../../../../src/domain/gateways/send/send-each.ts'
import { Http2Failure, type Http2FailureKind, type PoolOptions } from '../../../../src/platform/http2/types.ts'
import { scriptedPool } from '../../../support/push-pool.ts'
import { sendPage } from '../../../support/send-page.ts'

const NOW = Date.UTC(2026, 5, 1, 12)
const SETTINGS: GatewaySettings = {
  apnsUrl: 'https://apns.test',
  apnsSandboxUrl: 'https://sandbox.test:2197',
  fcmUrl: 'https://fcm.test',
  fcmTokenUrl: 'https://oauth.test/token',
  hcmUrl: '',
  hcmTokenUrl: '',
  allowPrivate: false,
  ca: ['CA'],
}
const MESSAGE: PushMessage = {
  content: { notificationId: 1, title: 'T', message: 'M', background: false, ios: {}, android: {} },
  expiresAt: NOW + 3_600_000,
  replacementKey: 'r1',
}

let keys = 0
/** A key of its own for every test: tokens are shared in the process. */
function keyCredential(change: Partial<ApnsFacts> = {}): { secret: ApnsSecret; facts: ApnsFacts } {
  const p8 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'pem', type: 'pkcs8' })
  const keyId = `KEY${String(keys++).padStart(7, '0')}`
  return {
    secret: { kind: 'key', p8: p8.toString(), keyId, teamId: 'TEAM123456' },
    facts: {
      kind: 'key',
      mode: 'production',
      topics: ['com.example.app'],
      topic: 'com.example.app',
      environments: ['production', 'sandbox'],
      warnings: [],
      ...change,
    },
  }
}

const CERTIFICATE: { secret: ApnsSecret; facts: ApnsFacts } = {
  secret: { kind: 'certificate', cert: 'CERT', key: 'KEY' },
  facts: {
    kind: 'certificate',
    mode: 'production',
    topics: ['com.example.app'],
    topic: 'com.example.app',
    environments: [],
    warnings: [],
  },
}

type Answer = [status: number, reason?: string] | Http2FailureKind
interface Sent {
  origin: string
  pool: number
  path: string
  headers: Readonly<Record<string, string>>
  body: string
}

/** Pools that answer from a script, in order; the last answer repeats. */
function fakePools(...script: Answer[]) {
  const sent: Sent[] = []
  const opened: PoolOptions[] = []
  let closed = 0
  const openPool = (options: PoolOptions) => {
    const pool = opened.push(options)
    return scriptedPool(
      async ({ path, headers, body }) => {
        sent.push({ origin: options.origin, pool, path, headers, body: body.toString() })
        const answer = script.length > 1 ? script.shift()! : script[0]!
        if (typeof answer === 'string') throw new Http2Failure(answer, `it was ${answer}`)
        const [status, reason] = answer
        return { status, headers: { 'apns-id': 'ID' }, body: reason ? JSON.stringify({ reason }) : '' }
      },
      () => closed++,
    )
  }
  return { openPool, sent, opened, closed: () => closed }
}

async function send(credential: { secret: ApnsSecret; facts: ApnsFacts }, script: Answer[], recipient = {}) {
  const pools = fakePools(...script)
  const sender = openApns(credential, SETTINGS, () => NOW, pools.openPool)
  const outcome = await sender.send(sender.prepare(MESSAGE), { token: 'ABCDEF12', ...recipient })
  return { outcome, sender, ...pools }
}

describe('sending through APNs', () => {
  it('with a key carries the token, the topic and the constant headers', async () => {
    const { outcome, sent, opened } = await send(keyCredential(), [[200]])
    expect(outcome).to.deep.equal({ kind: 'accepted', providerId: 'ID' })
    expect(opened).to.deep.equal([{ origin: 'https://apns.test', ca: ['CA'] }])
    const [{ path, headers, body }] = sent as [Sent]
    expect(path).to.equal('/3/device/abcdef12')
    expect(headers).to.include({ 'apns-topic': 'com.example.app', 'apns-push-type': 'alert', 'apns-priority': '10' })
    expect(headers['authorization']).to.match(/^bearer [\w-]+\.[\w-]+\.[\w-]+$/)
    expect(JSON.parse(body)).to.have.nested.property('aps.alert.title', 'T')
  })

  it('with a certificate shows the certificate instead of a token', async () => {
    const { sent, opened } = await send(CERTIFICATE, [[200]])
    expect(opened).to.deep.equal([{ origin: 'https://apns.test', ca: ['CA'], cert: 'CERT', key: 'KEY' }])
    expect(sent[0]!.headers).not.to.have.property('authorization')
  })

  it('uses the same headers object for every recipient of a topic', async () => {
    const pools = fakePools([200])
    const sender = openApns(keyCredential(), SETTINGS, () => NOW, pools.openPool)
    const prepared = sender.prepare(MESSAGE)
    for (const topic of ['com.example.app', undefined, 'com.example.other', 'com.example.app']) {
      await sender.send(prepared, { token: 'aa', ...(topic && { topic }) })
    }
    const headers = pools.sent.map((one) => one.headers)
    expect(headers[1]).to.equal(headers[0])
    expect(headers[3]).to.equal(headers[0])
    expect(headers[2]!['apns-topic']).to.equal('com.example.other')
  })

  const hosts: [string, Partial<ApnsFacts>, 'production' | 'sandbox' | undefined, string][] = [
    ['production', {}, undefined, 'https://apns.test'],
    ['a sandbox token', {}, 'sandbox', 'https://sandbox.test:2197'],
    ['sandbox mode', { mode: 'sandbox' }, 'production', 'https://sandbox.test:2197'],
    [
      'a sandbox token and a certificate for production only',
      { environments: ['production'] },
      'sandbox',
      'https://apns.test',
    ],
  ]
  for (const [what, facts, environment, origin] of hosts) {
    it(`for ${what} goes to ${origin}`, async () => {
      const { sent } = await send(keyCredential(facts), [[200]], environment && { environment })
      expect(sent.map((one) => one.origin)).to.deep.equal([origin])
    })
  }

  it('tries a token that is unknown in one environment in the other, and tells which one worked', async () => {
    const { outcome, sent } = await send(keyCredential(), [[400, 'BadDeviceToken'], [200]])
    expect(outcome).to.deep.equal({ kind: 'accepted', providerId: 'ID', environment: 'sandbox' })
    expect(sent.map((one) => one.origin)).to.deep.equal(['https://apns.test', 'https://sandbox.test:2197'])
  })

  const worlds: [string, Answer, Answer, object][] = [
    ['unknown in both', [400, 'BadDeviceToken'], [400, 'BadDeviceToken'], { kind: 'token_suspect' }],
    ['dead in the other', [400, 'BadDeviceToken'], [410, 'Unregistered'], { kind: 'token_dead' }],
    ['perhaps delivered in the other', [400, 'BadDeviceToken'], 'uncertain', { kind: 'uncertain' }],
    ['the other is down', [400, 'BadDeviceToken'], [503, 'Shutdown'], { kind: 'token_suspect' }],
    ['the other refuses us', [400, 'BadDeviceToken'], [403, 'Forbidden'], { kind: 'token_suspect' }],
    ['key for the other', [403, 'BadEnvironmentKeyInToken'], [200], { kind: 'accepted', environment: 'sandbox' }],
    ['key for neither', [403, 'BadEnvironmentKeyIdInToken'], [400, 'BadDeviceToken'], { kind: 'config_error' }],
  ]
  for (const [what, first, second, expected] of worlds) {
    it(`in two environments: ${what}`, async () => {
      const { outcome, sent } = await send(keyCredential(), [first, second])
      expect(outcome).to.deep.include(expected)
      expect(sent).to.have.length(2)
    })
  }

  it('does not try the other environment with a certificate that does not say it works there', async () => {
    const { outcome, sent } = await send(CERTIFICATE, [[400, 'BadDeviceToken']])
    expect(outcome.kind).to.equal('token_suspect')
    expect(sent).to.have.length(1)
  })

  describe('a page', () => {
    const people = [
      { token: 'AA' },
      { token: 'not hex' },
      { token: 'bb', environment: 'sandbox' as const },
      { token: 'cc', topic: 'com.example.other' },
    ]
    const page = (answers: Answer[]) => {
      const pools = fakePools(...answers)
      const sender = openApns(keyCredential(), SETTINGS, () => NOW, pools.openPool)
      return { ...pools, sender, outcomes: () => sendPage(sender, sender.prepare(MESSAGE), people) }
    }

    it('goes to the environment and with the topic of each; a token that is not hexadecimal never leaves', async () => {
      const { outcomes, sent } = page([[200]])
      expect((await outcomes()).map((one) => one === ACCEPTED || one.kind)).to.deep.equal([
        true,
        'token_suspect',
        true,
        true,
      ])
      expect(sent.map(({ origin, path, headers }) => [origin, path, headers['apns-topic']])).to.deep.equal([
        ['https://apns.test', '/3/device/aa', 'com.example.app'],
        ['https://sandbox.test:2197', '/3/device/bb', 'com.example.app'],
        ['https://apns.test', '/3/device/cc', 'com.example.other'],
      ])
      expect(new Set(sent.map(({ headers }) => headers['authorization'])).size).to.equal(1)
    })

    it('each gets what its own answer means, and an unknown token is tried in the other environment', async () => {
      const { outcomes, sent } = page([[410, 'Unregistered'], [400, 'BadDeviceToken'], 'uncertain', [200]])
      const [first, , second, third] = await outcomes()
      expect(first).to.include({ kind: 'token_dead', reason: 'Unregistered' })
      expect(second).to.deep.equal({ kind: 'accepted', environment: 'production' })
      expect(third).to.include({ kind: 'uncertain' })
      expect(sent).to.have.length(4)
    })

    it('an expired provider token is renewed once for all', async () => {
      const expired: Answer = [403, 'ExpiredProviderToken']
      const pools = fakePools([200], expired, expired, expired, [200])
      let now = NOW
      const sender = openApns(keyCredential(), SETTINGS, () => now, pools.openPool)
      const prepared = sender.prepare(MESSAGE)
      await sender.send(prepared, { token: 'aa' })
      const first = pools.sent[0]!.headers['authorization']!
      now = Math.max(now, decodeJwt(first.slice(7)).iat! * 1000 + 30 * 60_000)
      const outcomes = await sendPage(sender, prepared, people)
      expect(outcomes.filter(({ kind }) => kind === 'accepted')).to.have.length(3)
      const tokens = pools.sent.map(({ headers }) => headers['authorization'])
      expect(tokens.slice(0, 4)).to.deep.equal([first, first, first, first])
      expect(new Set(tokens.slice(4)).size).to.equal(1)
      expect(tokens[4]).not.to.equal(first)
    })

    it('once closed nothing leaves', async () => {
      const { outcomes, sent, sender } = page([[200]])
      await sender.close()
      expect(new Set((await outcomes()).map(({ kind }) => kind))).to.deep.equal(new Set(['gateway_down']))
      expect(sent).to.deep.equal([])
    })
  })

  it('renews an expired provider token once', async () => {
    const credential = keyCredential()
    const pools = fakePools([200], [403, 'ExpiredProviderToken'], [200])
    let now = NOW
    const sender = openApns(credential, SETTINGS, () => now, pools.openPool)
    const prepared = sender.prepare(MESSAGE)
    await sender.send(prepared, { token: 'aa' })
    const issuedAt = decodeJwt(pools.sent[0]!.headers['authorization']!.slice(7)).iat! * 1000
    now = Math.max(now, issuedAt + 30 * 60_000)
    expect(await sender.send(prepared, { token: 'aa' })).to.include({ kind: 'accepted' })
    const tokens = pools.sent.map((one) => one.headers['authorization'])
    expect(tokens[1]).to.equal(tokens[0])
    expect(tokens[2]).not.to.equal(tokens[1])
  })

  it('gives up when the renewed token is expired as well', async () => {
    const { outcome, sent } = await send(keyCredential(), [[403, 'ExpiredProviderToken']])
    expect(outcome).to.include({ kind: 'config_error' })
    expect(sent.length).to.be.at.most(2)
  })

  it('moves to a new connection for a key that is unrelated to the first, once', async () => {
    const { outcome, sent, closed } = await send(keyCredential(), [[403, 'UnrelatedKeyIdInToken'], [200]])
    expect(outcome.kind).to.equal('accepted')
    expect(sent.map((one) => one.pool)).to.deep.equal([1, 2])
    expect(closed()).to.equal(1)
    const again = await send(keyCredential(), [[403, 'UnrelatedKeyIdInToken']])
    expect(again.outcome.kind).to.equal('config_error')
    expect(again.sent).to.have.length(2)
  })

  const failures: [Http2FailureKind, string, number][] = [
    ['not_processed', 'gateway_down', 4],
    ['calm', 'throttled_gateway', 4],
    ['unreachable', 'gateway_down', 1],
    ['untrusted', 'config_error', 1],
    ['rejected', 'config_error', 1],
    ['uncertain', 'uncertain', 1],
  ]
  for (const [failure, kind, tries] of failures) {
    it(`that fails as ${failure} is ${kind} after ${tries} tries`, async () => {
      const { outcome, sent } = await send(keyCredential(), [failure])
      expect(outcome).to.deep.equal({ kind, reason: `it was ${failure}` })
      expect(sent).to.have.length(tries)
    })
  }

  it('goes on after requests that were not processed', async () => {
    const { outcome } = await send(keyCredential(), ['not_processed', 'calm', 'not_processed', [200]])
    expect(outcome.kind).to.equal('accepted')
  })

  it('does not stop the lane for a topic that only a device claims', async () => {
    const claimed = await send(keyCredential(), [[400, 'TopicDisallowed']], { topic: 'com.evil' })
    expect(claimed.outcome).to.include({ kind: 'token_suspect' })
    expect((await send(keyCredential(), [[400, 'TopicDisallowed']])).outcome).to.include({ kind: 'config_error' })
  })

  it('never leaves the machine for a token that is not hexadecimal, without a topic, or with too much to say', async () => {
    const odd = await send(keyCredential(), [[200]], { token: '../x' })
    expect(odd.outcome.kind).to.equal('token_suspect')
    const { topic: _, ...facts } = keyCredential().facts
    const homeless = await send({ ...keyCredential(), facts: { ...facts, topics: [] } }, [[200]])
    expect(homeless.outcome).to.deep.include({ kind: 'payload_error', everyone: false })
    const pools = fakePools([200])
    const sender = openApns(keyCredential(), SETTINGS, () => NOW, pools.openPool)
    const large = { ...MESSAGE, content: { ...MESSAGE.content, message: 'ä'.repeat(2000) } }
    const outcome = await sender.send(sender.prepare(large), { token: 'aa' })
    expect(outcome).to.deep.include({ kind: 'payload_error', everyone: true })
    expect([...odd.sent, ...homeless.sent, ...pools.sent]).to.deep.equal([])
  })

  it('answers even when no pool can be made', async () => {
    const sender = openApns(
      CERTIFICATE,
      SETTINGS,
      () => NOW,
      () => {
        throw new Error('bad certificate')
      },
    )
    const outcome = await sender.send(sender.prepare(MESSAGE), { token: 'aa' })
    expect(outcome).to.deep.equal({ kind: 'config_error', reason: 'bad certificate' })
  })

  it('is over after close', async () => {
    const { sender, closed } = await send(keyCredential(), [[200]])
    await sender.close()
    expect(closed()).to.equal(1)
    expect(await sender.send(sender.prepare(MESSAGE), { token: 'aa' })).to.include({ kind: 'gateway_down' })
  })

  it('puts the path of a configured address in front', async () => {
    const pools = fakePools([200])
    const sender = openApns(
      keyCredential(),
      { ...SETTINGS, apnsUrl: 'https://proxy.test/apple/' },
      () => NOW,
      pools.openPool,
    )
    await sender.send(sender.prepare(MESSAGE), { token: 'aa' })
    expect(pools.sent[0]).to.include({ origin: 'https://proxy.test', path: '/apple/3/device/aa' })
  })
})

describe('probing APNs', () => {
  async function probe(credential: { secret: ApnsSecret; facts: ApnsFacts }, ...script: Answer[]) {
    const pools = fakePools(...script)
    return { findings: await openApns(credential, SETTINGS, () => NOW, pools.openPool).probe(), ...pools }
  }

  it('takes a complaint about the impossible device for the good answer', async () => {
    const { findings, sent } = await probe(keyCredential(), [400, 'BadDeviceToken'])
    expect(findings).to.deep.equal([{ level: 'ok', what: 'APNs (production) accepts the credential' }])
    expect(sent[0]!.path).to.equal('/3/device/00')
    expect(sent).to.have.length(1)
  })

  for (const reason of ['InvalidProviderToken', 'Forbidden', 'BadCertificateEnvironment', 'TopicDisallowed']) {
    it(`names a remedy for ${reason}`, async () => {
      const { findings } = await probe(keyCredential(), [403, reason])
      expect(findings[0]).to.include({ level: 'error' })
      expect(findings[0]!.remedy).to.be.a('string').and.not.contain('docs/')
    })
  }

  it('says when nothing answers', async () => {
    expect((await probe(keyCredential(), 'unreachable')).findings[0]).to.include({ level: 'error' })
  })

  it('tells how long the certificate lasts', async () => {
    const expiring = (days: number) =>
      probe({ ...CERTIFICATE, facts: { ...CERTIFICATE.facts, notAfter: NOW + days * 86_400_000 } }, [
        400,
        'BadDeviceToken',
      ])
    const levels: string[] = []
    for (const days of [90, 29, 6, 1, -1]) levels.push((await expiring(days)).findings[1]!.level)
    expect(levels).to.deep.equal(['ok', 'warning', 'warning', 'error', 'error'])
  })
})

describe('a preview for APNs', () => {
  it('counts bytes of UTF-8 and needs no network', () => {
    const preview = previewApns({ ...MESSAGE, content: { ...MESSAGE.content, title: 'ä' } })
    expect(preview.bytes).to.equal(Buffer.byteLength(JSON.stringify(preview.payload)))
    expect(preview.limit).to.equal(4096)
    expect(apns.preview(MESSAGE).headers).to.include({ 'apns-collapse-id': 'r1' })
  })
})
