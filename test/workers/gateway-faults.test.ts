import { expect } from 'chai'
import { openFcm } from '../../src/domain/gateways/fcm/client.ts'
import type { FcmFacts, FcmSecret } from '../../src/domain/gateways/fcm/credentials.ts'
import { gatewaySettings } from '../../src/domain/gateways/settings.ts'
import { openPool } from '../../src/platform/http2/pool.ts'
import { Http2Failure, type Http2Pool } from '../../src/platform/http2/types.ts'
import { androidToken, appleToken, trouble } from '../support/appliance.ts'
import { broadcast, deliverDue } from '../support/delivery.ts'
import { eventually } from '../support/eventually.ts'
import { type GatewayWorld, openGatewayWorld } from '../support/gateway-world.ts'
import { PROGRAMS_MS } from '../support/programs.ts'
import { scriptedPool } from '../support/push-pool.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** The fault catalogue of gateways (docs/faults.md says which test is where). */
describe('a gateway in trouble', function () {
  this.timeout(PROGRAMS_MS)
  let world: GatewayWorld
  afterEach(() => world.close())

  async function expectAllOnce(id: number, audience: number): Promise<void> {
    expect(await world.counts(id)).to.include({ audience, accepted: audience, failed: 0, unknown: 0, pending: 0 })
    expect(world.receptions(id)).to.eql({ lost: 0, extra: 0 })
  }

  for (const { percent, most } of [
    { percent: 1, most: 1.2 },
    { percent: 50, most: 4 },
  ]) {
    it(`that fails with 5xx at ${percent} % gets at most ${most} requests a recipient, and nobody is lost`, async () => {
      world = await openGatewayWorld({ androids: 300 })
      await world.sandbox.setPlan(trouble({ reason: 'UNAVAILABLE' }, { on: 'fcm', percent }))
      const id = await world.broadcast()
      await world.finish(id)
      await expectAllOnce(id, 300)
      expect(world.seen.length / 300).to.be.within(1.001, most)
    })
  }

  it('that fails with 5xx always gets a few, then one at a time; when it is back everything goes out', async () => {
    world = await openGatewayWorld({ androids: 300 })
    await world.sandbox.setPlan(trouble({ reason: 'INTERNAL' }, { on: 'fcm' }))
    const id = await world.broadcast()
    await world.quiet()
    expect(world.seen.length).to.be.at.most(20)
    expect(await world.lane('android')).to.include({ holdKind: 'gateway_down', holds: 1 })
    const before = world.seen.length
    const from = world.test.clock.now()
    while (world.test.clock.now() < from + HOUR) {
      world.pass((await world.lane('android')).heldUntil - world.test.clock.now())
      await world.quiet()
    }
    expect(world.seen.length - before, 'tries in an hour').to.be.within(5, 100)
    expect(await world.counts(id)).to.include({ pending: 300, failed: 0 })
    await world.sandbox.setPlan({})
    await world.finish(id)
    await expectAllOnce(id, 300)
  })

  for (const { retryAfter, waitMs } of [
    { retryAfter: 7, waitMs: 7000 },
    { retryAfter: undefined, waitMs: MINUTE },
    { retryAfter: 'presently', waitMs: MINUTE },
    { retryAfter: 0, waitMs: 1000 },
    { retryAfter: -5, waitMs: 1000 },
    { retryAfter: 99_999_999, waitMs: HOUR },
  ]) {
    it(`that says 429 with Retry-After ${retryAfter} gets nothing for ${waitMs / 1000} s`, async () => {
      world = await openGatewayWorld({ androids: 40 })
      const effect = { reason: 'QUOTA_EXCEEDED', ...(retryAfter !== undefined && { retryAfter }) }
      await world.sandbox.setPlan(trouble(effect, { on: 'fcm', first: 1 }))
      const id = await world.broadcast()
      await world.quiet()
      const told = world.test.clock.now()
      world.pass(waitMs - 1)
      await world.quiet()
      expect(await world.counts(id)).to.include({ failed: 0 })
      expect((await world.counts(id)).pending).to.be.at.least(1)
      world.pass(1)
      await world.finish(id)
      await expectAllOnce(id, 40)
      expect(world.seen.filter(({ at }) => at > told && at < told + waitMs)).to.eql([])
    })
  }

  for (const how of ['cutBeforeAnswer', 'cutInsideAnswer'] as const) {
    it(`that always ${how === 'cutBeforeAnswer' ? 'cuts before' : 'cuts inside'} the answer for one device gets that three times and no more`, async () => {
      world = await openGatewayWorld({ androids: 30 })
      const token = androidToken(7)
      await world.sandbox.setPlan(trouble({ [how]: true }, { on: 'fcm', token }))
      const id = await world.broadcast()
      await world.finish(id)
      const { accepted, unknown, audience } = await world.counts(id)
      expect(world.seen.filter((one) => one.token === token)).to.have.lengthOf(3)
      expect({ audience, all: accepted + unknown }).to.eql({ audience: 30, all: 30 })
      const tries = new Map<string, number>()
      for (const one of world.seen) tries.set(one.token, (tries.get(one.token) ?? 0) + 1)
      expect(Math.max(...tries.values())).to.equal(3)
      expect(world.receptions(id).lost).to.equal(0)
    })
  }

  it('that cuts the connection once, instead of answering, loses nobody; who was on his way may get it again', async () => {
    world = await openGatewayWorld({ androids: 150 })
    await world.sandbox.setPlan({
      rules: [{ match: { on: 'fcm', after: 30, first: 1 }, effect: { cutBeforeAnswer: true } }],
    })
    const id = await world.broadcast()
    await world.finish(id)
    expect(await world.counts(id)).to.include({ audience: 150, accepted: 150, failed: 0, unknown: 0, pending: 0 })
    const { lost, extra } = world.receptions(id)
    expect(lost).to.equal(0)
    // Two chunks at most are on their way.
    expect(extra).to.be.at.most(100)
  })

  /** Gives up a request as soon as it has arrived and will not be answered: instead of a deadline, which a slow machine may miss. */
  function forgetful(pool: Http2Pool): Http2Pool {
    return scriptedPool(
      (sent) => {
        const { promise, reject } = Promise.withResolvers<never>()
        const off = world.sandbox.on('message', ({ token, taken }) => {
          if (taken || !sent.body.includes(token)) return
          reject(new Http2Failure('uncertain', 'no answer in time'))
        })
        return Promise.race([pool.request(sent), promise]).finally(off)
      },
      () => pool.close(),
    )
  }

  it('that never answers for some devices gets them three times; they end unknown, the others are served', async () => {
    world = await openGatewayWorld({ androids: 12, byHand: true })
    await world.sandbox.setPlan(trouble({ hang: true }, { on: 'fcm', tokenPattern: '^android-[123]-' }))
    const { program, first, clock } = world.test
    const credential = (await program.gateways.credential(first.id, 'android')) as unknown as {
      secret: FcmSecret
      facts: FcmFacts
    }
    const sender = openFcm(credential, gatewaySettings(program.kernel.config), () => clock.now(), {
      openPool: (options) => forgetful(openPool(options)),
    })
    const id = await broadcast(world.test)
    for (let round = 0; round < 5; round++) {
      await deliverDue(world.test, sender)
      clock.advance(30_000)
    }
    // What hangs would be waited for.
    await world.sandbox.close()
    await sender.close()
    expect(await world.counts(id)).to.include({ audience: 12, pending: 0, failed: 0 })
    for (const i of [1, 2, 3]) {
      expect(
        world.seen.filter(({ token }) => token === androidToken(i)),
        `device ${i}`,
      ).to.have.lengthOf(3)
    }
    const hung = world.seen.filter(({ token }) => /^android-[123]-/.test(token))
    expect(world.receptions(id).lost, 'only those who were never answered').to.equal(hung.length / 3)
  })

  for (const certificate of ['self-signed', 'expired', 'wrong-host'] as const) {
    it(`with a certificate that is ${certificate} gets not one request, costs no token, and the lane says why`, async () => {
      world = await openGatewayWorld({ androids: 20, iphones: 10 })
      await world.sandbox.setPlan({ listeners: { apns: { certificate } } })
      const id = await world.broadcast()
      await world.quiet()
      expect(world.seen.filter(({ gateway }) => gateway === 'apns')).to.eql([])
      const lane = await world.lane('ios')
      expect(lane).to.include({ holdKind: 'config_error', holds: 1 })
      expect(lane.holdReason).to.match(/certificate|self-signed/i)
      expect(await world.counts(id)).to.include({ accepted: 20, pending: 10, failed: 0 })
      expect(await world.subscribed()).to.equal(30)
    })
  }

  for (const reason of ['BadCertificate', 'TopicDisallowed', 'BadDeviceToken', 'DeviceTokenNotForTopic'] as const) {
    it(`that answers ${reason} to everybody refuses at most 20, costs no token, and is tried again later`, async () => {
      world = await openGatewayWorld({ iphones: 150, androids: 30 })
      await world.sandbox.setPlan(trouble({ reason }, { on: 'apns' }))
      const id = await world.broadcast()
      await world.quiet()
      const refused = new Set(world.seen.filter(({ gateway }) => gateway === 'apns').map(({ token }) => token))
      expect(refused.size).to.be.within(1, 20)
      expect(await world.lane('ios')).to.include({ holdKind: 'config_error' })
      expect(await world.counts(id)).to.include({ accepted: 30, pending: 150, failed: 0 })
      expect(await world.subscribed()).to.equal(180)
      await world.sandbox.setPlan({})
      await world.finish(id)
      await expectAllOnce(id, 180)
    })
  }

  for (const [what, effect, kind] of [
    ['is down', { status: 503, body: 'down' }, 'gateway_down'],
    ['refuses the account', { reason: 'invalid_grant' }, 'config_error'],
  ] as const) {
    it(`whose token server ${what} gets nothing; its work waits, and goes out when that is over`, async () => {
      world = await openGatewayWorld({ androids: 40 })
      await world.sandbox.setPlan(trouble(effect, { on: 'fcm-token' }))
      const id = await world.broadcast()
      await world.quiet()
      expect(world.seen).to.eql([])
      expect(await world.lane('android')).to.include({ holdKind: kind })
      expect(await world.counts(id)).to.include({ pending: 40, failed: 0 })
      await world.sandbox.setPlan({})
      await world.finish(id)
      await expectAllOnce(id, 40)
    })
  }

  it('that allows one stream at a time gets everybody once', async () => {
    world = await openGatewayWorld({ androids: 120 })
    await world.sandbox.setPlan({ listeners: { fcm: { maxStreams: 1 } } })
    const id = await world.broadcast()
    await world.finish(id)
    await expectAllOnce(id, 120)
  })

  it('whose port comes and goes loses nobody, and another gateway does not notice', async () => {
    world = await openGatewayWorld({ androids: 150, iphones: 60 })
    const refuse = { listeners: { fcm: { refuse: true } } }
    await world.sandbox.setPlan(refuse)
    // While the pool does not connect again, which goes by the real clock, ours passes by the hour.
    const id = await world.broadcast({ ttl: 20 * 24 * 3600 })
    await world.quiet()
    expect(world.seen.filter(({ gateway }) => gateway === 'apns')).to.have.lengthOf(60)
    expect(await world.lane('android')).to.include({ holdKind: 'gateway_down' })
    expect(await world.lane('ios')).to.include({ holdKind: null, holds: 0 })
    for (let flap = 1; flap <= 2; flap++) {
      await world.sandbox.setPlan({})
      const enough = 60 + flap * 10
      await eventually(async () => {
        await world.quiet()
        const due = await world.test.program.queue.nextDue(world.test.clock.now())
        if (world.seen.length < enough) world.pass(Math.max(1, due! - world.test.clock.now()))
        return world.seen.length >= enough
      }, 'it is spoken to again')
      await world.sandbox.setPlan(refuse)
    }
    await world.sandbox.setPlan({})
    await world.finish(id)
    const { accepted, unknown, ...rest } = await world.counts(id)
    expect(accepted + unknown).to.equal(210)
    expect(rest).to.include({ audience: 210, pending: 0, failed: 0 })
    expect(world.receptions(id).lost).to.equal(0)
    const toApple = world.seen.filter(({ gateway }) => gateway === 'apns')
    expect(toApple.map(({ token }) => token).sort()).to.eql(Array.from({ length: 60 }, (_, i) => appleToken(i)).sort())
  })

  it('that is back after a day gets what is not over its time, gradually', async () => {
    world = await openGatewayWorld({ androids: 400, settings: { 'delivery.ramp': '60' } })
    await world.sandbox.setPlan(trouble({ reason: 'UNAVAILABLE' }, { on: 'fcm' }))
    const late = await world.broadcast({ ttl: 12 * 3600 })
    const lasting = await world.broadcast({ ttl: 48 * 3600 })
    await world.quiet()
    const before = world.seen.length
    await world.sandbox.setPlan({})
    world.pass(24 * HOUR)
    const back = world.test.clock.now()
    await eventually(async () => world.seen.length - before >= 100, 'the first burst')
    while ((await world.counts(lasting)).pending > 0) {
      const sent = world.seen.length
      world.pass(50)
      await eventually(
        async () => world.seen.length > sent || (await world.counts(lasting)).pending === 0,
        'more is sent as time passes',
      )
    }
    expect(await world.counts(late)).to.include({ audience: 400, expired: 400, pending: 0 })
    expect(await world.counts(lasting)).to.include({ audience: 400, accepted: 400 })
    const since = (ms: number) => world.seen.slice(before).filter(({ at }) => at <= back + ms).length
    expect(since(0)).to.be.within(100, 121)
    expect(since(200)).to.be.at.most(350)
  })
})
