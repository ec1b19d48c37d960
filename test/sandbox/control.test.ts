import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { PushContent, PushPreview } from '../../src/domain/gateways/gateway.ts'
import { gateways } from '../../src/domain/gateways/registry.ts'
import { cardOf } from '../../src/sandbox/card.ts'
import type { Received, Sandbox } from '../../src/sandbox/sandbox.ts'
import { visit } from '../support/visit.ts'
import { connectApns, connectFcm, payloadOf, push, sandboxWith, stopAll, TOKEN } from './senders.ts'

const HOSTILE = '</script><img src=x onerror=alert(1)>\n\ndata: forged'

interface Listed {
  messages: (Received & { card: Record<string, unknown> })[]
  next: number | null
}

describe('the control API of the sandbox', () => {
  let sandbox: Sandbox
  before(async () => {
    sandbox = await sandboxWith()
  })
  after(stopAll)
  beforeEach(async () => {
    sandbox.reset()
    await sandbox.setPlan({})
  })

  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${sandbox.urls.http}${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    const text = await response.text()
    const json = response.headers.get('content-type')?.startsWith('application/json') ?? false
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: json ? (JSON.parse(text) as unknown) : undefined,
    }
  }
  const list = async (query = '') => (await call('GET', `/messages${query}`)).body as Listed

  it('answers to addresses, to localhost and to names without a dot, and to no other name', async () => {
    const ask = (host: string, path = '/credentials') => visit(sandbox.urls.http, { host, path })
    for (const host of ['127.0.0.1', '127.0.0.1:1', '[::1]:8090', 'localhost:8090', 'box.localhost', 'sandbox:8090']) {
      expect((await ask(host)).status, host).to.equal(200)
    }
    for (const path of ['/', '/credentials', '/messages', '/events', '/ca.pem']) {
      const refused = await ask('rebound.example:8090', path)
      expect(refused.status, path).to.equal(403)
      expect(refused.text).to.include('does not answer to the name rebound.example').and.not.include('PRIVATE')
    }
  })

  it('lists messages, the newest first, page by page and filtered', async () => {
    const session = await connectApns(sandbox)
    const other = 'cd'.repeat(32)
    await push(session, {}, payloadOf(1))
    await push(session, {}, payloadOf(2), other)
    await push(session, { 'apns-priority': '7' }, payloadOf(3))
    expect((await list()).messages.map((one) => one.answer)).to.deep.equal(['400 BadPriority', '200', '200'])
    expect((await list(`?token=${other}`)).messages.map((one) => one.notificationId)).to.deep.equal(['2'])
    expect((await list('?notification=1')).messages.map((one) => one.token)).to.deep.equal([TOKEN])
    expect((await list('?taken=false')).messages).to.have.length(1)
    expect((await list('?gateway=fcm')).messages).to.deep.equal([])
    const first = await list('?limit=2')
    expect(first.messages).to.have.length(2)
    const rest = await list(`?limit=2&before=${first.next}`)
    expect(rest.messages.map((one) => one.notificationId)).to.deep.equal(['1'])
    expect(rest.next).to.equal(null)
    expect((await call('GET', '/messages?limit=0')).status).to.equal(422)
  })

  it('counts, tells about a token, and forgets', async () => {
    const session = await connectApns(sandbox)
    await push(session, {}, payloadOf(1))
    await push(session, {}, payloadOf(1))
    expect((await call('GET', '/counts')).body).to.deep.include({
      taken: 2,
      deliveries: { distinct: 1, repeated: 1, max: 2 },
    })
    expect((await call('GET', `/tokens/${TOKEN}`)).body).to.deep.include({ token: TOKEN, taken: 2, declared: [] })
    expect((await call('DELETE', '/messages')).status).to.equal(204)
    expect((await call('GET', '/counts')).body).to.deep.include({ taken: 0 })
    expect(await list()).to.deep.equal({ messages: [], next: null })
  })

  it('declares tokens', async () => {
    const device = { gateway: 'apns', deadSince: 5 }
    expect((await call('PUT', `/tokens/${TOKEN}`, device)).body).to.deep.equal({ ...device, token: TOKEN })
    expect((await push(await connectApns(sandbox))).status).to.equal(410)
    expect((await call('PUT', `/tokens/${TOKEN}`, { gateway: 'hms' })).body).to.have.nested.property('fields.gateway')
    expect((await call('DELETE', `/tokens/${TOKEN}`)).status).to.equal(204)
    expect((await call('DELETE', `/tokens/${TOKEN}`)).status).to.equal(404)
  })

  it('calls a declared device by its name', async () => {
    expect((await call('PUT', `/tokens/${TOKEN}`, { gateway: 'apns', name: "Anna's iPhone" })).status).to.equal(200)
    expect((await push(await connectApns(sandbox))).status).to.equal(200)
    expect((await list()).messages[0]).to.include({ device: "Anna's iPhone" })
    const refused = await call('PUT', `/tokens/${TOKEN}`, { gateway: 'apns', name: 'x'.repeat(101) })
    expect(refused.body).to.have.nested.property('fields.name')
  })

  it('changes the plan and says what is wrong with one', async () => {
    const plan = { rules: [{ effect: { reason: 'Shutdown' } }] }
    expect((await call('PUT', '/plan', plan)).body).to.deep.include({ plan })
    expect((await push(await connectApns(sandbox))).status).to.equal(503)
    expect((await call('GET', '/plan')).body).to.deep.include({ rules: [{ name: 'rule 1', fitted: 1, struck: 1 }] })
    const refused = await call('PUT', '/plan', { rules: [{ effect: {} }] })
    expect(refused.status).to.equal(422)
    expect((refused.body as { fields: object }).fields).to.have.keys('rules[0].effect')
    const noJson = await fetch(`${sandbox.urls.http}/plan`, { method: 'PUT', body: '{}' })
    expect(noJson.status).to.equal(415)
  })

  it('hands out the authority, the credentials and the settings', async () => {
    expect((await call('GET', '/ca.pem')).text).to.equal(sandbox.ca)
    const credentials = (await call('GET', '/credentials')).body as Record<string, Record<string, unknown>>
    expect(credentials['p8']).to.have.keys('p8', 'keyId', 'teamId')
    expect(credentials['serviceAccount']).to.include({ projectId: 'appsvc-sandbox', tokenUri: sandbox.urls.fcmToken })
    expect(credentials['environment']).to.deep.equal(sandbox.environment)
    expect((await call('GET', '/healthz')).body).to.deep.equal({ status: 'ok' })
    expect((await call('GET', '/nothing')).status).to.equal(404)
    expect((await call('POST', '/counts')).status).to.equal(405)
  })

  describe('the page', () => {
    it('allows no script but its own', async () => {
      const page = await call('GET', '/')
      expect(page.headers.get('content-type')).to.match(/^text\/html/)
      const policy = page.headers.get('content-security-policy')
      expect(policy).to.contain("default-src 'none'").and.contain("script-src 'self'").and.not.contain('unsafe')
      expect(page.headers.get('x-content-type-options')).to.equal('nosniff')
      expect(page.text).not.to.match(/<script(?![^>]*src="sandbox\.js")|\son\w+=|https?:\/\//)
    })

    it('puts texts in as text only', async () => {
      const script = await call('GET', '/sandbox.js')
      expect(script.headers.get('content-type')).to.match(/javascript/)
      expect(script.text).not.to.match(
        /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|createContextualFragment|srcdoc|\.href\s*=/,
      )
      expect((await call('GET', '/sandbox.css')).headers.get('content-type')).to.match(/css/)
    })

    it('gets hostile texts as JSON that nothing sniffs as HTML', async () => {
      await push(await connectApns(sandbox), {}, { aps: { alert: { title: HOSTILE, body: HOSTILE } } })
      const answer = await call('GET', '/messages')
      expect(answer.headers.get('content-type')).to.match(/^application\/json/)
      expect((answer.body as Listed).messages[0]?.card).to.include({ title: HOSTILE, body: HOSTILE })
    })

    it('is told about new messages, and no text can forge an event', async () => {
      const stream = await fetch(`${sandbox.urls.http}/events`)
      const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader()
      let text = ''
      await push(await connectApns(sandbox), {}, { aps: { alert: HOSTILE } })
      while (!/event: batch\n.*\n\n/.test(text)) text += (await reader.read()).value ?? ''
      await reader.cancel()
      const lines = text.split('\n').filter((line) => line.startsWith('data:'))
      expect(lines).to.have.length(1)
      const { messages } = JSON.parse(lines[0]!.slice(5)) as Listed
      expect(messages[0]?.card).to.include({ body: HOSTILE })
    })
  })
})

