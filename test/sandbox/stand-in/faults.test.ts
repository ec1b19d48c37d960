import { once } from 'node:events'
import http2, { type ClientHttp2Session } from 'node:http2'
import { connect as connectTcp } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { expect } from 'chai'
import { parsePlan, type Sandbox } from '../../../src/sandbox/sandbox.ts'
import type { Effect, Match } from '../../../src/sandbox/stand-in/plan.ts'
import {
  apnsHeaders,
  askHttp1,
  askToken,
  type Broken,
  connect,
  connectApns,
  connectFcm,
  exchange,
  HELLO,
  payloadOf,
  push,
  type Reply,
  reasonOf,
  sandboxWith,
  stopAll,
  TOKEN,
  tokenForm,
} from '../senders.ts'

const HELLO_TEXT = JSON.stringify(HELLO)

describe('a scripted fault', () => {
  let sandbox: Sandbox
  before(async () => {
    sandbox = await sandboxWith()
  })
  after(stopAll)
  beforeEach(() => sandbox.reset())

  const rule = (effect: Effect, match: Match = {}) => sandbox.setPlan(parsePlan({ rules: [{ match, effect }] }))
  const pushRaw = (session: ClientHttp2Session) => exchange(session, apnsHeaders(), HELLO_TEXT)

  it('gives any reason of APNs with its status, and its time with a 410', async () => {
    await rule({ reason: 'Unregistered', timestamp: 1234 })
    const session = await connectApns(sandbox)
    const gone = await push(session)
    expect([gone.status, JSON.parse(gone.body)]).to.deep.equal([410, { reason: 'Unregistered', timestamp: 1234 }])
    await rule({ reason: 'TooManyRequests', retryAfter: 30 })
    const busy = await push(session)
    expect([busy.status, busy.headers['retry-after'], reasonOf(busy)]).to.deep.equal([429, '30', 'TooManyRequests'])
    await rule({ status: 503, retryAfter: 'Fri, 31 Dec 9999 23:59:59 GMT', body: 'not json' })
    const down = await push(session)
    expect([down.status, down.headers['retry-after'], down.body]).to.deep.equal([
      503,
      'Fri, 31 Dec 9999 23:59:59 GMT',
      'not json',
    ])
    expect(sandbox.counts().apns).to.deep.include({ requests: 3, taken: 0, refused: 3 })
    expect(sandbox.counts().apns.answers).to.deep.equal({ '410 Unregistered': 1, '429 TooManyRequests': 1, '503': 1 })
  })

  it('gives any error of FCM in its shape', async () => {
    const fcm = await connectFcm(sandbox)
    const ask = async (effect: Effect) => {
      await rule(effect, { on: 'fcm' })
      const { status, body, headers } = await fcm.send({ token: 'abc' })
      const { error } = JSON.parse(body) as { error: { status: string; details?: { errorCode?: string }[] } }
      return [status, error.status, error.details?.[0]?.errorCode, headers['retry-after']]
    }
    expect(await ask({ reason: 'UNREGISTERED' })).to.deep.equal([404, 'NOT_FOUND', 'UNREGISTERED', undefined])
    expect(await ask({ reason: 'NOT_FOUND' })).to.deep.equal([404, 'NOT_FOUND', undefined, undefined])
    expect(await ask({ reason: 'QUOTA_EXCEEDED', retryAfter: 7 })).to.deep.equal([
      429,
      'RESOURCE_EXHAUSTED',
      'QUOTA_EXCEEDED',
      '7',
    ])
    expect(await ask({ reason: 'UNAVAILABLE' })).to.deep.equal([503, 'UNAVAILABLE', 'UNAVAILABLE', undefined])
    expect(await ask({ reason: 'THIRD_PARTY_AUTH_ERROR' })).to.deep.equal([
      401,
      'UNAUTHENTICATED',
      'THIRD_PARTY_AUTH_ERROR',
      undefined,
    ])
  })

  it('fails the token call', async () => {
    const session = await connect(sandbox, sandbox.urls.fcm)
    await rule({ reason: 'invalid_grant' }, { on: 'fcm-token', first: 1 })
    const refused = await askToken(session, await tokenForm(sandbox))
    expect([refused.status, JSON.parse(refused.body).error]).to.deep.equal([400, 'invalid_grant'])
    expect((await askToken(session, await tokenForm(sandbox))).status).to.equal(200)
    await rule({ status: 500 }, { on: 'fcm-token' })
    expect((await askToken(session, await tokenForm(sandbox))).status).to.equal(500)
  })

  it('delays an answer', async () => {
    await rule({ delayMs: 120 })
    const session = await connectApns(sandbox)
    const begun = performance.now()
    expect((await push(session)).status).to.equal(200)
    expect(performance.now() - begun).to.be.greaterThan(100)
  })

  it('gives no answer, and the device gets nothing unless the plan says so', async () => {
    const session = await connectApns(sandbox)
    for (const taken of [undefined, true]) {
      await rule({ hang: true, ...(taken && { taken }) })
      const stream = session.request(apnsHeaders())
      stream.on('error', () => {})
      const arrived = new Promise<void>((resolve) => {
        const off = sandbox.on('message', () => {
          off()
          resolve()
        })
      })
      stream.end(HELLO_TEXT)
      await arrived
      expect(sandbox.received()[0]).to.include({ answer: 'no answer', taken: taken ?? false })
      stream.close()
    }
  })

  it('cuts the connection before the answer, when the device has the message', async () => {
    await rule({ cutBeforeAnswer: true })
    const session = await connectApns(sandbox)
    const closed = once(session, 'close')
    expect(await pushRaw(session)).to.have.property('broken', '')
    await closed
    expect(sandbox.received()[0]).to.include({ taken: true, answer: 'cut before the answer' })
  })

  it('cuts the connection inside the answer', async () => {
    const fcm = await connectFcm(sandbox)
    await rule({ cutInsideAnswer: true }, { on: 'fcm' })
    const projectPath = '/v1/projects/appsvc-sandbox/messages:send'
    const headers = { ':method': 'POST', ':path': projectPath, authorization: fcm.authorization }
    const { broken } = (await exchange(fcm.session, headers, '{"message":{"token":"t"}}')) as Broken
    expect(broken).to.match(/^\{"name":"/)
    expect(() => JSON.parse(broken)).to.throw()
    expect(sandbox.counts().fcm.taken).to.equal(1)
  })

  it('shortens a body', async () => {
    await rule({ reason: 'BadDeviceToken', shortBody: true })
    const session = await connectApns(sandbox)
    const reply = await push(session)
    expect(reply.status).to.equal(400)
    expect(() => JSON.parse(reply.body)).to.throw()
  })

  it('resets streams with any code', async () => {
    const session = await connectApns(sandbox)
    await rule({ refuseStream: true })
    expect(await pushRaw(session)).to.have.property('code', http2.constants.NGHTTP2_REFUSED_STREAM)
    await rule({ rst: 'ENHANCE_YOUR_CALM' })
    expect(await pushRaw(session)).to.have.property('code', http2.constants.NGHTTP2_ENHANCE_YOUR_CALM)
    expect(sandbox.counts().taken).to.equal(0)
  })

  it('says GOAWAY in the middle: the older half is answered, the younger never seen', async () => {
    await rule({ goaway: { last: 'middle', hold: 6, reason: 'Shutdown' } }, { first: 1 })
    const session = await connectApns(sandbox)
    const goaway = once(session, 'goaway') as Promise<[number, number, Buffer]>
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => pushRaw(session)))
    const [code, last, data] = await goaway
    expect([code, last, data.toString()]).to.deep.equal([0, 5, '{"reason":"Shutdown"}'])
    expect(outcomes.slice(0, 3).every((one) => 'status' in one && one.status === 200)).to.equal(true)
    expect(outcomes.slice(3).every((one) => 'broken' in one)).to.equal(true)
    expect(sandbox.counts().taken).to.equal(3)
  })

  it('says GOAWAY with last stream 0: nothing was processed', async () => {
    await rule({ goaway: { last: 'zero', hold: 4 } }, { first: 1 })
    const session = await connectApns(sandbox)
    const goaway = once(session, 'goaway') as Promise<[number, number]>
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => pushRaw(session)))
    expect((await goaway).slice(0, 2)).to.deep.equal([0, 0])
    expect(outcomes.every((one) => 'broken' in one)).to.equal(true)
    expect(sandbox.counts()).to.include({ taken: 0, requests: 0 })
    expect((await push(await connectApns(sandbox))).status).to.equal(200)
  })

  it('says GOAWAY with the highest stream: all that is under way is answered', async () => {
    await rule({ goaway: { last: 'max' } }, { first: 1 })
    const session = await connectApns(sandbox)
    const goaway = once(session, 'goaway') as Promise<[number, number]>
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => pushRaw(session)))
    expect((await goaway)[1]).to.equal(2 ** 31 - 1)
    expect(outcomes.map((one) => (one as Reply).status)).to.deep.equal([200, 200, 200, 200])
  })

  it('lowers the number of streams, also of connections that are open', async () => {
    const session = await connectApns(sandbox)
    const lowered = once(session, 'remoteSettings')
    await sandbox.setPlan({ listeners: { apns: { maxStreams: 1 } } })
    await lowered
    expect(session.remoteSettings.maxConcurrentStreams).to.equal(1)
    expect((await connectApns(sandbox)).remoteSettings.maxConcurrentStreams).to.equal(1)
    expect((await connect(sandbox, sandbox.urls.fcm)).remoteSettings.maxConcurrentStreams).to.equal(100)
  })

  it('lets only a quota pass', async () => {
    await sandbox.setPlan({ listeners: { fcm: { quota: { count: 2, windowMs: 3_600_000, retryAfter: 9 } } } })
    const fcm = await connectFcm(sandbox)
    const replies = [await fcm.send({ token: 'a' }), await fcm.send({ token: 'b' }), await fcm.send({ token: 'c' })]
    expect(replies.map((one) => one.status)).to.deep.equal([200, 200, 429])
    expect(replies[2]?.headers['retry-after']).to.equal('9')
  })

  it('shows a certificate that must not be trusted, and the good one afterwards', async () => {
    const codeOf = (url: string): Promise<string> =>
      new Promise((resolve) => {
        const { port, hostname } = new URL(url)
        const socket: TLSSocket = connectTls({
          port: Number(port),
          host: hostname,
          ca: sandbox.ca,
          ALPNProtocols: ['h2'],
        })
        socket.on('error', (error) => resolve('code' in error ? String(error.code) : error.message))
        socket.on('secureConnect', () => {
          socket.destroy()
          resolve('trusted')
        })
      })
    const session = await connectApns(sandbox)
    const closed = once(session, 'close')
    const seen: string[] = []
    for (const certificate of ['self-signed', 'expired', 'wrong-host', 'good'] as const) {
      await sandbox.setPlan({ listeners: { apns: { certificate }, fcm: { certificate } } })
      seen.push(await codeOf(sandbox.urls.apns))
      expect(await codeOf(sandbox.urls.fcm)).to.equal(seen.at(-1))
    }
    await closed
    expect(seen).to.deep.equal([
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'CERT_HAS_EXPIRED',
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'trusted',
    ])
    expect(sandbox.counts().requests).to.equal(0)
  })

  it('refuses connections and takes them again on the same port', async () => {
    const refused = (url: string): Promise<string> =>
      new Promise((resolve) => {
        const socket = connectTcp(Number(new URL(url).port), '127.0.0.1')
        socket.on('error', (error) => resolve('code' in error ? String(error.code) : error.message))
        socket.on('connect', () => {
          socket.destroy()
          resolve('connected')
        })
      })
    const session = await connectApns(sandbox)
    const closed = once(session, 'close')
    await sandbox.setPlan({ listeners: { 'apns-production': { refuse: true } } })
    await closed
    expect(await refused(sandbox.urls.apns)).to.equal('ECONNREFUSED')
    expect(await refused(sandbox.urls.apnsSandbox)).to.equal('connected')
    await sandbox.setPlan({})
    expect((await push(await connectApns(sandbox))).status).to.equal(200)
  })

  it('strikes on HTTP/1.1 too', async () => {
    const form = await tokenForm(sandbox)
    const ask = () =>
      askHttp1(sandbox, sandbox.urls.fcmToken, { 'content-type': 'application/x-www-form-urlencoded' }, form)
    for (const effect of [{ cutBeforeAnswer: true }, { cutInsideAnswer: true }, { rst: 'CANCEL' }] as const) {
      await rule(effect, { on: 'fcm-token' })
      const failed = await ask().then(
        () => false,
        () => true,
      )
      expect(failed, JSON.stringify(effect)).to.equal(true)
    }
    await rule({ shortBody: true }, { on: 'fcm-token' })
    const { body } = await ask()
    expect(() => JSON.parse(body)).to.throw()
  })

  it('shows a message that came twice', async () => {
    await rule({ cutBeforeAnswer: true }, { first: 1 })
    await exchange(await connectApns(sandbox), apnsHeaders(), JSON.stringify(payloadOf(5)))
    await push(await connectApns(sandbox), {}, payloadOf(5))
    await push(await connectApns(sandbox), {}, payloadOf(6))
    const counts = sandbox.counts()
    expect(counts.deliveries).to.deep.equal({ distinct: 2, repeated: 1, max: 2 })
    expect(counts.tokens).to.deep.equal({ distinct: 1, repeated: 1, max: 3 })
    expect(counts.repeatedExamples).to.deep.equal([{ token: TOKEN, notificationId: '5' }])
    expect(counts.notifications).to.deep.equal({ '5': 2, '6': 1 })
    expect([sandbox.countOf(TOKEN), sandbox.countOf(TOKEN, '5')]).to.deep.equal([3, 2])
  })
})
