import { once } from 'node:events'
import type { ClientHttp2Session, OutgoingHttpHeaders } from 'node:http2'
import { expect } from 'chai'
import { makeEcKey } from '../../../src/sandbox/certificates.ts'
import type { Sandbox } from '../../../src/sandbox/sandbox.ts'
import {
  apnsHeaders,
  ask,
  connect,
  connectApns,
  HELLO,
  payloadOf,
  providerToken,
  push,
  reasonOf,
  sandboxWith,
  stopAll,
  TOKEN,
  TOPIC,
} from '../senders.ts'

describe('the sandbox of APNs', () => {
  let sandbox: Sandbox
  let session: ClientHttp2Session
  before(async () => {
    sandbox = await sandboxWith()
    session = await connectApns(sandbox)
  })
  after(stopAll)
  beforeEach(() => sandbox.reset())

  it('accepts a push with the certificate, with an empty 200 that repeats the id', async () => {
    const id = 'eabeae54-14a8-11e5-b60b-1697f925ec7b'
    const reply = await push(session, { 'apns-id': id }, payloadOf(12))
    expect(reply.status).to.equal(200)
    expect(reply.body).to.equal('')
    expect(reply.headers['apns-id']).to.equal(id)
    const [received] = sandbox.received()
    expect(received).to.include({
      gateway: 'apns',
      environment: 'production',
      token: TOKEN,
      id,
      notificationId: '12',
      taken: true,
      answer: '200',
      topic: TOPIC,
    })
    expect(JSON.parse(received!.payload)).to.deep.equal(payloadOf(12))
  })

  it('makes an id when none is sent', async () => {
    const reply = await push(session)
    expect(reply.headers['apns-id']).to.match(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  })

  it('takes the topic from the certificate when none is sent', async () => {
    const { 'apns-topic': _, ...headers } = apnsHeaders()
    expect((await ask(session, headers, JSON.stringify(HELLO))).status).to.equal(200)
    expect(sandbox.received()[0]?.topic).to.equal(TOPIC)
  })

  const full = (bytes: number) => {
    const empty = JSON.stringify({ aps: { alert: '' } }).length
    return { aps: { alert: 'x'.repeat(bytes - empty) } }
  }
  const refusals: [string, number, string, OutgoingHttpHeaders, unknown?, string?][] = [
    ['a token that is not hex', 400, 'BadDeviceToken', {}, HELLO, 'zz'.repeat(32)],
    ['a token that is too short', 400, 'BadDeviceToken', {}, HELLO, 'abcd'],
    ['no token', 400, 'MissingDeviceToken', {}, HELLO, ''],
    ['another path', 404, 'BadPath', { ':path': '/4/device/x' }],
    ['PUT', 405, 'MethodNotAllowed', { ':method': 'PUT' }],
    ['an empty topic', 400, 'MissingTopic', { 'apns-topic': '' }],
    ['a topic that is none', 400, 'BadTopic', { 'apns-topic': 'com example' }],
    ['a topic that is not of the certificate', 400, 'TopicDisallowed', { 'apns-topic': 'com.other.app' }],
    ['an unknown push type', 400, 'InvalidPushType', { 'apns-push-type': 'banner' }],
    ['priority 7', 400, 'BadPriority', { 'apns-priority': '7' }],
    ['a background push at the default priority', 400, 'BadPriority', { 'apns-push-type': 'background' }],
    ['a background push at priority 10', 400, 'BadPriority', { 'apns-push-type': 'background', 'apns-priority': '10' }],
    ['an expiration that is no time', 400, 'BadExpirationDate', { 'apns-expiration': 'tomorrow' }],
    ['an expiration in milliseconds', 400, 'BadExpirationDate', { 'apns-expiration': '1700000000000' }],
    ['a collapse id of 65 bytes', 400, 'BadCollapseId', { 'apns-collapse-id': 'c'.repeat(65) }],
    ['an id that is no UUID', 400, 'BadMessageId', { 'apns-id': '12' }],
    ['a payload of 4097 bytes', 413, 'PayloadTooLarge', {}, full(4097)],
    ['an empty object', 400, 'PayloadEmpty', {}, {}],
    ['a payload that is a list', 400, 'BadPayload', {}, []],
  ]
  for (const [what, status, reason, headers, payload = HELLO, token = TOKEN] of refusals) {
    it(`answers ${reason} to ${what}`, async () => {
      const reply = await push(session, headers, payload, token)
      expect([reply.status, reasonOf(reply)]).to.deep.equal([status, reason])
      expect(reply.headers['apns-id']).to.be.a('string')
      expect(sandbox.counts()).to.include({ taken: 0, refused: 1 })
    })
  }

  it('accepts what is just within the limits', async () => {
    expect((await push(session, {}, full(4096))).status).to.equal(200)
    expect(
      (await push(session, { 'apns-push-type': 'voip', 'apns-topic': `${TOPIC}.voip` }, full(5120))).status,
    ).to.equal(200)
    expect(
      (await push(session, { 'apns-collapse-id': 'c'.repeat(64), 'apns-expiration': '0', 'apns-priority': '1' }))
        .status,
    ).to.equal(200)
    expect((await push(session, { 'apns-push-type': 'background', 'apns-priority': '5' })).status).to.equal(200)
  })

  it('counts UTF-8 bytes, not characters', async () => {
    const payload = { aps: { alert: 'é'.repeat(2048) } }
    expect(reasonOf(await push(session, {}, payload))).to.equal('PayloadTooLarge')
  })

  it('answers PayloadEmpty to no body and BadPayload to broken JSON or UTF-8', async () => {
    expect(reasonOf(await ask(session, apnsHeaders()))).to.equal('PayloadEmpty')
    expect(reasonOf(await ask(session, apnsHeaders(), '{"aps":'))).to.equal('BadPayload')
    const broken = Buffer.concat([Buffer.from('{"aps":"'), Buffer.from([0xff]), Buffer.from('"}')])
    expect(reasonOf(await ask(session, apnsHeaders(), broken))).to.equal('BadPayload')
  })

  it('answers DuplicateHeaders when a header comes twice', async () => {
    const reply = await ask(session, apnsHeaders({ 'apns-note': ['1', '2'] }), JSON.stringify(HELLO))
    expect(reasonOf(reply)).to.equal('DuplicateHeaders')
  })

  it('refuses a token of the other environment', async () => {
    const token = 'cd'.repeat(32)
    sandbox.declareDevice({ token, gateway: 'apns', environment: 'sandbox' })
    expect(reasonOf(await push(session, {}, HELLO, token))).to.equal('BadDeviceToken')
    const other = await connectApns(sandbox, sandbox.urls.apnsSandbox)
    expect((await push(other, {}, HELLO, token)).status).to.equal(200)
    expect(sandbox.received()[0]?.environment).to.equal('sandbox')
  })

  it('refuses a token of another app, and says since when a token is dead', async () => {
    const [elsewhere, dead, later] = ['11'.repeat(32), '22'.repeat(32), '33'.repeat(32)] as const
    sandbox.declareDevice({ token: elsewhere, gateway: 'apns', topic: 'com.other.app' })
    sandbox.declareDevice({ token: dead.toUpperCase(), gateway: 'apns', deadSince: 1_700_000_000_000 })
    sandbox.declareDevice({ token: later, gateway: 'apns', deadSince: Date.now() + 3_600_000 })
    expect(reasonOf(await push(session, {}, HELLO, elsewhere))).to.equal('DeviceTokenNotForTopic')
    const gone = await push(session, {}, HELLO, dead)
    expect(gone.status).to.equal(410)
    expect(JSON.parse(gone.body)).to.deep.equal({ reason: 'Unregistered', timestamp: 1_700_000_000_000 })
    expect((await push(session, {}, HELLO, later)).status).to.equal(200)
  })

  it('refuses a certificate that it has not issued', async () => {
    const stranger = await sandboxWith()
    const { p12, password } = stranger.credentials.p12
    const other = await connect(sandbox, sandbox.urls.apns, { pfx: Buffer.from(p12, 'base64'), passphrase: password })
    const reply = await push(other)
    expect([reply.status, reasonOf(reply)]).to.deep.equal([403, 'BadCertificate'])
  })

  describe('with a provider token', () => {
    const now = () => Math.floor(Date.now() / 1000)
    const refused: [string, string, (sandbox: Sandbox) => Promise<string | undefined>][] = [
      ['MissingProviderToken', 'no token', async () => undefined],
      ['InvalidProviderToken', 'another scheme', async () => 'basic abc'],
      ['InvalidProviderToken', 'no JWT', async () => 'bearer abc'],
      ['InvalidProviderToken', 'another team', async (s) => `bearer ${await providerToken(s, { iss: 'OTHERTEAM1' })}`],
      [
        'InvalidProviderToken',
        'another key id',
        async (s) => `bearer ${await providerToken(s, { kid: 'OTHERKEY12' })}`,
      ],
      [
        'InvalidProviderToken',
        'another key',
        async (s) => `bearer ${await providerToken(s, { key: await makeEcKey() })}`,
      ],
      [
        'InvalidProviderToken',
        'a time of issue to come',
        async (s) => `bearer ${await providerToken(s, { iat: now() + 600 })}`,
      ],
      [
        'ExpiredProviderToken',
        'a token older than an hour',
        async (s) => `bearer ${await providerToken(s, { iat: now() - 3610 })}`,
      ],
    ]
    for (const [reason, what, authorization] of refused) {
      it(`answers ${reason} to ${what}`, async () => {
        const plain = await connect(sandbox, sandbox.urls.apns)
        const value = await authorization(sandbox)
        const reply = await push(plain, value === undefined ? {} : { authorization: value })
        expect([reply.status, reasonOf(reply)]).to.deep.equal([403, reason])
      })
    }

    it('allows one stream until a request with a good token, then a thousand', async () => {
      const plain = await connect(sandbox, sandbox.urls.apns)
      expect(plain.remoteSettings.maxConcurrentStreams).to.equal(1)
      const raised = once(plain, 'remoteSettings')
      const authorization = `bearer ${await providerToken(sandbox, { iat: now() - 3000 })}`
      expect((await push(plain, { authorization, 'apns-topic': 'com.any.topic' })).status).to.equal(200)
      await raised
      expect(plain.remoteSettings.maxConcurrentStreams).to.equal(1000)
      const replies = await Promise.all(Array.from({ length: 300 }, () => push(plain, { authorization })))
      expect(new Set(replies.map((reply) => reply.status))).to.deep.equal(new Set([200]))
    })

    it('always wants the topic', async () => {
      const plain = await connect(sandbox, sandbox.urls.apns)
      const { 'apns-topic': _, ...headers } = apnsHeaders({ authorization: `bearer ${await providerToken(sandbox)}` })
      expect(reasonOf(await ask(plain, headers, JSON.stringify(HELLO)))).to.equal('MissingTopic')
    })
  })

  it('allows a thousand streams at once with a certificate', () => {
    expect(session.remoteSettings.maxConcurrentStreams).to.equal(1000)
  })
})
