import { expect } from 'chai'
import { makeRsaKey } from '../../../src/sandbox/certificates.ts'
import type { Sandbox } from '../../../src/sandbox/sandbox.ts'
import { testClock } from '../../support/clock.ts'
import {
  ask,
  askHttp1,
  askToken,
  connectFcm,
  type FcmSender,
  fcmHeaders,
  type Reply,
  registrationToken,
  sandboxWith,
  stopAll,
  tokenForm,
} from '../senders.ts'

interface ErrorBody {
  error: { code: number; message: string; status: string; details?: Record<string, unknown>[] }
}

function errorOf(reply: Reply): ErrorBody['error'] {
  return (JSON.parse(reply.body) as ErrorBody).error
}

function fieldsOf(reply: Reply): unknown[] {
  const detail = errorOf(reply).details?.find((one) => one['@type'] === 'type.googleapis.com/google.rpc.BadRequest')
  return ((detail?.['fieldViolations'] ?? []) as { field: string }[]).map((one) => one.field)
}

function codeOf(reply: Reply): unknown {
  const type = 'type.googleapis.com/google.firebase.fcm.v1.FcmError'
  return errorOf(reply).details?.find((one) => one['@type'] === type)?.['errorCode']
}

describe('the sandbox of FCM', () => {
  let sandbox: Sandbox
  let fcm: FcmSender
  const token = registrationToken()
  before(async () => {
    sandbox = await sandboxWith()
    fcm = await connectFcm(sandbox)
  })
  after(stopAll)
  beforeEach(() => sandbox.reset())

  it('accepts a data message and names it', async () => {
    const custom = JSON.stringify({ a: { 'k.message': { type: 1, data: { id: 77 } } }, u: null })
    const reply = await fcm.send({
      token,
      data: { title: 'Hi', alert: 'There', custom },
      android: { priority: 'high', ttl: '3600s' },
    })
    expect(reply.status).to.equal(200)
    const { name } = JSON.parse(reply.body) as { name: string }
    expect(name).to.match(/^projects\/appsvc-sandbox\/messages\/0:\d+%[0-9a-f]+$/)
    expect(sandbox.received()[0]).to.include({
      gateway: 'fcm',
      token,
      id: name,
      notificationId: '77',
      taken: true,
      answer: '200',
      topic: 'appsvc-sandbox',
    })
  })

  it('answers the same over HTTP/1.1', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const granted = await askHttp1(sandbox, sandbox.urls.fcmToken, form, await tokenForm(sandbox))
    const { access_token } = JSON.parse(granted.body) as { access_token: string }
    const url = `${sandbox.urls.fcm}/v1/projects/appsvc-sandbox/messages:send`
    const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' }
    const reply = await askHttp1(sandbox, url, headers, JSON.stringify({ message: { token } }))
    expect(reply.status).to.equal(200)
    expect(sandbox.counts().fcm.taken).to.equal(1)
  })

  it('only checks with validate_only', async () => {
    const reply = await fcm.send({ token, data: { a: 'b' } }, { validate_only: true })
    expect(JSON.parse(reply.body)).to.deep.equal({ name: 'projects/appsvc-sandbox/messages/fake_message_id' })
    expect((await fcm.send({ data: {} }, { validate_only: true })).status).to.equal(400)
    expect(sandbox.counts().taken).to.equal(0)
  })

  it('takes both spellings of names, topics and conditions', async () => {
    expect(
      (await fcm.send({ token, android: { collapseKey: 'k', notification: { channelId: 'c' } } })).status,
    ).to.equal(200)
    expect((await fcm.send({ topic: 'news', notification: { title: 'a', body: 'b' } })).status).to.equal(200)
    expect(sandbox.received()[0]?.token).to.equal('/topics/news')
    expect((await fcm.send({ condition: "'a' in topics" })).status).to.equal(200)
  })

  it('allows a hundred streams at once', () => {
    expect(fcm.session.remoteSettings.maxConcurrentStreams).to.equal(100)
  })

  const wrong: [string, unknown, string][] = [
    ['no target', { data: {} }, 'message'],
    ['two targets', { token: 't', topic: 'x' }, 'message'],
    ['a number in the data', { token: 't', data: { n: 1 } }, 'message.data[n]'],
    ['an object in the data', { token: 't', data: { custom: {} } }, 'message.data[custom]'],
    ['data that is a list', { token: 't', data: [] }, 'message.data'],
    ['the reserved key from', { token: 't', data: { from: 'x' } }, 'message.data[from]'],
    ['the reserved key message_type', { token: 't', data: { message_type: 'x' } }, 'message.data[message_type]'],
    ['a key that starts with google.', { token: 't', data: { 'google.x': 'x' } }, 'message.data[google.x]'],
    [
      'a key that starts with gcm.',
      { token: 't', data: { 'gcm.notification.title': 'x' } },
      'message.data[gcm.notification.title]',
    ],
    ['a time to live without unit', { token: 't', android: { ttl: '3600' } }, 'message.android.ttl'],
    ['a time to live that is a number', { token: 't', android: { ttl: 3600 } }, 'message.android.ttl'],
    ['a time to live over four weeks', { token: 't', android: { ttl: '2419201s' } }, 'message.android.ttl'],
    ['an unknown priority', { token: 't', android: { priority: 'urgent' } }, 'message.android.priority'],
    [
      'a colour by name',
      { token: 't', android: { notification: { color: 'red' } } },
      'message.android.notification.color',
    ],
    ['an unknown field', { token: 't', android: { colapse_key: 'x' } }, 'message.android'],
    ['a title that is a number', { token: 't', notification: { title: 5 } }, 'message.notification.title'],
    ['a bad topic name', { topic: 'a b' }, 'message.topic'],
    ['more than 4096 bytes', { token: 't', data: { a: 'é'.repeat(2048) } }, 'message'],
    ['more than 2048 bytes to a topic', { topic: 't', data: { a: 'x'.repeat(2048) } }, 'message'],
  ]
  for (const [what, message, field] of wrong) {
    it(`names the field of ${what}`, async () => {
      const reply = await fcm.send(message)
      expect([reply.status, errorOf(reply).status]).to.deep.equal([400, 'INVALID_ARGUMENT'])
      expect(fieldsOf(reply)).to.deep.equal([field])
      expect(codeOf(reply)).to.equal(undefined)
      expect(sandbox.counts()).to.include({ taken: 0, refused: 1 })
    })
  }

  it('accepts 4096 bytes', async () => {
    expect((await fcm.send({ token, data: { a: 'x'.repeat(4095) } })).status).to.equal(200)
  })

  it('refuses what is no JSON object, and a body without a message', async () => {
    for (const body of ['', '{', '[]', '"x"']) expect((await fcm.sendRaw(body)).status, body).to.equal(400)
    expect(fieldsOf(await fcm.sendRaw('{}'))).to.deep.equal(['message'])
  })

  it('speaks of the registration token in an FcmError when it is none', async () => {
    const reply = await fcm.send({ token: 'https://push.example/x y' })
    expect([reply.status, codeOf(reply)]).to.deep.equal([400, 'INVALID_ARGUMENT'])
    expect(errorOf(reply).message).to.contain('not a valid FCM registration token')
  })

  it('knows dead tokens and tokens of other projects', async () => {
    sandbox.declareDevice({ token: 'dead', gateway: 'fcm', deadSince: 1 })
    sandbox.declareDevice({ token: 'theirs', gateway: 'fcm', project: 'other' })
    const dead = await fcm.send({ token: 'dead' })
    expect([dead.status, errorOf(dead).status, codeOf(dead)]).to.deep.equal([404, 'NOT_FOUND', 'UNREGISTERED'])
    const theirs = await fcm.send({ token: 'theirs' })
    expect([theirs.status, codeOf(theirs)]).to.deep.equal([403, 'SENDER_ID_MISMATCH'])
  })

  it('wants an access token that it has handed out', async () => {
    for (const authorization of ['', 'Bearer x', 'x']) {
      const reply = await fcm.sendRaw('{}', { authorization })
      expect([reply.status, errorOf(reply).status]).to.deep.equal([401, 'UNAUTHENTICATED'])
    }
  })

  it('denies another project, and knows no other path', async () => {
    const path = '/v1/projects/other/messages:send'
    const reply = await fcm.sendRaw('{}', { ':path': path })
    expect([reply.status, errorOf(reply).status]).to.deep.equal([403, 'PERMISSION_DENIED'])
    const elsewhere = await ask(fcm.session, { ...fcmHeaders(sandbox, fcm.authorization), ':path': '/v1/x' }, '{}')
    expect(elsewhere.status).to.equal(404)
    expect(errorOf(elsewhere).details).to.equal(undefined)
  })

  describe('the token call', () => {
    it('hands out an access token', async () => {
      const reply = await askToken(fcm.session, await tokenForm(sandbox))
      const { access_token, ...rest } = JSON.parse(reply.body) as Record<string, unknown>
      expect(access_token).to.be.a('string')
      expect(rest).to.deep.equal({ expires_in: 3599, token_type: 'Bearer' })
    })

    it('accepts an assertion for the address of Google', async () => {
      const form = await tokenForm(sandbox, { aud: 'https://oauth2.googleapis.com/token' })
      expect((await askToken(fcm.session, form)).status).to.equal(200)
    })

    const now = Math.floor(Date.now() / 1000)
    const refused: [string, Record<string, unknown>, string][] = [
      ['another account', { iss: 'someone@else' }, 'invalid_grant'],
      ['another audience', { aud: 'https://example.com/token' }, 'invalid_grant'],
      ['an expired assertion', { iat: now - 7200, exp: now - 3600 }, 'invalid_grant'],
      ['an assertion from the future', { iat: now + 3600, exp: now + 7200 }, 'invalid_grant'],
      ['an assertion that lives longer than an hour', { exp: now + 7200 }, 'invalid_grant'],
      ['another scope', { scope: 'email' }, 'invalid_scope'],
    ]
    for (const [what, claims, error] of refused) {
      it(`refuses ${what}`, async () => {
        const reply = await askToken(fcm.session, await tokenForm(sandbox, claims))
        expect(reply.status).to.equal(400)
        expect(JSON.parse(reply.body)).to.have.keys('error', 'error_description').and.include({ error })
      })
    }

    it('refuses another key, another grant type and another content type', async () => {
      const foreign = await askToken(fcm.session, await tokenForm(sandbox, {}, await makeRsaKey()))
      expect(JSON.parse(foreign.body)).to.include({
        error: 'invalid_grant',
        error_description: 'Invalid JWT Signature.',
      })
      expect(JSON.parse((await askToken(fcm.session, 'grant_type=password')).body)).to.include({
        error: 'unsupported_grant_type',
      })
      const json = { ':method': 'POST', ':path': '/token', 'content-type': 'application/json' }
      expect(JSON.parse((await ask(fcm.session, json, '{}')).body)).to.include({ error: 'invalid_request' })
    })
  })

  it('ends access tokens when the plan says', async () => {
    let now = Date.now()
    const own = await sandboxWith({
      clock: { ...testClock(), now: () => now, monotonic: () => now, sleep: () => Promise.resolve() },
      plan: { accessTokenSeconds: 60 },
    })
    const sender = await connectFcm(own)
    now += 59_000
    expect((await sender.send({ token })).status).to.equal(200)
    now += 1000
    expect((await sender.send({ token })).status).to.equal(401)
  })
})
