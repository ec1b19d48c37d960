import { createECDH } from 'node:crypto'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import type { GatewaySettings, PushContent, PushHosts, PushRecipient } from '../../../../src/domain/gateways/gateway.ts'
import { byLikelihood, openWeb } from '../../../../src/domain/gateways/web/client.ts'
import { DEFAULT_SUBJECT, type WebFacts, type WebSecret } from '../../../../src/domain/gateways/web/key-ring.ts'
import { makeVapidKey, type VapidKey } from '../../../../src/domain/gateways/web/vapid-keys.ts'
import {
  Http2Failure,
  type OpenPool,
  type PoolOptions,
  type PushReply,
  type PushRequest,
} from '../../../../src/platform/http2/types.ts'
import { HttpFailure } from '../../../../src/platform/net/http-exchange.ts'
import type { AllowPrivate, SendOutbound } from '../../../../src/platform/net/outbound.ts'
import { decryptPush } from '../../../../src/sandbox/web/decrypt.ts'
import { scriptedPool } from '../../../support/push-pool.ts'

const NOW = Date.UTC(2026, 5, 1, 12)
const HOUR = 3_600_000
const CONTENT: PushContent = { notificationId: 42, title: 'T', message: 'M', background: false, ios: {}, android: {} }
const KEYS: VapidKey[] = [makeVapidKey(NOW - HOUR), makeVapidKey(NOW - 2 * HOUR), makeVapidKey(NOW - 3 * HOUR)]
const GOOGLE = 'https://fcm.googleapis.com'
const OWN = 'https://push.example.com'

const browser = createECDH('prime256v1')
browser.generateKeys()
const auth = Buffer.alloc(16, 7)
const browserKeys = { privateKey: browser.getPrivateKey(), publicKey: browser.getPublicKey(), auth }
const keysOf = (more: object = {}) =>
  JSON.stringify({
    keys: { p256dh: browser.getPublicKey('base64url'), auth: auth.toString('base64url') },
    expirationTime: null,
    ...more,
  })
const at = (endpoint: string, more: Partial<PushRecipient> = {}): PushRecipient => ({
  token: endpoint,
  keys: keysOf(),
  registeredAt: NOW,
  ...more,
})

type Answer = Partial<PushReply> | Http2Failure
interface Sent extends PushRequest {
  origin: string
}

/** A sender against scripted push services. */
function world(
  answer: (request: Sent, index: number) => Answer | Promise<Answer>,
  {
    keys = KEYS,
    facts = {},
    allowPrivate = false,
    pushHosts: hosts,
    sendHttp,
  }: {
    keys?: VapidKey[]
    facts?: object
    allowPrivate?: AllowPrivate
    pushHosts?: Partial<PushHosts>
    sendHttp?: SendOutbound
  } = {},
) {
  const sent: Sent[] = []
  const opened: PoolOptions[] = []
  const closed: string[] = []
  const clock = { now: NOW }
  const secret: WebSecret = { keys, subject: DEFAULT_SUBJECT }
  const settings: Pick<GatewaySettings, 'ca' | 'allowPrivate' | 'pushHosts'> = {
    ca: ['CA'],
    allowPrivate,
    ...(hosts && { pushHosts: { anyHost: false, unifiedPush: false, extraHosts: [], ...hosts } }),
  }
  const openPool: OpenPool = (options) => {
    opened.push(options)
    return scriptedPool(
      async (request) => {
        const one = { ...request, origin: options.origin }
        sent.push(one)
        const given = await answer(one, sent.length - 1)
        if (given instanceof Http2Failure) throw given
        return { status: 201, headers: {}, body: '', ...given }
      },
      () => closed.push(options.origin),
    )
  }
  const sender = openWeb({ secret, facts: facts as WebFacts }, settings, () => clock.now, {
    openPool,
    ...(sendHttp && { sendHttp }),
  })
  const prepare = (content: Partial<PushContent> = {}) =>
    sender.prepare({ content: { ...CONTENT, ...content }, expiresAt: NOW + HOUR, replacementKey: 'n42' })
  const send = (recipient: PushRecipient, content?: Partial<PushContent>) => sender.send(prepare(content), recipient)
  return { sender, send, sent, opened, closed, clock }
}

const keyOf = ({ headers }: PushRequest) => /k=([\w-]+)$/.exec(headers.authorization!)?.[1]
const tokenOf = ({ headers }: PushRequest) => /t=([\w.-]+),/.exec(headers.authorization!)![1]!

