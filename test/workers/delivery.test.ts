import { expect } from 'chai'
import type { Received } from '../../src/sandbox/sandbox.ts'
import {
  type Appliance,
  androidToken,
  appleToken,
  type LaneStatus,
  openAppliance,
  receptions,
  tokensOf,
  trouble,
} from '../support/appliance.ts'
import { eventually } from '../support/eventually.ts'
import type { Answer } from '../support/http.ts'
import { PROGRAMS_MS } from '../support/programs.ts'

const CHUNK = 20
const environment = { APPSVC_DELIVERY_CHUNK: String(CHUNK), APPSVC_WORKERS_DELIVER: '1' }

describe('SIGTERM', function () {
  this.timeout(PROGRAMS_MS)
  let one: Appliance
  afterEach(() => one.close())

  it('in the middle of a broadcast ends with status 0, and the next start finishes it: nobody lost, nobody twice', async () => {
    const androids = 500
    one = await openAppliance({ androids, environment })
    await one.start()
    // From some message on the gateway takes its time, so that the signal comes in the middle on any machine.
    await one.sandbox.setPlan(trouble({ delayMs: 300 }, { on: 'fcm', after: 120 }))
    const seen = one.message(100)
    const id = await one.broadcast()
    await seen
    const { code, ms } = await one.stop()
    expect(code).to.equal(0)
    expect(ms).to.be.below(25_000)
    expect(one.sandbox.counts().taken).to.be.below(androids)

    await one.sandbox.setPlan({})
    await one.start()
    const { status, counts } = await one.finished(id)
    expect(status).to.equal(3)
    expect(counts).to.include({ audience: androids, accepted: androids, unknown: 0 })
    expect(receptions(one.sandbox, tokensOf(androids), id)).to.deep.equal({ lost: 0, extra: 0 })
    expect(one.sandbox.counts().requests).to.equal(androids)
  })
})

