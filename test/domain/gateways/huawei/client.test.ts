import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import type { GatewaySettings, Outcome } from '../../../../src/domain/gateways/gateway.ts'
import { openHcm } from '../../../../src/domain/gateways/huawei/client.ts'
import { ACCEPTED } from '../../../../src/domain/gateways/send/send-each.ts'
import { type HttpReply, type HttpRequest } from '../../../../src/platform/net/http.ts'
import { HttpFailure } from '../../../../src/platform/net/http-exchange.ts'
import { sendPage } from '../../../support/send-page.ts'

const NOW = Date.UTC(2026, 5, 1, 12)
const CREDENTIAL = {
  secret: { appId: '101', appIdPassword: 's+c' },
  facts: { appId: '101', warnings: [] },
}

interface Sent {
  url: string
  authorization: string | undefined
  urgency: string
  validateOnly: boolean
  tokens: string[]
}
type Answer = [status: number, body: unknown, headers?: Record<string, string>] | HttpFailure
type Respond = (sent: Sent) => Answer

const OK: Answer = [200, { code: '80000000', msg: 'Success', requestId: 'r' }]
const code = (value: string, status = 200): Answer => [status, { code: value, msg: 'm' }]
const illegal = (...tokens: string[]): Answer => [
  200,
  { code: '80100000', msg: JSON.stringify({ success: 1, failure: tokens.length, illegal_tokens: tokens }) },
]

/** A sender against a scripted Huawei; the last answer of a list repeats. */
function world(script: Answer[] | Respond, grants: (HttpReply | HttpFailure)[] = [], hcmUrl = 'https://push.test/x/') {
  const sent: Sent[] = []
  const asked: HttpRequest[] = []
  const warnings: string[] = []
  const clock = { now: NOW }
  const settings: GatewaySettings = {
    apnsUrl: '',
    apnsSandboxUrl: '',
    fcmUrl: '',
    fcmTokenUrl: '',
    hcmUrl,
    hcmTokenUrl: 'https://oauth.test',
    allowPrivate: false,
    ca: ['CA'],
    warn: (text) => warnings.push(text),
  }
  const next = (): Answer => {
    const list = script as Answer[]
    return list.length > 1 ? list.shift()! : list[0]!
  }
  const sender = openHcm(CREDENTIAL, settings, () => clock.now, {
    sendHttp: async (request) => {
      if (request.url.startsWith('https://oauth.test')) {
        asked.push(request)
        const grant = grants.shift()
        if (grant instanceof HttpFailure) throw grant
        const body = JSON.stringify({ access_token: `t/${asked.length}`, expires_in: 3600 })
        return grant ?? { status: 200, headers: {}, body }
      }
      const body = JSON.parse(String(request.body)) as {
        validate_only: boolean
        message: { android: { urgency: string }; token: string[] }
      }
      const one: Sent = {
        url: request.url,
        authorization: request.headers?.['authorization'],
        urgency: body.message.android.urgency,
        validateOnly: body.validate_only,
        tokens: body.message.token,
      }
      sent.push(one)
      const answer = typeof script === 'function' ? script(one) : next()
      if (answer instanceof HttpFailure) throw answer
      return { status: answer[0], headers: answer[2] ?? {}, body: JSON.stringify(answer[1]) }
    },
  })
  const prepare = (highPriority = false, text = 'M') =>
    sender.prepare({
      content: { notificationId: 1, title: 'T', message: text, background: false, ios: {}, android: { highPriority } },
      expiresAt: NOW + 3_600_000,
      replacementKey: 'n1',
    })
  /** All in one turn, as a delivery begins a chunk. */
  const sendAll = (tokens: string[], prepared = prepare()) =>
    Promise.all(tokens.map((token) => sender.send(prepared, { token })))
  return { sender, prepare, sendAll, sent, asked, warnings, clock }
}

const names = (count: number) => Array.from({ length: count }, (_, i) => `token-${i}`)
const kinds = (outcomes: Outcome[]) => [...new Set(outcomes.map(({ kind }) => kind))]

