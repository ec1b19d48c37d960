import { generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import { jwtVerify } from 'jose'
import { openFcm } from '../../../../src/domain/gateways/fcm/client.ts'
import type { FcmFacts, FcmSecret } from '../../../../src/domain/gateways/fcm/credentials.ts'
import { previewFcm } from '../../../../src/domain/gateways/fcm/payload.ts'
import type { GatewaySettings, PushMessage } from '../../../../src/domain/gateways/gateway.ts'
import { tokenAddress } from '../../../../src/domain/gateways/send/access-token.ts'
import { ACCEPTED } from '../../../../src/domain/gateways/send/send-each.ts'
import {
  Http2Failure,
  type Http2FailureKind,
  type PoolOptions,
  type PushRequest,
} from '../../../../src/platform/http2/types.ts'
import { type HttpReply, type HttpRequest } from '../../../../src/platform/net/http.ts'
import { HttpFailure } from '../../../../src/platform/net/http-exchange.ts'
import { scriptedPool } from '../../../support/push-pool.ts'
import { sendPage } from '../../../support/send-page.ts'

const NOW = Date.UTC(2026, 5, 1, 12)
const pair = generateKeyPairSync('rsa', { modulusLength: 2048 })
const SETTINGS: GatewaySettings = {
  apnsUrl: 'https://apns.test',
  apnsSandboxUrl: 'https://sandbox.test',
  fcmUrl: 'https://fcm.test:444',
  fcmTokenUrl: 'https://oauth.test/token',
  hcmUrl: '',
  hcmTokenUrl: '',
  allowPrivate: false,
  ca: ['CA'],
}
const CREDENTIAL: { secret: FcmSecret; facts: FcmFacts } = {
  secret: {
    serviceAccount: {
      projectId: 'my-project',
      privateKeyId: 'kid1',
      privateKey: pair.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
      clientEmail: 'push@example.com',
      tokenUri: 'https://evil.test/steal',
    },
  },
  facts: { kind: 'serviceAccount', projectId: 'my-project', warnings: [] },
}
const MESSAGE: PushMessage = {
  content: { notificationId: 1, title: 'T', message: 'M', background: false, ios: {}, android: {} },
  expiresAt: NOW + 3_600_000,
  replacementKey: 'r1',
}

type Answer = [status: number, body: unknown] | Http2FailureKind
type TokenAnswer = HttpReply | HttpFailure

const grant = (token: string, expiresIn: unknown = 3599): HttpReply => ({
  status: 200,
  headers: {},
  body: JSON.stringify({ access_token: token, expires_in: expiresIn, token_type: 'Bearer' }),
})
const UNAUTHENTICATED = { error: { status: 'UNAUTHENTICATED' } }

/** A sender against scripted servers; the last answer of each script repeats. */
function world(
  answers: Answer[],
  grants: TokenAnswer[] = [grant('t1'), grant('t2'), grant('t3')],
  settings = SETTINGS,
) {
  const sent: PushRequest[] = []
  const asked: HttpRequest[] = []
  const opened: PoolOptions[] = []
  const clock = { now: NOW }
  let closed = 0
  const next = <T>(script: T[]) => (script.length > 1 ? script.shift()! : script[0]!)
  const sender = openFcm(CREDENTIAL, settings, () => clock.now, {
    openPool: (options) => {
      opened.push(options)
      return scriptedPool(
        async (request) => {
          sent.push(request)
          const answer = next(answers)
          if (typeof answer === 'string') throw new Http2Failure(answer, `it was ${answer}`)
          return { status: answer[0], headers: {}, body: JSON.stringify(answer[1]) }
        },
        () => closed++,
      )
    },
    sendHttp: async (request) => {
      asked.push(request)
      const answer = next(grants)
      if (answer instanceof HttpFailure) throw answer
      return answer
    },
  })
  const send = (token = 'device:1') => sender.send(sender.prepare(MESSAGE), { token })
  return { sender, send, sent, asked, opened, clock, closed: () => closed }
}

const OK: Answer = [200, { name: 'projects/my-project/messages/1' }]

describe('sending through FCM', () => {
  it('buys an access token and posts the message of the recipient', async () => {
    const { send, sent, asked, opened } = world([OK])
    expect(await send('a"b')).to.deep.equal({ kind: 'accepted', providerId: 'projects/my-project/messages/1' })
    expect(opened).to.deep.equal([{ origin: 'https://fcm.test:444', ca: ['CA'], maxStreams: 100, neverIndexed: [] }])
    expect(sent[0]!.path).to.equal('/v1/projects/my-project/messages:send')
    expect(sent[0]!.headers).to.deep.equal({ 'content-type': 'application/json', authorization: 'Bearer t1' })
    const body = JSON.parse(sent[0]!.body.toString()) as { message: { token: string; data: object; android: object } }
    expect(body.message.token).to.equal('a"b')
    expect(body.message).to.have.all.keys('token', 'data', 'android')
    const { url, body: form, ca, method } = asked[0]!
    expect({ url, ca, method }).to.deep.equal({ url: 'https://oauth.test/token', ca: ['CA'], method: 'POST' })
    const fields = new URLSearchParams(String(form))
    expect(fields.get('grant_type')).to.equal('urn:ietf:params:oauth:grant-type:jwt-bearer')
    const { payload, protectedHeader } = await jwtVerify(fields.get('assertion')!, pair.publicKey, {
      currentDate: new Date(NOW),
    })
    expect(protectedHeader).to.deep.equal({ alg: 'RS256', typ: 'JWT', kid: 'kid1' })
    expect(payload).to.deep.equal({
      iss: 'push@example.com',
      scope: 'https://www.googleapis.com/auth/firebase.messaging',
      aud: 'https://oauth.test/token',
      iat: NOW / 1000,
      exp: NOW / 1000 + 3600,
    })
  })

  it('never calls the address inside the account', async () => {
    const { send, asked } = world([OK])
    await send()
    expect(asked.map((one) => one.url)).to.deep.equal(['https://oauth.test/token'])
  })

  it('asks for one token for many messages, until five minutes before it ends', async () => {
    const { send, asked, sent, clock } = world([OK])
    await Promise.all(Array.from({ length: 20 }, () => send()))
    clock.now += 3_298_000
    await send()
    expect(asked).to.have.length(1)
    expect(sent[5]!.headers).to.equal(sent[0]!.headers)
    clock.now += 2_000
    await send()
    expect(asked).to.have.length(2)
    expect(sent.at(-1)!.headers['authorization']).to.equal('Bearer t2')
  })

  it('does not ask for every message when tokens live only a minute', async () => {
    const { send, asked, clock } = world([OK], [grant('t1', 60)])
    for (let i = 0; i < 5; i++) await send()
    expect(asked).to.have.length(1)
    clock.now += 31_000
    await send()
    expect(asked).to.have.length(2)
  })

  it('renews a refused token once and sends again', async () => {
    const { send, asked, sent } = world([[401, UNAUTHENTICATED], OK])
    expect((await send()).kind).to.equal('accepted')
    expect(asked).to.have.length(2)
    expect(sent.map((one) => one.headers['authorization'])).to.deep.equal(['Bearer t1', 'Bearer t2'])
  })

  it('renews once for all who were refused with the same token', async () => {
    const { send, asked } = world([...Array.from({ length: 10 }, (): Answer => [401, UNAUTHENTICATED]), OK])
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => send()))
    expect(outcomes.map((one) => one.kind)).to.deep.equal(Array.from({ length: 10 }, () => 'accepted'))
    expect(asked).to.have.length(2)
  })

  it('gives up when the renewed token is refused as well', async () => {
    const { send, sent } = world([[401, UNAUTHENTICATED]])
    expect(await send()).to.include({ kind: 'config_error' })
    expect(sent).to.have.length(2)
  })

  const grants: [string, TokenAnswer, string][] = [
    ['invalid_grant', { status: 400, headers: {}, body: '{"error":"invalid_grant"}' }, 'config_error'],
    ['a server error', { status: 500, headers: {}, body: '' }, 'gateway_down'],
    ['no connection', new HttpFailure('unreachable', 'refused'), 'gateway_down'],
    ['no answer', new HttpFailure('uncertain', 'time-out'), 'gateway_down'],
    ['a certificate that nobody vouches for', new HttpFailure('untrusted', 'self-signed'), 'config_error'],
    ['an answer without a token', { status: 200, headers: {}, body: '{}' }, 'config_error'],
  ]
  for (const [what, answer, kind] of grants) {
    it(`sends nothing and is ${kind} when the token server gives ${what}`, async () => {
      const { send, sent } = world([OK], [answer])
      expect((await send()).kind).to.equal(kind)
      expect(sent).to.deep.equal([])
    })
  }

  it('asks again after a refusal', async () => {
    const { send } = world([OK], [{ status: 503, headers: {}, body: '' }, grant('t1')])
    expect((await send()).kind).to.equal('gateway_down')
    expect((await send()).kind).to.equal('accepted')
  })

  const failures: [Http2FailureKind, string, number][] = [
    ['not_processed', 'gateway_down', 4],
    ['calm', 'throttled_gateway', 4],
    ['unreachable', 'gateway_down', 1],
    ['untrusted', 'config_error', 1],
    ['uncertain', 'uncertain', 1],
  ]
  for (const [failure, kind, tries] of failures) {
    it(`that fails as ${failure} is ${kind} after ${tries} tries`, async () => {
      const { send, sent } = world([failure])
      expect((await send()).kind).to.equal(kind)
      expect(sent).to.have.length(tries)
    })
  }

  it('never leaves the machine with too much to say', async () => {
    const { sender, asked } = world([OK])
    const large = { ...MESSAGE, content: { ...MESSAGE.content, message: 'x'.repeat(4096) } }
    const outcome = await sender.send(sender.prepare(large), { token: 'x' })
    expect(outcome).to.deep.include({ kind: 'payload_error', everyone: true })
    expect(asked).to.deep.equal([])
  })

  describe('a page', () => {
    const people = Array.from({ length: 5 }, (_, i) => ({ token: `device:${i}` }))
    const tokenOf = ({ body }: PushRequest) =>
      (JSON.parse(body.toString()) as { message: { token: string } }).message.token

    it('goes out with one access token, each body with its own recipient; accepted ones share their outcome', async () => {
      const { sender, sent, asked } = world([OK])
      const outcomes = await sendPage(sender, sender.prepare(MESSAGE), people, { from: 1, to: 4 })
      expect(outcomes).to.deep.equal([ACCEPTED, ACCEPTED, ACCEPTED])
      expect(outcomes[0]).to.equal(outcomes[2]).and.equal(ACCEPTED)
      expect(sent.map(tokenOf)).to.deep.equal(['device:1', 'device:2', 'device:3'])
      expect(asked).to.have.length(1)
      const single = world([OK])
      await single.send('device:1')
      expect(sent[0]!.body.toString()).to.equal(single.sent[0]!.body.toString())
    })

    it('tokens that JSON must escape arrive as they are', async () => {
      const { sender, sent } = world([OK])
      const odd = ['a"b', 'ü\\\u2028', '']
      await sendPage(
        sender,
        sender.prepare(MESSAGE),
        odd.map((token) => ({ token })),
      )
      expect(sent.map(tokenOf)).to.deep.equal(odd)
    })

    it('each recipient gets what its own answer means', async () => {
      const gone = { error: { details: [{ '@type': 'google.firebase.fcm.v1.FcmError', errorCode: 'UNREGISTERED' }] } }
      const { sender } = world([OK, [404, gone], [503, {}], 'uncertain', OK])
      const outcomes = await sendPage(sender, sender.prepare(MESSAGE), people)
      expect(outcomes.map(({ kind }) => kind)).to.deep.equal([
        'accepted',
        'token_dead',
        'gateway_down',
        'uncertain',
        'accepted',
      ])
    })

    it('what was not processed is repeated three times and no more', async () => {
      const { sender, sent } = world(['not_processed'])
      const outcomes = await sendPage(sender, sender.prepare(MESSAGE), people.slice(0, 2))
      expect(outcomes.map(({ kind }) => kind)).to.deep.equal(['gateway_down', 'gateway_down'])
      expect(sent).to.have.length(8)
    })

    it('a refused access token is renewed once, and all are sent again', async () => {
      const { sender, asked, sent } = world([...people.map((): Answer => [401, UNAUTHENTICATED]), OK])
      expect(await sendPage(sender, sender.prepare(MESSAGE), people)).to.deep.equal(people.map(() => ACCEPTED))
      expect(asked).to.have.length(2)
      expect(sent).to.have.length(10)
    })

    it('without an access token, or once closed, nothing is sent and all hear why', async () => {
      const { sender, sent } = world([OK], [{ status: 400, headers: {}, body: '{"error":"invalid_grant"}' }])
      const outcomes = await sendPage(sender, sender.prepare(MESSAGE), people)
      expect(new Set(outcomes.map(({ kind }) => kind))).to.deep.equal(new Set(['config_error']))
      const other = world([OK])
      await other.sender.close()
      const late = await sendPage(other.sender, other.sender.prepare(MESSAGE), people)
      expect(new Set(late.map(({ kind }) => kind))).to.deep.equal(new Set(['gateway_down']))
      expect([...sent, ...other.sent]).to.deep.equal([])
    })
  })

  it('warming gets the access token and sends nothing', async () => {
    const { sender, send, asked, sent } = world([OK])
    await sender.warm()
    expect(asked).to.have.length(1)
    expect(sent).to.deep.equal([])
    await send()
    expect(asked).to.have.length(1)
  })

  it('is over after close', async () => {
    const { sender, send, closed } = world([OK])
    await send()
    await sender.close()
    expect(closed()).to.equal(1)
    expect((await send()).kind).to.equal('gateway_down')
  })

  it('is impossible with a legacy server key alone, without asking anybody', async () => {
    const facts: FcmFacts = { kind: 'serverKey', warnings: ['shut down'] }
    const sender = openFcm({ secret: { serverKey: 'x' }, facts }, SETTINGS, () => NOW)
    expect(await sender.send(sender.prepare(MESSAGE), { token: 'x' })).to.include({ kind: 'config_error' })
    expect((await sender.probe())[0]).to.include({ level: 'error' })
    await sender.close()
  })
})