describe('sending Web Push', () => {
  it('encrypts for the browser and names the app to its push service', async () => {
    const { send, sent, opened } = world(() => ({ headers: { location: 'https://x/m/1' } }))
    const outcome = await send(at(`${GOOGLE}/fcm/send/abc:def?x=1`), { url: 'https://example.com' })
    expect(outcome).to.deep.equal({ kind: 'accepted', providerId: 'https://x/m/1' })
    expect(opened[0]).to.deep.include({ origin: GOOGLE, ca: ['CA'] })
    expect(opened[0]!.lookup).to.be.a('function')
    const { path, headers, body } = sent[0]!
    expect(path).to.equal('/fcm/send/abc:def?x=1')
    expect(headers).to.deep.include({ ttl: '3600', topic: 'n42', urgency: 'normal', 'content-encoding': 'aes128gcm' })
    const opened_ = decryptPush(body, browserKeys)
    expect('text' in opened_ && JSON.parse(opened_.text.toString())).to.deep.include({
      title: 'T',
      msg: 'M',
      url: 'https://example.com',
    })
    expect(decodeJwt(tokenOf(sent[0]!))).to.deep.equal({
      aud: GOOGLE,
      exp: NOW / 1000 + 20 * 3600,
      sub: DEFAULT_SUBJECT,
    })
    expect(keyOf(sent[0]!)).to.equal(KEYS[0]!.publicKey)
  })

  it('uses a token for twelve hours, one for each push service', async () => {
    const { send, sent, clock } = world(() => ({}))
    for (const now of [NOW, NOW + 12 * HOUR - 1, NOW + 12 * HOUR, NOW]) {
      clock.now = now
      await send(at(`${GOOGLE}/a`))
    }
    await send(at('https://web.push.apple.com/b'))
    const [first, same, renewed, back, other] = sent.map(tokenOf)
    expect(same).to.equal(first)
    expect(renewed).not.to.equal(first)
    // The clock went back: a token from the future may be refused.
    expect(back).not.to.equal(renewed)
    expect(decodeJwt(other!).aud).to.equal('https://web.push.apple.com')
  })

  it('shows the icon of the app, unless the message would not fit with it', async () => {
    const { send, sent } = world(() => ({}), { facts: { iconUrl: 'https://example.com/icon.png' } })
    const iconOf = (body: Buffer) => {
      const opened = decryptPush(body, browserKeys)
      return 'text' in opened && (JSON.parse(opened.text.toString()) as { icon: unknown }).icon
    }
    await send(at(`${GOOGLE}/a`))
    await send(at(`${GOOGLE}/a`), { message: 'x'.repeat(3880) })
    expect(sent.map(({ body }) => iconOf(body))).to.deep.equal(['https://example.com/icon.png', null])
  })

  it('sends the declarative form to those who read it, unless it would not fit', async () => {
    const { send, sent } = world(() => ({}))
    const reader = (endpoint: string) => at(endpoint, { keys: keysOf({ declarative: true }) })
    await send(at(`${GOOGLE}/a`))
    await send(reader(`${GOOGLE}/b`))
    await send(reader(`${GOOGLE}/c`), { message: 'x'.repeat(2000) })
    const payloads = sent.map(({ body }) => {
      const opened = decryptPush(body, browserKeys)
      return 'text' in opened ? (JSON.parse(opened.text.toString()) as { web_push?: number; msg: string }) : undefined
    })
    expect(payloads.map((payload) => payload?.web_push)).to.deep.equal([undefined, 8030, undefined])
    expect(payloads[2]?.msg).to.have.length(2000)
  })

  it('sends nothing to anybody that is too large', async () => {
    const { send, sent } = world(() => ({}))
    const content = { message: 'x'.repeat(4000) }
    for (const more of [{}, { isApp: true as const }]) {
      expect(await send(at(`${GOOGLE}/a`, more), content)).to.include({ kind: 'payload_error', everyone: true })
    }
    expect(sent).to.have.length(0)
  })

  const silent: [string, Partial<PushContent>][] = [
    ['has nothing to show', { title: '', message: '' }],
    ['only wakes an app', { title: '', message: '', background: true }],
  ]
  for (const [name, content] of silent) {
    it(`sends to an app what ${name}, and not to a browser`, async () => {
      const { send, sent } = world(() => ({}))
      expect(await send(at(`${GOOGLE}/a`), content)).to.include({ kind: 'payload_error', everyone: false })
      expect(sent).to.have.length(0)
      expect(await send(at(`${GOOGLE}/a`, { isApp: true }), content)).to.include({ kind: 'accepted' })
      const opened = decryptPush(sent[0]!.body, browserKeys)
      expect('text' in opened && JSON.parse(opened.text.toString())).to.deep.include({ title: '', msg: '' })
    })
  }

  const off = Buffer.from(browser.getPublicKey())
  off[64]! ^= 1
  const dead: [string, PushRecipient, RegExp][] = [
    ['plain http', at('http://push.example.com/a'), /only https/],
    ['another port', at('https://push.example.com:8443/a'), /port 443/],
    ['a user name', at('https://me:pw@push.example.com/a'), /user name/],
    ['this machine', at('https://127.0.0.1/a'), /not a public address/],
    ['this machine, in other digits', at('https://0x7f.1/a'), /not a public address/],
    ['a private network', at('https://[::ffff:10.0.0.1]/a'), /not a public address/],
    ['a private network behind NAT64', at('https://[64:ff9b::a00:1]/a'), /not a public address/],
    ['the cloud that we run in', at('https://169.254.169.254/latest'), /not a public address/],
    ['no address at all', at('push'), /not a URL/],
    ['no keys', { token: `${GOOGLE}/a` }, /no usable keys/],
    ['keys that are no JSON', at(`${GOOGLE}/a`, { keys: '{' }), /no usable keys/],
    ['a short key', at(`${GOOGLE}/a`, { keys: keysOf({ keys: { p256dh: 'BAAA', auth: 'AAAA' } }) }), /no usable keys/],
    [
      'a key that is no point',
      at(`${GOOGLE}/a`, {
        keys: keysOf({ keys: { p256dh: off.toString('base64url'), auth: auth.toString('base64url') } }),
      }),
      /not a point/,
    ],
    ['a time that is over', at(`${GOOGLE}/a`, { keys: keysOf({ expirationTime: NOW }) }), /expired at 2026/],
  ]
  for (const [name, recipient, reason] of dead) {
    it(`gives a subscription up that has ${name}, without a request`, async () => {
      const { send, sent } = world(() => ({}))
      const outcome = await send(recipient)
      expect(outcome).to.include({ kind: 'token_dead', local: true })
      expect(outcome).to.have.property('reason').that.matches(reason)
      expect(sent).to.have.length(0)
    })
  }

  it('takes private addresses and other ports where the configuration allows them', async () => {
    const { send } = world(() => ({}), { allowPrivate: true })
    expect(await send(at('https://127.0.0.1:8443/a'))).to.deep.equal({ kind: 'accepted' })
    expect(await send(at('http://127.0.0.1:8443/a'))).to.include({ kind: 'token_dead' })
  })

  it('gives a subscription up whose host turns out to be private', async () => {
    const refused = new HttpFailure('refused', 'x resolves to 10.0.0.1, not a public address')
    const { send } = world(
      () => new Http2Failure('unreachable', 'cannot connect', { cause: new Error('a', { cause: refused }) }),
    )
    const outcome = await send(at('https://rebind.example.com/a'))
    expect(outcome).to.deep.equal({ kind: 'token_dead', reason: `refused: ${refused.message}`, local: true })
  })

  it('tries the other keys when a subscription was made with one of them, and says which it was', async () => {
    const { send, sent } = world((request) => (keyOf(request) === KEYS[2]!.publicKey ? {} : { status: 403 }))
    expect(await send(at(`${GOOGLE}/a`))).to.deep.equal({ kind: 'accepted', environment: `vapid:${KEYS[2]!.id}` })
    expect(sent.map(keyOf)).to.deep.equal(KEYS.map((key) => key.publicKey))
    expect(`vapid:${KEYS[2]!.id}`).to.have.length.at.most(16)
    sent.length = 0
    expect(await send(at(`${GOOGLE}/a`, { environment: `vapid:${KEYS[2]!.id}` }))).to.deep.equal({ kind: 'accepted' })
    expect(sent).to.have.length(1)
  })

  it('suspects the subscription when no key fits', async () => {
    const { send, sent } = world(() => ({ status: 400, body: '{"reason":"VapidPkHashMismatch"}' }))
    const outcome = await send(at(`${GOOGLE}/a`))
    expect(outcome).to.include({ kind: 'token_suspect' }).and.not.to.have.property('local')
    expect(outcome).to.have.property('reason').that.includes('VapidPkHashMismatch').and.includes('subscribe again')
    expect(sent).to.have.length(3)
  })

  it('stops trying keys at the first answer that is about something else', async () => {
    const { send, sent } = world((_, i) => (i === 0 ? { status: 403 } : { status: 410 }))
    expect(await send(at(`${GOOGLE}/a`))).to.include({ kind: 'token_dead' })
    expect(sent).to.have.length(2)
  })

  const likely: [string, Partial<PushRecipient>, number[]][] = [
    ['that was current when the browser subscribed', { registeredAt: NOW - 1.5 * HOUR }, [1, 0, 2]],
    ['that is current, for one of today', { registeredAt: NOW }, [0, 1, 2]],
    ['that is current, for one from before all keys', { registeredAt: NOW - 9 * HOUR }, [0, 1, 2]],
    ['that worked before', { registeredAt: NOW, environment: `vapid:${KEYS[1]!.id}` }, [1, 0, 2]],
    ['that is current, when the one that worked is gone', { registeredAt: NOW, environment: 'vapid:gone' }, [0, 1, 2]],
  ]
  for (const [name, recipient, order] of likely) {
    it(`begins with the key ${name}`, () =>
      expect(byLikelihood(KEYS, recipient)).to.deep.equal(order.map((i) => KEYS[i]!)))
  }

  it('leaves a throttled endpoint alone, whatever is sent, and goes on with the others of its service', async () => {
    const { send, sent, clock } = world(({ path }) =>
      path === '/a' ? { status: 429, headers: { 'retry-after': '120' } } : {},
    )
    expect(await send(at(`${OWN}/a`))).to.include({ kind: 'throttled_gateway', afterMs: 120_000, local: 'recipient' })
    clock.now += 20_000
    expect(await send(at(`${OWN}/a`), { title: 'Another' })).to.include({ afterMs: 100_000, local: 'recipient' })
    expect(await send(at(`${OWN}/b`))).to.include({ kind: 'accepted' })
    expect(sent.map(({ path }) => path)).to.deep.equal(['/a', '/b'])
    clock.now += 100_000
    await send(at(`${OWN}/a`))
    expect(sent).to.have.length(3)
  })

  it('leaves a service alone that throttles several endpoints, and goes on with the others', async () => {
    const { send, sent, clock } = world(({ origin }) =>
      origin === GOOGLE ? { status: 429, headers: { 'retry-after': '120' } } : {},
    )
    for (const path of ['/a', '/b', '/c', '/d', '/e']) {
      expect(await send(at(GOOGLE + path))).to.include({ kind: 'throttled_gateway', afterMs: 120_000 })
    }
    clock.now += 20_000
    expect(await send(at(`${GOOGLE}/f`))).to.include({ kind: 'throttled_gateway', afterMs: 100_000, local: true })
    expect(await send(at(`${OWN}/c`))).to.include({ kind: 'accepted' })
    expect(sent).to.have.length(6)
    clock.now += 100_000
    await send(at(`${GOOGLE}/f`))
    expect(sent).to.have.length(7)
  })

  it('waits twice as long each time for an endpoint that throttles and names no time, up to an hour', async () => {
    const { send, sent, clock } = world((_, i) => (i < 9 ? { status: 429 } : i === 9 ? {} : { status: 429 }))
    const waits: number[] = []
    for (let i = 0; i < 9; i++) {
      const { afterMs } = (await send(at(`${OWN}/a`))) as { afterMs: number }
      waits.push(afterMs / 60_000)
      clock.now += afterMs
    }
    expect(waits).to.deep.equal([1, 2, 4, 8, 16, 32, 60, 60, 60])
    expect(await send(at(`${OWN}/a`))).to.include({ kind: 'accepted' })
    expect(await send(at(`${OWN}/a`))).to.include({ afterMs: 60_000 })
    clock.now += 60_000
    expect(await send(at(`${OWN}/a`))).to.include({ afterMs: 120_000 })
    // What was an hour ago counts no more.
    clock.now += 120_000 + 3_600_000
    expect(await send(at(`${OWN}/a`))).to.include({ afterMs: 60_000 })
    expect(sent).to.have.length(13)
  })

  it('asks an endpoint that throttles no sooner than after a second, then less and less often, whatever it wants', async () => {
    const { send, clock } = world(() => ({ status: 429, headers: { 'retry-after': '0' } }))
    const waits: number[] = []
    for (let i = 0; i < 8; i++) {
      const { afterMs } = (await send(at(`${OWN}/a`))) as { afterMs: number }
      waits.push(afterMs / 1000)
      clock.now += afterMs
    }
    expect(waits).to.deep.equal([1, 2, 4, 8, 16, 32, 60, 60])
  })

  it('holds nobody up when a server has no subscriber for some, throttles one and serves the rest', async () => {
    const { send, sent } = world(({ path }) =>
      path.startsWith('/gone')
        ? { status: 507, body: '{"code":50701,"http":507}' }
        : path === '/busy'
          ? { status: 429 }
          : {},
    )
    for (let round = 0; round < 30; round++) {
      expect(await send(at(`${OWN}/gone${round}`))).to.include({ kind: 'gateway_down', local: 'recipient' })
      expect(await send(at(`${OWN}/busy`))).to.include({ kind: 'throttled_gateway', local: 'recipient' })
      expect(await send(at(`${OWN}/well${round}`))).to.include({ kind: 'accepted' })
    }
    expect(sent.filter(({ path }) => path === '/busy')).to.have.length(1)
  })

  it('lets a stranger that hangs hold ten requests, and sends to the next one', async () => {
    const { promise, resolve } = Promise.withResolvers<Answer>()
    const { send, sent } = world(({ origin }) => (origin === 'https://slow.example.com' ? promise : {}))
    const waiting = Array.from({ length: 30 }, (_, i) => send(at(`https://slow.example.com/${i}`)))
    for (const outcome of await Promise.all(waiting.slice(10))) {
      expect(outcome).to.include({ kind: 'gateway_down', local: true })
    }
    expect(await send(at(`${OWN}/a`))).to.include({ kind: 'accepted' })
    expect(sent).to.have.length(11)
    resolve({})
    await Promise.all(waiting)
  })

  const failures: [string, Http2Failure, object][] = [
    ['cannot be reached', new Http2Failure('unreachable', 'no'), { kind: 'gateway_down', local: true }],
    [
      'shows a certificate of somebody else',
      new Http2Failure('untrusted', 'no'),
      { kind: 'gateway_down', local: true },
    ],
    ['asks for calm', new Http2Failure('calm', 'no'), { kind: 'throttled_gateway', local: true }],
    ['hangs up on the request', new Http2Failure('uncertain', 'no'), { kind: 'uncertain' }],
  ]
  for (const [name, failure, expected] of failures) {
    it(`blames nobody else when a service ${name}`, async () => {
      const { send } = world(() => failure)
      expect(await send(at(`${GOOGLE}/a`))).to.include(expected)
    })
  }

  it('lets services that nobody knows hold no more than forty requests', async () => {
    const { promise, resolve } = Promise.withResolvers<Answer>()
    const { send, sent, sender } = world(({ origin }) => (origin === GOOGLE ? {} : promise))
    const waiting = Array.from({ length: 60 }, (_, i) => send(at(`https://h${i % 8}.example.com/${i}`)))
    const crowded = await Promise.all(waiting.slice(40))
    for (const outcome of crowded) expect(outcome).to.include({ kind: 'gateway_down', local: true })
    expect(sent).to.have.length(40)
    expect(await send(at(`${GOOGLE}/a`))).to.include({ kind: 'accepted' })
    resolve({})
    await Promise.all(waiting)
    await sender.close()
  })

  it('keeps connections to no more than eight services that nobody knows, two to each, also when they accept', async () => {
    const { promise, resolve } = Promise.withResolvers<Answer>()
    let hangs = false
    const { send, opened, closed, sent, sender } = world(() => (hangs ? promise : {}))
    for (let i = 0; i < 10; i++) await send(at(`https://h${i}.example.com/a`))
    expect(closed).to.deep.equal(['https://h0.example.com', 'https://h1.example.com'])
    for (const { maxSessions } of opened) expect(maxSessions).to.equal(2)
    hangs = true
    const held = Array.from({ length: 8 }, (_, i) => send(at(`https://h${i + 2}.example.com/b`)))
    expect(await send(at('https://h10.example.com/b'))).to.include({ kind: 'gateway_down', local: true })
    expect(sent).to.have.length(18)
    hangs = false
    expect(await send(at(`${GOOGLE}/b`))).to.include({ kind: 'accepted' })
    expect(opened.at(-1)).to.not.have.property('maxSessions')
    resolve({})
    for (const outcome of await Promise.all(held)) expect(outcome).to.include({ kind: 'accepted' })
    await sender.close()
  })

  it('sends to known push services and named hosts only, and keeps the token of others', async () => {
    const { send, sent, sender } = world(() => ({}), {
      allowPrivate: ['https://127.0.0.1:8443'],
      pushHosts: { extraHosts: ['push.intranet', 'example.org'] },
    })
    const taken = [
      `${GOOGLE}/a`,
      'https://updates.push.services.mozilla.com/wpush/v2/a',
      'https://web.push.apple.com/a',
      'https://wns2-by3p.notify.windows.com/w/a',
      'https://jmt17.google.com/fcm/send/a',
      'https://push.intranet/a',
      'https://up.example.org/a',
      'https://127.0.0.1:8443/a',
    ]
    for (const endpoint of taken) expect(await send(at(endpoint)), endpoint).to.include({ kind: 'accepted' })
    const refused = [
      'https://example.com/a',
      'https://notexample.org/a',
      'https://fcm.googleapis.com.example.com/a',
      'https://evil-push.apple.com.example/a',
      'https://push.intranet.example/a',
    ]
    for (const endpoint of refused) {
      const outcome = await send(at(endpoint))
      expect(outcome, endpoint).to.include({ kind: 'payload_error', everyone: false })
      expect((outcome as { reason: string }).reason)
        .to.include(new URL(endpoint).hostname)
        .and.include('webPush.extraHosts')
    }
    expect(await send(at('https://127.0.0.1:8444/a'))).to.include({ kind: 'token_dead', local: true })
    expect(sent).to.have.length(taken.length)
    await sender.close()
    const any = world(() => ({}), { pushHosts: { anyHost: true } })
    expect(await any.send(at('https://example.com/a'))).to.include({ kind: 'accepted' })
    await any.sender.close()
  })

  it('asks unknown hosts whether they are UnifiedPush servers before it sends to them, where the operator wants that', async () => {
    const asked: string[] = []
    const sendHttp: SendOutbound = async ({ url }) => {
      asked.push(url)
      const body = Buffer.from(url.includes('ntfy') ? '{"unifiedpush":{"version":1}}' : 'hello')
      return { status: 200, headers: {}, body, isCut: false, certificateEnds: 0 }
    }
    const { send, sent } = world(() => ({}), {
      allowPrivate: ['https://127.0.0.1:8443'],
      pushHosts: { unifiedPush: true, extraHosts: ['push.intranet'] },
      sendHttp,
    })
    const named = [`${GOOGLE}/a`, 'https://push.intranet/a', 'https://127.0.0.1:8443/a']
    for (const endpoint of named) expect(await send(at(endpoint)), endpoint).to.include({ kind: 'accepted' })
    expect(asked).to.deep.equal([])
    expect(await send(at('https://ntfy.example.com/a?up=1'))).to.include({ kind: 'accepted' })
    expect(await send(at('https://example.com/a'))).to.include({ kind: 'payload_error', everyone: false })
    expect(await send(at('https://10.0.0.1/a'))).to.include({ kind: 'token_dead' })
    expect(await send(at('https://ntfy.example.com:8443/a'))).to.include({ kind: 'token_dead' })
    expect(asked).to.deep.equal(['https://ntfy.example.com/a?up=1', 'https://example.com/a'])
    expect(sent).to.have.length(4)
  })

  it('keeps connections to few services, the most recently used', async () => {
    const pushHosts = { extraHosts: ['example.com'] }
    const { send, opened, closed, sender } = world(() => ({}), { pushHosts })
    for (let i = 0; i < 34; i++) await send(at(`https://h${i}.example.com/a`))
    expect(closed).to.deep.equal(['https://h0.example.com', 'https://h1.example.com'])
    await send(at('https://h33.example.com/b'))
    expect(opened).to.have.length(34)
    await sender.close()
    expect(closed).to.have.length(34)
  })

  it('says nothing to anybody after it was closed', async () => {
    const { send, sender, sent } = world(() => ({}))
    await sender.close()
    // Pages that still hold it go on with the next one: the lane is well.
    expect(await send(at(`${GOOGLE}/a`))).to.include({ kind: 'gateway_down', afterMs: 0, local: true })
    expect(sent).to.have.length(0)
  })
})