describe('sending through Push Kit', () => {
  it('buys a token with id and secret, and sends who is asked for in one turn together', async () => {
    const { sendAll, sent, asked } = world([OK])
    expect(await sendAll(['a', 'b'])).to.deep.equal([
      { kind: 'accepted', providerId: 'r' },
      { kind: 'accepted', providerId: 'r' },
    ])
    expect(sent).to.have.length(1)
    expect(sent[0]).to.deep.include({
      url: 'https://push.test/x/v1/101/messages:send',
      authorization: 'Bearer t/1',
      tokens: ['a', 'b'],
    })
    expect(asked[0]).to.deep.include({ method: 'POST', url: 'https://oauth.test/oauth2/v3/token' })
    expect(Object.fromEntries(new URLSearchParams(String(asked[0]!.body)))).to.deep.equal({
      grant_type: 'client_credentials',
      client_id: '101',
      client_secret: 's+c',
    })
  })

  it('a page goes out in requests of a thousand, and each recipient gets its own outcome', async () => {
    const partly = { code: '80100000', msg: JSON.stringify({ illegal_tokens: ['token-3'], success: 1 }) }
    const { sender, prepare, sent } = world((one: Sent) => (one.tokens.includes('token-3') ? [200, partly] : OK))
    const people = [...names(1500), 'token-7'].map((token) => ({ token }))
    const outcomes = await sendPage(sender, prepare(), people, { from: 2 })
    expect(sent.map(({ tokens }) => tokens.length)).to.deep.equal([1000, 499])
    expect(outcomes).to.have.length(1499)
    expect(outcomes[1]).to.include({ kind: 'token_suspect' })
    expect(outcomes.filter((one) => one === ACCEPTED)).to.have.length(1498)
  })

  it('never puts more than a thousand tokens into a request', async () => {
    const { sendAll, sent, asked } = world([OK])
    expect(kinds(await sendAll(names(2300)))).to.deep.equal(['accepted'])
    expect(sent.map(({ tokens }) => tokens.length)).to.deep.equal([1000, 1000, 300])
    expect(asked).to.have.length(1)
  })

  it('sends the same token once, and both who asked get its outcome', async () => {
    const { sendAll, sent } = world(() => illegal('b'))
    expect((await sendAll(['a', 'b', 'b', 'a'])).map(({ kind }) => kind)).to.deep.equal([
      'accepted',
      'token_suspect',
      'token_suspect',
      'accepted',
    ])
    expect(sent[0]!.tokens).to.deep.equal(['a', 'b'])
  })

  it('messages that differ are never mixed', async () => {
    const { sender, prepare, sent } = world([OK])
    await Promise.all([sender.send(prepare(), { token: 'a' }), sender.send(prepare(true), { token: 'b' })])
    expect(sent.map(({ tokens }) => tokens)).to.deep.equal([['a'], ['b']])
  })

  it('illegal tokens are refused, the others are accepted, and nobody is sent to twice', async () => {
    const { sendAll, sent } = world([illegal('token-1', 'token-3')])
    const outcomes = await sendAll(names(5))
    expect(outcomes.map(({ kind }) => kind === 'accepted')).to.deep.equal([true, false, true, false, true])
    expect(outcomes[1]).to.deep.equal({ kind: 'token_suspect', reason: '80100000: illegal token' })
    expect(sent).to.have.length(1)
  })

  it('a token is renewed before its end', async () => {
    const { sendAll, asked, clock } = world([OK])
    await sendAll(['a'])
    clock.now += 54 * 60_000
    await sendAll(['a'])
    expect(asked).to.have.length(1)
    clock.now += 2 * 60_000
    await sendAll(['a'])
    expect(asked).to.have.length(2)
  })

  for (const refusal of ['80200001', '80200003']) {
    it(`${refusal} renews the token once for all who wait`, async () => {
      const { sender, prepare, asked, sent } = world(({ authorization }) =>
        authorization === 'Bearer t/1' ? code(refusal, 401) : OK,
      )
      const outcomes = await Promise.all(names(3).map((token) => sender.send(prepare(), { token })))
      expect(kinds(outcomes)).to.deep.equal(['accepted'])
      expect(asked).to.have.length(2)
      expect(sent).to.have.length(6)
    })

    it(`${refusal} for a new token too is our fault`, async () => {
      const { sendAll, asked, sent } = world([code(refusal)])
      expect(kinds(await sendAll(['a', 'b']))).to.deep.equal(['config_error'])
      expect({ asked: asked.length, sent: sent.length }).to.deep.equal({ asked: 2, sent: 2 })
    })
  }

  it('too many tokens: they go in halves until they are taken, each once', async () => {
    const taken: string[] = []
    const { sendAll } = world(({ tokens }) => {
      if (tokens.length > 100) return code('80300010', 400)
      taken.push(...tokens)
      return OK
    })
    expect(kinds(await sendAll(names(700)))).to.deep.equal(['accepted'])
    expect(taken.sort()).to.deep.equal(names(700).sort())
  })

  it('"too many" for one token alone means that the message is wrong: few requests show it', async () => {
    const { sendAll, sent } = world([code('80300010')])
    expect(kinds(await sendAll(names(1000)))).to.deep.equal(['payload_error'])
    expect(sent).to.have.length(11)
  })

  it('without the right to high priority it goes out as NORMAL, with one warning, and HIGH rests for an hour', async () => {
    const { sendAll, prepare, sent, warnings, clock } = world(({ urgency }) =>
      urgency === 'HIGH' ? code('80300011', 400) : OK,
    )
    expect(kinds(await sendAll(['a'], prepare(true)))).to.deep.equal(['accepted'])
    expect(kinds(await sendAll(['b'], prepare(true)))).to.deep.equal(['accepted'])
    expect(sent.map(({ urgency }) => urgency)).to.deep.equal(['HIGH', 'NORMAL', 'NORMAL'])
    expect(warnings).to.have.length(1)
    expect(warnings[0]).to.match(/101.*may not use high priority.*AppGallery Connect/)
    clock.now += 3_600_000
    await sendAll(['c'], prepare(true))
    expect(sent.at(-2)!.urgency).to.equal('HIGH')
  })

  const forAll: [string, Answer, Outcome['kind']][] = [
    ['all tokens invalid', code('80300007', 400), 'token_suspect'],
    ['flow control', [503, '', { 'retry-after': '9' }], 'throttled_gateway'],
    ['an answer that got lost', new HttpFailure('uncertain', 'cut'), 'uncertain'],
    ['an answer that says nothing', [200, {}], 'uncertain'],
    ['no connection', new HttpFailure('unreachable', 'refused'), 'gateway_down'],
    ['a wrong certificate', new HttpFailure('untrusted', 'expired'), 'config_error'],
    ['no permission', code('80300002', 403), 'config_error'],
  ]
  for (const [what, answer, kind] of forAll) {
    it(`${what} is ${kind} for everybody in the request, which is not repeated`, async () => {
      const { sendAll, sent } = world([answer])
      const outcomes = await sendAll(names(3))
      expect(outcomes.map((one) => one.kind)).to.deep.equal([kind, kind, kind])
      expect(sent).to.have.length(1)
      if (kind === 'throttled_gateway') expect(outcomes[0]).to.include({ afterMs: 9000 })
    })
  }

  it('without a token nothing is sent', async () => {
    const refused = { status: 400, headers: {}, body: '{"error":1203,"error_description":"client secret"}' }
    const { sendAll, sent } = world([OK], [refused, new HttpFailure('unreachable', 'no')])
    expect(kinds(await sendAll(['a', 'b']))).to.deep.equal(['config_error'])
    expect(kinds(await sendAll(['a']))).to.deep.equal(['gateway_down'])
    expect(sent).to.have.length(0)
  })

  it('a message over 4096 bytes is refused without asking anybody', async () => {
    const { sendAll, prepare, asked, sent } = world([OK])
    const [outcome] = await sendAll(['a'], prepare(false, 'x'.repeat(4096)))
    expect(outcome).to.include({ kind: 'payload_error', everyone: true })
    expect(asked.length + sent.length).to.equal(0)
  })

  it('once closed nothing leaves any more', async () => {
    const { sender, sendAll, sent } = world([OK])
    await sender.close()
    expect(kinds(await sendAll(['a']))).to.deep.equal(['gateway_down'])
    expect(sent).to.have.length(0)
  })
})