describe('the address of the token server', () => {
  it('is the configured one; a bare host has the path of the vendor', () => {
    expect(tokenAddress('https://oauth.test/token', '/token')).to.equal('https://oauth.test/token')
    expect(tokenAddress('https://127.0.0.1:9/', '/token')).to.equal('https://127.0.0.1:9/token')
    expect(tokenAddress('http://127.0.0.1:9', '/token')).to.equal('http://127.0.0.1:9/token')
  })
})

describe('probing FCM', () => {
  it('tries a dry run to a device that cannot exist', async () => {
    const { sender, sent } = world([
      [
        400,
        {
          error: {
            status: 'INVALID_ARGUMENT',
            message: 'The registration token is not a valid FCM registration token',
          },
        },
      ],
    ])
    expect(await sender.probe()).to.deep.equal([
      { level: 'ok', what: 'FCM accepts the service account for project my-project' },
    ])
    expect(JSON.parse(sent[0]!.body.toString())).to.deep.include({ validate_only: true })
  })

  const refusals: [string, Answer[], TokenAnswer[], RegExp][] = [
    ['a deleted key', [OK], [{ status: 400, headers: {}, body: '{"error":"invalid_grant"}' }], /clock/],
    ['a missing role', [[403, { error: { status: 'PERMISSION_DENIED' } }]], [grant('t')], /role/],
    [
      'an interface that is off',
      [[403, { error: { status: 'PERMISSION_DENIED', message: 'FCM API has not been used in project 1 before' } }]],
      [grant('t')],
      /enable/,
    ],
    ['a wrong project', [[404, { error: { status: 'NOT_FOUND' } }]], [grant('t')], /projectId/],
    ['no network', ['unreachable'], [grant('t')], /443/],
  ]
  for (const [what, answers, tokens, remedy] of refusals) {
    it(`names a remedy for ${what}`, async () => {
      const [finding] = await world(answers, tokens).sender.probe()
      expect(finding!.level).to.equal('error')
      expect(finding!.remedy).to.match(remedy)
    })
  }
})

describe('a preview for FCM', () => {
  it('needs no network and counts keys and values', () => {
    const preview = previewFcm(MESSAGE, NOW)
    const { message } = preview.payload as { message: { data: Record<string, string> } }
    expect(preview.bytes).to.equal(Object.entries(message.data).flat().join('').length)
    expect(preview.limit).to.equal(4096)
  })
})
