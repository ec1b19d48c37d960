import { expect } from 'chai'
import { signUser, verifyWebhook, WebhookVerificationError } from '../../../clients/server/src/index.ts'
import { openTestProgram, type TestProgram } from '../../support/program.ts'
import { addWebhook, type Received, scriptedEndpoints, tracker, webhookWorker } from '../../support/webhooks.ts'

describe('verifying webhooks with the client for servers', () => {
  let test: TestProgram
  let secret: string
  let newest: string
  let one: Received
  let batch: Received
  before(async () => {
    test = await openTestProgram()
    // The verifier's clock is the machine's.
    test.clock.set(Date.now())
    const { track } = tracker(test)
    const { send, received } = scriptedEndpoints()
    const single = await addWebhook(test)
    secret = single.secret
    await track()
    await webhookWorker(test, send).turn()
    one = received[0]!
    const rotated = await test.program.inTransaction((tx) => tx.webhooks.rotate(test.first.id, single.webhook.id, 60))
    newest = rotated.secret
    await test.program.inTransaction((tx) =>
      tx.webhooks.update(test.first.id, single.webhook.id, { batch: { max: 2, waitMs: 0 } }),
    )
    await track(2)
    await webhookWorker(test, send).turn()
    batch = received[1]!
  })
  after(() => test.close())

  it('reads a message of the server, as a text and as bytes', () => {
    for (const body of [one.text, new TextEncoder().encode(one.text), Buffer.from(one.text)]) {
      const message = verifyWebhook(secret, one.headers, body)
      expect(message).to.deep.include({ id: one.headers['webhook-id'], type: 'bought', isReplay: false })
      expect(message.events).to.deep.equal([one.body.data])
    }
  })

  it('takes headers as fetch and as Node have them', () => {
    const upper = Object.fromEntries(Object.entries(one.headers).map(([name, value]) => [name.toUpperCase(), [value]]))
    for (const headers of [new Headers(one.headers), upper])
      expect(verifyWebhook(secret, headers, one.text).type).to.equal('bought')
  })

  it('takes either secret while one replaces the other, and a batch', () => {
    for (const each of [secret, newest, [newest, secret], ['whsec_AAAA', newest]] as const) {
      const message = verifyWebhook(each, batch.headers, batch.text)
      expect(message.type).to.equal('batch')
      expect(message.events).to.have.length(2)
    }
  })

  it('has no events for the message of a test', () => {
    const text = JSON.stringify({ type: 'appsvc.test', timestamp: '2026-01-01T00:00:00Z', data: {} })
    const id = 'msg_1'
    const seconds = Math.floor(Date.now() / 1000)
    return import('standardwebhooks').then(({ Webhook }) => {
      const signature = new Webhook(secret).sign(id, new Date(seconds * 1000), text)
      const headers = { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': signature }
      expect(verifyWebhook(secret, headers, text)).to.deep.equal({
        id,
        type: 'appsvc.test',
        events: [],
        isReplay: false,
      })
    })
  })

  const FORGED: Record<string, (message: Received) => [secret: string | string[], headers: object, body: string]> = {
    'another body': ({ headers, text }) => [secret, headers, `${text} `],
    'a byte order mark': ({ headers, text }) => [secret, headers, `\ufeff${text}`],
    'another id': ({ headers, text }) => [secret, { ...headers, 'webhook-id': 'evt_1' }, text],
    'no signature': ({ headers, text }) => [secret, { ...headers, 'webhook-signature': '' }, text],
    'no headers': ({ text }) => [secret, {}, text],
    'a later time': ({ headers, text }) => [
      secret,
      { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) },
      text,
    ],
    'an old time': ({ headers, text }) => [secret, { ...headers, 'webhook-timestamp': '1700000000' }, text],
    'a time that is none': ({ headers, text }) => [secret, { ...headers, 'webhook-timestamp': 'now' }, text],
    'another secret': ({ headers, text }) => ['whsec_AAAA', headers, text],
    'two other secrets': ({ headers, text }) => [['whsec_AAAA', 'whsec_BBBB'], headers, text],
  }
  for (const [what, forge] of Object.entries(FORGED))
    it(`refuses ${what}`, () => {
      const [given, headers, body] = forge(one)
      expect(() => verifyWebhook(given, headers as Record<string, string>, body)).to.throw(WebhookVerificationError)
    })

  it('needs a secret', () => {
    expect(() => verifyWebhook([], one.headers, one.text)).to.throw(TypeError)
    expect(() => verifyWebhook('', one.headers, one.text)).to.throw()
  })
})

describe('signing users with the client for servers', () => {
  const KEY = 'uk_ExampleExampleExampleExampleExampleExample0'

  it('makes the token of the handbook', async () => {
    const token = 'su1.YW5uYUBleGFtcGxlLmNvbQ.0.PILMLilWrOrTdnLTwewZceU4_DEa2k6yYrmbQOOSZzI'
    expect(await signUser(KEY, 'anna@example.com')).to.equal(token)
  })

  const WRONG: readonly (readonly [what: string, key: string, identifier: string, expires?: Date])[] = [
    ['another key', 'sk_Example', 'anna'],
    ['no identifier', KEY, ''],
    ['a token', KEY, 'su1.YW5uYQ.0.x'],
    ['an identifier that makes the token too long', KEY, 'a'.repeat(200)],
    ['a date that is none', KEY, 'anna', new Date(Number.NaN)],
    ['the beginning of time, which would mean never', KEY, 'anna', new Date(0)],
  ]
  for (const [what, key, identifier, expires] of WRONG)
    it(`refuses ${what}`, async () => {
      const signing = signUser(key, identifier, expires && { expires })
      expect(await signing.catch((error: unknown) => error)).to.be.instanceOf(TypeError)
    })
})