describe('checking Push Kit', () => {
  const rows: [string, Answer[] | Respond, (HttpReply | HttpFailure)[], string, RegExp | undefined][] = [
    ['a device that cannot exist is refused', [code('80300007', 400)], [], 'ok', undefined],
    ['everything is taken', [OK], [], 'ok', undefined],
    ['the secret is wrong', [OK], [{ status: 400, headers: {}, body: '{"error":1203}' }], 'error', /client secret/],
    ['the token is of another app', [code('80200001', 401)], [], 'error', /another app/],
    ['Push Kit is off', [code('80300002')], [], 'error', /enable Push Kit/],
    ['the app id is unknown', [[404, '']], [], 'error', /App ID/],
    ['nobody answers', [new HttpFailure('unreachable', 'no')], [], 'error', /port 443/],
    ['it is busy', [[503, '']], [], 'warning', /quota/],
  ]
  for (const [what, script, grants, level, remedy] of rows) {
    it(`${what}: ${level}`, async () => {
      const { sender, sent } = world(script, grants)
      const [finding] = await sender.probe()
      expect(finding!.level).to.equal(level)
      if (remedy) expect(finding!.remedy).to.match(remedy)
      expect(sent.every(({ validateOnly }) => validateOnly)).to.equal(true)
    })
  }

  it('says when the app has no right to high priority', async () => {
    const { sender } = world(({ urgency }) => (urgency === 'HIGH' ? code('80300011') : OK))
    expect((await sender.probe()).map(({ level }) => level)).to.deep.equal(['ok', 'warning'])
  })
})

