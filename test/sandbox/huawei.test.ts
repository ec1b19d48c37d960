import { expect } from 'chai'
import { systemClock } from '../../src/platform/time/clock.ts'
import { cardOf } from '../../src/sandbox/card.ts'
import { parsePlan } from '../../src/sandbox/plan.schema.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { askHttp1, type Reply, sandboxWith, stopAll } from './senders.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const custom = JSON.stringify({ a: { 'k.message': { type: 1, data: { id: 77 } } }, u: null })
const MESSAGE = { data: JSON.stringify({ title: 'Hi', alert: 'There', custom }), android: { ttl: '60s' } }

describe('the sandbox of Push Kit', () => {
  let sandbox: Sandbox
  let authorization: string
  before(async () => {
    sandbox = await sandboxWith()
    authorization = `Bearer ${await buy()}`
  })
  after(stopAll)
  beforeEach(async () => {
    sandbox.reset()
    await sandbox.setPlan({})
  })

  function grant(change: Record<string, string> = {}): Promise<Reply> {
    const { appId, appIdPassword } = sandbox.credentials.hcm
    const form = {
      grant_type: 'client_credentials',
      client_id: String(appId),
      client_secret: appIdPassword,
      ...change,
    }
    return askHttp1(sandbox, sandbox.urls.hcmToken, FORM, new URLSearchParams(form).toString())
  }
  async function buy(): Promise<string> {
    return (JSON.parse((await grant()).body) as { access_token: string }).access_token
  }
  function sendRaw(body: string, token = authorization, appId = sandbox.credentials.hcm.appId): Promise<Reply> {
    const headers = { authorization: token, 'content-type': 'application/json;charset=UTF-8' }
    return askHttp1(sandbox, `${sandbox.urls.hcm}/v1/${appId}/messages:send`, headers, body)
  }
  const send = (message: object, beside: object = {}) => sendRaw(JSON.stringify({ message, ...beside }))
  const codeOf = ({ body }: Reply) => (JSON.parse(body) as { code: string }).code

  it('hands out tokens for id and secret, slashes written as Huawei writes them', async () => {
    const reply = await grant()
    expect(reply.body).to.include('CV\\/')
    expect(JSON.parse(reply.body)).to.include({ expires_in: 3599, token_type: 'Bearer' })
    for (const change of [{ client_id: '1' }, { client_secret: 'x' }, { grant_type: 'password' }]) {
      expect((await grant(change)).status).to.equal(400)
    }
  })

  it('lists a request once for each of its tokens, and shows it as a phone would', async () => {
    const reply = await send({ ...MESSAGE, token: ['a', 'b'] })
    expect(reply.status).to.equal(200)
    expect(JSON.parse(reply.body)).to.include({ code: '80000000', msg: 'Success' })
    const [second, first] = sandbox.received()
    expect(first).to.include({ gateway: 'hcm', token: 'a', notificationId: '77', taken: true, answer: '200' })
    expect(second!.id).to.equal(first!.id)
    expect(sandbox.countOf('b', '77')).to.equal(1)
    expect(cardOf(first!)).to.include({ platform: 'android', title: 'Hi', body: 'There', visible: true })
    expect(first!.payload).to.not.include('"token"')
  })

  it('only checks with validate_only', async () => {
    expect(codeOf(await send({ ...MESSAGE, token: ['a'] }, { validate_only: true }))).to.equal('80000000')
    expect(sandbox.counts().requests).to.equal(0)
  })

  const wrong: [string, object, string][] = [
    ['no tokens', { ...MESSAGE }, '80100001'],
    ['an empty list', { ...MESSAGE, token: [] }, '80100001'],
    ['a number among them', { ...MESSAGE, token: [1] }, '80100001'],
    ['a topic', { ...MESSAGE, topic: 'x' }, '80100001'],
    ['too many tokens', { ...MESSAGE, token: Array.from({ length: 1001 }, (_, i) => `t${i}`) }, '80300010'],
    ['data that is no text', { data: {}, token: ['a'] }, '80100003'],
    ['an unknown field', { ...MESSAGE, apns: {}, token: ['a'] }, '80100003'],
    ['a time to live without unit', { android: { ttl: '60' }, token: ['a'] }, '80100003'],
    ['a time to live over 15 days', { android: { ttl: '1296001s' }, token: ['a'] }, '80100003'],
    ['no time to live', { android: { ttl: '0s' }, token: ['a'] }, '80100004'],
    ['a text as collapse key', { android: { collapse_key: 'x' }, token: ['a'] }, '80100013'],
    ['a collapse key over 100', { android: { collapse_key: 101 }, token: ['a'] }, '80100013'],
    ['an unknown urgency', { android: { urgency: 'high' }, token: ['a'] }, '80100003'],
    ['a notification without action', { android: { notification: { title: 'a' } }, token: ['a'] }, '80100003'],
    ['a body over 4096 bytes', { data: 'x'.repeat(4096), token: ['a'] }, '80300008'],
  ]
  for (const [what, message, code] of wrong) {
    it(`refuses ${what} with ${code}`, async () => expect(codeOf(await send(message))).to.equal(code))
  }

  it('takes a thousand long tokens: they do not count for the size', async () => {
    const token = Array.from({ length: 1000 }, (_, i) => `${'x'.repeat(200)}${i}`)
    expect(codeOf(await send({ ...MESSAGE, token }))).to.equal('80000000')
    expect(sandbox.counts().hcm.taken).to.equal(1000)
  })

  it('refuses what is no JSON, a token of nobody, and another app', async () => {
    expect(codeOf(await sendRaw('{'))).to.equal('80100003')
    const body = JSON.stringify({ message: { ...MESSAGE, token: ['a'] } })
    expect(codeOf(await sendRaw(body, 'Bearer x'))).to.equal('80200001')
    expect(codeOf(await sendRaw(body, authorization, 5))).to.equal('80200001')
  })

  it('says when an access token is over', async () => {
    const now = { at: Date.now() }
    const clock = { ...systemClock, now: () => now.at }
    const other = await sandboxWith({ clock, plan: { accessTokenSeconds: 60 } })
    const { appId, appIdPassword } = other.credentials.hcm
    const form = { grant_type: 'client_credentials', client_id: String(appId), client_secret: appIdPassword }
    const granted = await askHttp1(other, other.urls.hcmToken, FORM, new URLSearchParams(form).toString())
    const { access_token: token } = JSON.parse(granted.body) as { access_token: string }
    now.at += 61_000
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const url = `${other.urls.hcm}/v1/${appId}/messages:send`
    expect(
      codeOf(await askHttp1(other, url, headers, JSON.stringify({ message: { ...MESSAGE, token: ['a'] } }))),
    ).to.equal('80200003')
  })

  it('dead tokens and those that a rule names are illegal, the others get it', async () => {
    sandbox.declareDevice({ token: 'dead', gateway: 'hcm', deadSince: 1 })
    await sandbox.setPlan({
      rules: [{ match: { on: 'hcm', tokenPrefix: 'bad' }, effect: { reason: '80100000' } }],
      devices: [{ token: 'dead', gateway: 'hcm', deadSince: 1 }],
    })
    const reply = await send({ ...MESSAGE, token: ['good', 'bad1', 'dead', 'bad2'] })
    expect(reply.status).to.equal(200)
    const { code, msg } = JSON.parse(reply.body) as { code: string; msg: string }
    expect(code).to.equal('80100000')
    const said = JSON.parse(msg) as { success: number; failure: number; illegal_tokens: string[] }
    expect(said).to.deep.equal({ success: 1, failure: 3, illegal_tokens: ['bad1', 'bad2', 'dead'] })
    expect(sandbox.countOf('good', '77')).to.equal(1)
    expect(sandbox.counts().hcm).to.include({ taken: 1, refused: 3 })
    expect(codeOf(await send({ ...MESSAGE, token: ['dead'] }))).to.equal('80300007')
  })

  const scripted: [string, object, number, string | undefined][] = [
    ['a code with its usual status', { reason: '80300002' }, 403, '80300002'],
    ['a code with 200', { reason: '80300002', status: 200 }, 200, '80300002'],
    ['flow control', { reason: 'FLOW_CONTROL', retryAfter: 3 }, 503, undefined],
    ['a status alone', { status: 502 }, 502, undefined],
  ]
  for (const [what, effect, status, code] of scripted) {
    it(`a rule can answer ${what}`, async () => {
      await sandbox.setPlan(parsePlan({ rules: [{ match: { on: 'hcm' }, effect }] }))
      const reply = await send({ ...MESSAGE, token: ['a'] })
      expect(reply.status).to.equal(status)
      if (code) expect(codeOf(reply)).to.equal(code)
      else expect(reply.body).to.not.include('"code"')
      expect(sandbox.counts().hcm).to.include({ taken: 0, refused: 1 })
    })
  }

  it('a quota answers 503 to what is above it', async () => {
    await sandbox.setPlan({ listeners: { hcm: { quota: { count: 1, windowMs: 60_000, retryAfter: 2 } } } })
    expect((await send({ ...MESSAGE, token: ['a'] })).status).to.equal(200)
    const reply = await send({ ...MESSAGE, token: ['a'] })
    expect(reply.status).to.equal(503)
    expect(reply.headers['retry-after']).to.equal('2')
  })
})