describe('a gateway', function () {
  this.timeout(PROGRAMS_MS)
  const androids = 200
  const iphones = 60
  const all = androids + iphones
  let one: Appliance
  before(async () => {
    one = await openAppliance({ androids, iphones, environment })
    await one.start()
  })
  after(() => one.close())
  const ids: number[] = []
  beforeEach(async () => {
    await one.sandbox.setPlan({})
    // What a test that failed left behind would make the others fail too.
    for (const id of ids.splice(0)) await one.finished(id)
    one.sandbox.reset()
  })

  async function broadcast(): Promise<number> {
    const id = await one.broadcast()
    ids.push(id)
    return id
  }

  /** The lane as it was seen when it was held: a moment later it may be tried again. */
  async function heldLane(): Promise<LaneStatus> {
    let lane: LaneStatus | undefined
    await eventually(async () => (lane = await one.lane('android')).held, 'the lane is held')
    return lane!
  }

  async function expectEverybody(id: number): Promise<void> {
    const { status, counts } = await one.finished(id)
    expect(counts).to.include({ audience: all, accepted: all, failed: 0, unknown: 0, pending: 0 })
    expect(status).to.equal(3)
    const tokens = [...tokensOf(androids), ...Array.from({ length: iphones }, (_, i) => appleToken(i))]
    expect(receptions(one.sandbox, tokens, id)).to.deep.equal({ lost: 0, extra: 0 })
  }

  for (const [reason, status] of [
    ['UNAVAILABLE', 503],
    ['QUOTA_EXCEEDED', 429],
  ] as const) {
    it(`that says ${status} with Retry-After gets those it refused not before that time, and then everybody`, async () => {
      await one.sandbox.setPlan(trouble({ reason, retryAfter: 2 }, { on: 'fcm', after: 20, first: 3 }))
      const seen: Received[] = []
      const off = one.sandbox.on('message', (message) => {
        if (message.gateway === 'fcm') seen.push(message)
      })
      await expectEverybody(await broadcast())
      off()
      const refused = seen.filter(({ taken }) => !taken)
      expect(refused).to.have.length(3)
      for (const { token, seq, at } of refused) {
        const again = seen.find((one) => one.token === token && one.seq > seq)!
        expect(again.at - at).to.be.at.least(1900)
      }
      if (status !== 429) return
      // Nobody else either, but for those who were on their way: two chunks at most.
      const last = refused.at(-1)!
      const after = seen.filter(({ seq }) => seq > last.seq)
      expect(after[2 * CHUNK]!.at - last.at).to.be.at.least(1900)
    })
  }

  it('that is down (APNs 503) for a while is tried again and nobody is lost', async () => {
    await one.sandbox.setPlan(trouble({ reason: 'ServiceUnavailable' }, { on: 'apns', first: 10 }))
    await expectEverybody(await broadcast())
  })

  it('that says GOAWAY in the middle gets what it did not process again, once', async () => {
    await one.sandbox.setPlan(trouble({ goaway: { last: 'middle' } }, { on: 'fcm', after: 40, first: 2 }))
    await expectEverybody(await broadcast())
  })

  it('that refuses streams gets them again, once', async () => {
    await one.sandbox.setPlan(trouble({ refuseStream: true }, { on: 'apns', every: 5, first: 8 }))
    await expectEverybody(await broadcast())
  })

  it('that refuses connections holds its lane with the reason; when it is back everything goes out', async () => {
    await one.sandbox.setPlan({ listeners: { fcm: { refuse: true } } })
    const id = await broadcast()
    const lane = await heldLane()
    expect(lane.kind).to.equal('gateway_down')
    expect(lane.reason).to.include('ECONNREFUSED')
    // The other gateway has nothing to do with it.
    await eventually(async () => (await one.report(id)).counts.accepted === iphones, 'APNs goes on')
    await one.sandbox.setPlan({})
    await expectEverybody(id)
  })

  it('with a certificate that cannot be trusted gets not one byte; no token is retired, and the lane says why', async () => {
    await one.sandbox.setPlan({ listeners: { fcm: { certificate: 'self-signed' } } })
    const before = await one.subscribed()
    const id = await broadcast()
    const lane = await heldLane()
    expect(lane.kind).to.equal('config_error')
    expect(lane.reason).to.match(/certificate|self-signed/i)
    expect(one.sandbox.counts().fcm.requests).to.equal(0)
    expect(await one.subscribed()).to.equal(before)
    expect((await one.report(id)).counts).to.include({ failed: 0, unknown: 0 })

    await one.sandbox.setPlan({})
    const { serviceAccount } = one.sandbox.credentials
    const configured = await one.call('PUT', `/push/v1/apps/${one.first.id}`, { android: { serviceAccount } })
    expect(configured.status).to.equal(200)
    await expectEverybody(id)
  })

  it('gets one notification of an Idempotency-Key that is used fifty times at once', async () => {
    const send = (message: string) =>
      one.call(
        'POST',
        '/messages/v2/notifications',
        { target: { broadcast: true }, content: { title: 'T', message } },
        { 'idempotency-key': 'the same' },
      )
    const before = await one.call('GET', '/messages/v2/notifications')
    const answers = await Promise.all(Array.from({ length: 50 }, () => send('M')))
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([202]))
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).to.equal(1)
    expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).to.have.length(49)
    await expectEverybody((answers[0]!.body as { notification: { id: number } }).notification.id)
    const other = await send('another')
    expect(other.status).to.equal(422)
    expect(other.body).to.have.nested.property('errors.Idempotency-Key')
    const count = ({ body }: Answer) => (body as { notifications: unknown[] }).notifications.length
    expect(count(await one.call('GET', '/messages/v2/notifications'))).to.equal(count(before) + 1)
  })

  // Last, because it takes installs away.
  it('that calls a token dead ends its use, unless the device registered it later', async () => {
    const before = await one.subscribed()
    await one.sandbox.setPlan({
      rules: [
        { match: { token: appleToken(0) }, effect: { reason: 'Unregistered', timestamp: Date.now() + 1000 } },
        { match: { token: appleToken(1) }, effect: { reason: 'Unregistered', timestamp: 1_500_000_000_000 } },
        { match: { token: androidToken(0) }, effect: { reason: 'UNREGISTERED' } },
        { match: { token: androidToken(1) }, effect: { reason: 'UNREGISTERED' } },
      ],
    })
    const { counts } = await one.finished(await broadcast())
    expect(counts).to.include({ audience: all, accepted: all - 4, failed: 4 })
    expect(counts.failures.map(({ kind, count }) => [kind, count])).to.deep.include.members([['token_dead', 2]])
    expect(await one.subscribed()).to.equal(before - 3)
  })
})