describe('Push Kit over a plain connection', () => {
  let connections = 0
  let bodies: string[] = []
  /** Called with each message; the answer waits for what it returns. */
  let onMessage: () => Promise<void> = async () => {}
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => void answer(request.url ?? '', text, response))
  })
  async function answer(path: string, body: string, response: ServerResponse): Promise<void> {
    if (path === '/oauth2/v3/token') return void response.end(JSON.stringify({ access_token: 'a', expires_in: 3600 }))
    bodies.push(body)
    await onMessage()
    response.end(JSON.stringify({ code: '80000000', requestId: 'r' }))
  }
  server.on('connection', () => connections++)

  function open() {
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const settings = { hcmUrl: address, hcmTokenUrl: address, ca: [] } as unknown as GatewaySettings
    const sender = openHcm(CREDENTIAL, settings, () => NOW)
    const content = { notificationId: 1, title: 'T', message: 'M', background: false, ios: {}, android: {} }
    const prepared = sender.prepare({ content, expiresAt: NOW + 60_000, replacementKey: 'n1' })
    return { sender, send: (token: string) => sender.send(prepared, { token }) }
  }

  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  beforeEach(() => {
    connections = 0
    bodies = []
    onMessage = async () => {}
  })

  it('is reached at an http address of this machine, and the connection is kept', async () => {
    const { sender, send } = open()
    for (const token of ['a', 'b', 'c']) {
      expect(await send(token)).to.deep.equal({ kind: 'accepted', providerId: 'r' })
    }
    expect(bodies).to.have.length(3)
    // One for the token server, which is asked once an hour, and one for the three requests.
    expect(connections).to.equal(2)
    await sender.close()
  })

  it('closing lets what is under way finish', async () => {
    const { sender, send } = open()
    const arrived = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    onMessage = () => {
      arrived.resolve()
      return released.promise
    }
    const going = send('a')
    await arrived.promise
    const closing = sender.close()
    released.resolve()
    expect((await going).kind).to.equal('accepted')
    await closing
  })

  it('what is lost on a connection that was used before is uncertain too', async () => {
    const { sender, send } = open()
    await send('a')
    onMessage = async () => server.closeAllConnections()
    expect(await send('b')).to.include({ kind: 'uncertain' })
    await sender.close()
  })
})
