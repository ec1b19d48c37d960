import { createECDH } from 'node:crypto'
import { expect } from 'chai'
import { importPKCS8, SignJWT } from 'jose'
import { encryptPush } from '../../../src/domain/gateways/web/encrypt.ts'
import { makeVapidKey, signingKeyOf, type VapidKey } from '../../../src/domain/gateways/web/vapid-keys.ts'
import { cardOf } from '../../../src/sandbox/card.ts'
import type { Plan, Sandbox } from '../../../src/sandbox/sandbox.ts'
import type { WebService, WebSubscription } from '../../../src/sandbox/web/subscriptions.ts'
import { askHttp1, type Reply, sandboxWith, stopAll } from '../senders.ts'

const KEY = makeVapidKey(0)
const DAY_S = 86_400
const payload = (id = 5) => JSON.stringify({ title: 'T', msg: 'M', data: { 'k.message': { type: 1, data: { id } } } })

describe('the sandbox of Web Push', () => {
  let sandbox: Sandbox
  before(async () => {
    sandbox = await sandboxWith()
  })
  after(stopAll)
  beforeEach(async () => {
    sandbox.reset()
    await sandbox.setPlan({})
  })

  async function authorize(
    subscription: WebSubscription,
    { key = KEY, claims = {} }: { key?: VapidKey; claims?: object },
  ) {
    const pem = signingKeyOf(key).export({ type: 'pkcs8', format: 'pem' }).toString()
    const exp = Math.floor(Date.now() / 1000) + 3600
    const token = await new SignJWT({
      aud: new URL(subscription.endpoint).origin,
      exp,
      sub: 'mailto:a@example.com',
      ...claims,
    })
      .setProtectedHeader({ alg: 'ES256', typ: 'JWT' })
      .sign(await importPKCS8(pem, 'ES256'))
    return `vapid t=${token}, k=${key.publicKey}`
  }
  interface Send {
    key?: VapidKey
    claims?: object
    headers?: Record<string, string>
    body?: Buffer
  }
  async function send(subscription: WebSubscription, wish: Send = {}): Promise<Reply> {
    const { p256dh, auth } = subscription.keys
    const body =
      wish.body ??
      encryptPush(Buffer.from(payload()), {
        p256dh: Buffer.from(p256dh, 'base64url'),
        auth: Buffer.from(auth, 'base64url'),
      })
    const headers = {
      ttl: '60',
      'content-encoding': 'aes128gcm',
      authorization: await authorize(subscription, wish),
      ...wish.headers,
    }
    return askHttp1(sandbox, subscription.endpoint, headers, body)
  }

  it('accepts a push, says where it is and for how long, and reads it like the browser', async () => {
    const subscription = sandbox.subscribe({ publicKey: KEY.publicKey })
    const reply = await send(subscription, { headers: { topic: 'n5', urgency: 'high' } })
    expect([reply.status, reply.headers.ttl]).to.deep.equal([201, '60'])
    const [received] = sandbox.received({ gateway: 'web' })
    expect(received).to.deep.include({
      token: subscription.endpoint,
      id: reply.headers.location,
      notificationId: '5',
      payload: payload(),
      taken: true,
      answer: '201',
      headers: { ttl: '60', topic: 'n5', urgency: 'high' },
    })
    expect(sandbox.countOf(subscription.endpoint, '5')).to.equal(1)
    expect(sandbox.counts().web).to.include({ requests: 1, taken: 1 })
  })

  it('cuts a life that is too long and says so', async () => {
    const reply = await send(sandbox.subscribe(), { headers: { ttl: '9999999' } })
    expect([reply.status, reply.headers.ttl]).to.deep.equal([201, '2592000'])
  })

  it('gives every subscription keys of its own', async () => {
    const [one, two] = [sandbox.subscribe(), sandbox.subscribe()]
    expect(one.keys.p256dh).not.to.equal(two.keys.p256dh)
    const reply = await send({ ...one, keys: two.keys })
    // As in life: the push service takes it, and no device ever shows it.
    expect(reply.status).to.equal(201)
    expect(sandbox.received()[0]).to.include({ taken: false, answer: '201 unreadable', notificationId: undefined })
  })

  const later = (seconds: number) => Math.floor(Date.now() / 1000) + seconds
  const refused: [string, Send, number][] = [
    ['no life', { headers: { ttl: '' } }, 400],
    ['a life that is no number', { headers: { ttl: '1h' } }, 400],
    ['another encoding', { headers: { 'content-encoding': 'aesgcm' } }, 400],
    ['a topic with a dash', { headers: { topic: 'a-b' } }, 400],
    ['a topic that is long', { headers: { topic: 'a'.repeat(33) } }, 400],
    ['an urgency that there is not', { headers: { urgency: 'urgent' } }, 400],
    ['a body that is long', { body: Buffer.alloc(4097) }, 413],
    ['no authorization', { headers: { authorization: '' } }, 403],
    ['a token for another service', { claims: { aud: 'https://example.com' } }, 403],
    ['a token that is over', { claims: { exp: later(-1) } }, 403],
    ['a token for more than a day', { claims: { exp: later(2 * DAY_S) } }, 403],
    ['a subject with brackets', { claims: { sub: 'mailto: <a@example.com>' } }, 403],
    ['a subject on this machine', { claims: { sub: 'https://localhost' } }, 403],
    ['no subject', { claims: { sub: undefined } }, 403],
  ]
  for (const [name, wish, status] of refused) {
    it(`refuses ${name}`, async () => {
      expect((await send(sandbox.subscribe(), wish)).status).to.equal(status)
      expect(sandbox.counts().web).to.include({ taken: 0, refused: 1 })
    })
  }

  it('refuses a token that another key signed', async () => {
    const subscription = sandbox.subscribe()
    const authorization = await authorize(subscription, { key: makeVapidKey(0) })
    const forged = authorization.replace(/k=.*/, `k=${KEY.publicKey}`)
    expect((await send(subscription, { headers: { authorization: forged } })).status).to.equal(403)
  })

  const words: [WebService, number, RegExp][] = [
    ['google', 403, /do not correspond to the credentials/],
    ['mozilla', 401, /"errno":109/],
    ['apple', 400, /VapidPkHashMismatch/],
    ['unifiedpush', 403, /"code":40301,"http":403/],
  ]
  for (const [service, status, body] of words) {
    it(`refuses another key than that of the subscription in the words of ${service}`, async () => {
      const reply = await send(sandbox.subscribe({ publicKey: makeVapidKey(0).publicKey, service }))
      expect(reply.status).to.equal(status)
      expect(reply.body).to.match(body)
    })
  }

  const plans: [string, Plan, number][] = [
    ['a subscription that is gone', { rules: [{ match: { on: 'web' }, effect: { reason: 'Gone' } }] }, 410],
    [
      'a service that has enough',
      { listeners: { web: { quota: { count: 1, windowMs: 60_000, retryAfter: 7 } } } },
      429,
    ],
    ['a service that is overloaded', { rules: [{ effect: { reason: 'Overloaded', retryAfter: 7 } }] }, 503],
  ]
  for (const [name, plan, status] of plans) {
    it(`plays ${name}`, async () => {
      await sandbox.setPlan(plan)
      const subscription = sandbox.subscribe({ service: 'mozilla' })
      const replies = [await send(subscription), await send(subscription)]
      expect(replies[1]!.status).to.equal(status)
      if (status !== 410) expect(replies[1]!.headers['retry-after']).to.equal('7')
    })
  }

  it('is a UnifiedPush server for who asks, at the address of a phone', async () => {
    const ask = (endpoint: string) => askHttp1(sandbox, endpoint, {}, Buffer.alloc(0), 'GET')
    const phone = sandbox.subscribe({ service: 'unifiedpush' })
    expect(phone.endpoint).to.match(/\/push\/unifiedpush\/any\/[\w-]+\?up=1$/)
    const reply = await ask(phone.endpoint)
    expect([reply.status, JSON.parse(reply.body)]).to.deep.equal([200, { unifiedpush: { version: 1 } }])
    expect((await ask(sandbox.subscribe().endpoint)).status).to.equal(404)
    expect(sandbox.counts().web).to.include({ requests: 0 })
  })

  const ofNtfy: [string, number, number][] = [
    ['NoSubscriber', 507, 50701],
    ['TooManyRequests', 429, 42901],
    ['PayloadTooLarge', 413, 41301],
  ]
  for (const [reason, status, code] of ofNtfy) {
    it(`plays ${reason} in the words of ntfy`, async () => {
      await sandbox.setPlan({ rules: [{ effect: { reason } }] })
      const reply = await send(sandbox.subscribe({ service: 'unifiedpush' }))
      expect(reply.status).to.equal(status)
      expect(JSON.parse(reply.body)).to.include({ code, http: status })
    })
  }

  it('shows a push to a phone as the phone does, a silent one not at all', async () => {
    const phone = sandbox.subscribe({ service: 'unifiedpush' })
    const body = (text: string) => {
      const { p256dh, auth } = phone.keys
      const keys = { p256dh: Buffer.from(p256dh, 'base64url'), auth: Buffer.from(auth, 'base64url') }
      return encryptPush(Buffer.from(text), keys)
    }
    await send(phone)
    await send(phone, { body: body(payload().replace('"T"', '""').replace('"M"', '""')) })
    const [silent, shown] = sandbox.received().map(cardOf)
    expect(shown).to.include({ platform: 'android', title: 'T', visible: true, background: false })
    expect(silent).to.include({ platform: 'android', visible: false, background: true })
  })

  it('knows what was declared dead', async () => {
    const subscription = sandbox.subscribe()
    sandbox.declareDevice({ gateway: 'web', token: subscription.endpoint, deadSince: 1 })
    expect((await send(subscription)).status).to.equal(410)
  })

  it('hands out subscriptions over its API and shows what came', async () => {
    const ask = (body: unknown) =>
      fetch(`${sandbox.urls.http}/subscriptions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const given = await ask({ publicKey: KEY.publicKey, service: 'apple', host: 'localhost', expirationTime: 9 })
    expect(given.status).to.equal(201)
    const subscription = (await given.json()) as WebSubscription
    expect(subscription.endpoint).to.match(/^https:\/\/localhost:\d+\/push\/apple\//)
    expect(subscription.expirationTime).to.equal(9)
    expect((await ask({ service: 'opera', publicKey: 'x' })).status).to.equal(422)
    await send(subscription)
    const list = (await (await fetch(`${sandbox.urls.http}/messages?gateway=web`)).json()) as {
      messages: { card: object }[]
    }
    expect(list.messages[0]!.card).to.include({ platform: 'web', app: 'apple', title: 'T', body: 'M', visible: true })
  })

  it('reads after a restart what was subscribed before', async () => {
    const { webSubscriptions } = await import('../../../src/sandbox/web/subscriptions.ts')
    const [one, two] = [webSubscriptions('secret'), webSubscriptions('secret')]
    const { keys, endpoint } = one.subscribe('https://x')
    const id = endpoint.split('/').at(-1)!
    const pair = createECDH('prime256v1')
    pair.setPrivateKey(two.keysOf(id).privateKey)
    expect(pair.getPublicKey('base64url')).to.equal(keys.p256dh)
  })
})