describe('what a phone makes of a message', () => {
  after(stopAll)

  it('reads a push to an iPhone', async () => {
    const sandbox = await sandboxWith()
    const payload = {
      aps: { alert: { title: 'T', body: 'B' }, badge: 3, sound: 'ping.aiff', category: 'c', 'mutable-content': 1 },
      attachments: { pictureUrl: 'https://example.com/p.png' },
      custom: {
        u: 'https://example.com',
        badge_inc: 2,
        a: { 'k.message': { type: 1, data: { id: 9 } }, 'k.buttons': [{ id: 'a', text: 'Yes' }] },
      },
    }
    await push(await connectApns(sandbox), { 'apns-collapse-id': 'key' }, payload)
    expect(cardOf(sandbox.received()[0]!)).to.deep.equal({
      platform: 'ios',
      app: 'com.example.app',
      visible: true,
      title: 'T',
      body: 'B',
      badge: '+2',
      sound: 'ping.aiff',
      picture: 'https://example.com/p.png',
      url: 'https://example.com',
      category: 'c',
      buttons: [{ text: 'Yes' }],
      collapseKey: 'key',
      background: false,
      important: false,
    })
  })

  it('reads everything that a push can say', async () => {
    const content: PushContent = {
      notificationId: 9,
      title: 'T',
      message: 'B',
      background: false,
      buttons: [
        { id: 'buy', text: 'Buy', icon: { type: 'system', id: 'cart' } },
        { id: 'no', text: 'No' },
      ],
      ios: {
        subtitle: 'S',
        threadId: 'order-7',
        interruptionLevel: 'time-sensitive',
        sound: { critical: true, name: 'siren.caf' },
      },
      android: { channelId: 'orders', importance: 'high' },
    }
    const received = (gateway: string, { headers, payload }: PushPreview) =>
      ({ gateway, topic: 'app', headers, payload: JSON.stringify(payload) }) as unknown as Received
    const message = { content, expiresAt: 0, replacementKey: 'n9' }
    expect(cardOf(received('apns', gateways.ios.preview(message)))).to.include({
      subtitle: 'S',
      thread: 'order-7',
      interruption: 'time-sensitive',
      critical: true,
      sound: 'siren.caf',
      important: true,
    })
    expect(cardOf(received('apns', gateways.ios.preview(message))).buttons).to.deep.equal([
      { text: 'Buy', icon: 'cart' },
      { text: 'No' },
    ])
    const android = cardOf(received('fcm', gateways.android.preview(message)))
    expect(android).to.include({ channel: 'orders', important: true })
    expect(android.buttons).to.deep.equal([{ text: 'Buy' }, { text: 'No' }])
  })

  it('reads a data message to an Android phone', async () => {
    const sandbox = await sandboxWith()
    const custom = JSON.stringify({
      a: { 'k.message': { type: 1, data: { id: 9 } }, 'k.buttons': [{ id: 'a', text: 'Yes' }] },
      u: 'app://x',
    })
    const fcm = await connectFcm(sandbox)
    await fcm.send({
      token: 't',
      data: { title: 'T', alert: 'B', custom, bgn: '1', bicon: 'https://e/p.png' },
      android: { priority: 'high', collapse_key: 'k' },
    })
    expect(cardOf(sandbox.received()[0]!)).to.deep.equal({
      platform: 'android',
      app: 'appsvc-sandbox',
      visible: true,
      title: 'T',
      body: 'B',
      picture: 'https://e/p.png',
      url: 'app://x',
      buttons: [{ text: 'Yes' }],
      collapseKey: 'k',
      background: true,
      important: true,
    })
    await fcm.send({ token: 't', data: { title: 'T' } })
    expect(cardOf(sandbox.received()[0]!).visible).to.equal(false)
  })

  it('tells which in-app message a push announces, on every platform', () => {
    const a = { 'k.message': { type: 1, data: { id: 3 } }, 'k.deepLink': { type: 1, data: { id: 8 } } }
    const words = { custom: JSON.stringify({ a }) }
    const base = { seq: 1, at: 1, token: 't', id: 'i', topic: 'a', taken: true, answer: '200', headers: {} }
    const inApp = (gateway: Received['gateway'], payload: unknown) =>
      cardOf({ ...base, gateway, payload: JSON.stringify(payload) }).inApp
    expect(inApp('apns', { custom: { a } })).to.equal('8')
    expect(inApp('fcm', { message: { data: words } })).to.equal('8')
    expect(inApp('hcm', { message: { data: JSON.stringify(words) } })).to.equal('8')
    expect(inApp('web', { data: a })).to.equal('8')
    expect(inApp('web', { data: { 'k.deepLink': 8 } })).to.equal(undefined)
  })

  it('survives any payload', () => {
    const message: Received = {
      seq: 1,
      at: 1,
      gateway: 'apns',
      token: 't',
      id: 'i',
      topic: 'a',
      taken: true,
      answer: '200',
      headers: {},
      payload: '',
    }
    for (const payload of [
      '',
      '[]',
      'null',
      '{"aps":1}',
      '{"aps":{"alert":[]},"custom":{"a":{"k.buttons":[null,{"text":{}}]}}}',
    ]) {
      expect(cardOf({ ...message, payload }).visible).to.equal(false)
      expect(cardOf({ ...message, payload, gateway: 'fcm' }).visible).to.equal(false)
    }
  })
})

describe('a sandbox with a directory', () => {
  let dir: string
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sandbox-'))
  })
  after(async () => {
    await stopAll()
    await rm(dir, { recursive: true })
  })

  it('has the same credentials after a restart, also as files', async () => {
    const first = await sandboxWith({ dir })
    await first.close()
    const second = await sandboxWith({ dir })
    expect(second.ca).to.equal(first.ca)
    expect(second.credentials.p12).to.deep.equal(first.credentials.p12)
    expect(second.credentials.p8).to.deep.equal(first.credentials.p8)
    const files = await readdir(dir)
    expect(files).to.include.members([
      'ca.pem',
      'push.p12',
      'push.p12.password',
      'service-account.json',
      `AuthKey_${first.credentials.p8.keyId}.p8`,
    ])
    for (const file of files) expect((await stat(join(dir, file))).mode & 0o777, file).to.equal(0o600)
    expect(JSON.parse(await readFile(join(dir, 'service-account.json'), 'utf8'))).to.include({
      type: 'service_account',
    })
    expect((await push(await connectApns(second))).status).to.equal(200)
  })

  it('gets a certificate for other topics when they change', async () => {
    const topics = ['org.other', 'org.other.voip']
    const sandbox = await sandboxWith({ dir, topics })
    expect(sandbox.credentials.p12.topics).to.deep.equal(topics)
    const session = await connectApns(sandbox)
    expect((await push(session, { 'apns-topic': 'org.other.voip' })).status).to.equal(200)
    expect((await push(session)).status).to.equal(400)
  })

  it('keeps as many messages as it is told', async () => {
    const sandbox = await sandboxWith({ keep: 2 })
    const session = await connectApns(sandbox)
    for (const id of [1, 2, 3]) await push(session, {}, payloadOf(id))
    expect(sandbox.received().map((one) => one.notificationId)).to.deep.equal(['3', '2'])
    const counting = await sandboxWith({ keep: 0 })
    await push(await connectApns(counting))
    expect(counting.received()).to.deep.equal([])
    expect(counting.counts().taken).to.equal(1)
  })
})
