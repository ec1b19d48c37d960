import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { type GatewayWorld, openGatewayWorld } from '../support/gateway-world.ts'

describe('broadcasts to browsers of several push services', () => {
  let world: GatewayWorld
  beforeEach(async () => {
    world = await openGatewayWorld({ browsers: 60 })
  })
  afterEach(() => world.close())

  const at = (host: string) => ({ on: 'web' as const, tokenPrefix: `https://${host}:` })
  const accepted = async (id: number) => (await world.counts(id)).accepted

  it('reach every browser once, encrypted for it alone', async () => {
    const id = await world.broadcast()
    await world.finish(id)
    expect(world.receptions(id)).to.deep.equal({ lost: 0, extra: 0 })
    expect(new Set(world.seen.map(({ answer }) => answer))).to.deep.equal(new Set(['201']))
  })

  it('go on when one service throttles; its browsers get theirs when it said', async () => {
    await world.sandbox.setPlan({
      rules: [{ match: at('localhost'), effect: { reason: 'TooManyRequests', retryAfter: 120 } }],
    })
    const id = await world.broadcast()
    await eventually(async () => (await accepted(id)) >= 30, 'the other service has all of its own')
    await world.quiet()
    expect((await world.lane('web')).heldUntil).to.equal(0)
    const asked = () => world.seen.filter(({ token }) => token.includes('localhost')).length
    // All that were on their way together, and one after them.
    const before = asked()
    expect(before).to.be.at.most(30)
    world.pass(60_000)
    await world.quiet()
    expect(asked()).to.be.at.most(before + 1)
    await world.sandbox.setPlan({})
    await world.finish(id)
    expect(world.receptions(id)).to.deep.equal({ lost: 0, extra: 0 })
    expect((await world.lane('web')).holds).to.equal(0)
  })

  it('go on when one service is down, which is asked little meanwhile', async () => {
    await world.sandbox.setPlan({ rules: [{ match: at('localhost'), effect: { reason: 'InternalError' } }] })
    const id = await world.broadcast()
    await eventually(async () => (await accepted(id)) >= 30, 'the other service has all of its own')
    expect(await accepted(id)).to.equal(30)
    for (let i = 0; i < 20; i++) {
      world.pass(60_000)
      await world.quiet()
    }
    const asked = world.seen.filter(({ token }) => token.includes('localhost')).length
    expect(asked).to.be.lessThan(120)
    expect((await world.lane('web')).heldUntil).to.equal(0)
    await world.sandbox.setPlan({})
    await world.finish(id)
    expect(world.receptions(id)).to.deep.equal({ lost: 0, extra: 0 })
  })

  it('retire the subscriptions that are gone and keep the others', async () => {
    await world.sandbox.setPlan({ rules: [{ match: { on: 'web', first: 7 }, effect: { reason: 'Gone' } }] })
    const id = await world.broadcast()
    await world.finish(id)
    expect(await world.counts(id)).to.include({ accepted: 53, failed: 7 })
    expect(await world.subscribed()).to.equal(53)
  })

  it('find the right key of the ring and remember it', async () => {
    const { program, first, clock } = world.test
    const [before] = (await program.gateways.find(first.id, 'web'))!.facts.keys as { publicKey: string; id: string }[]
    const old = world.sandbox.subscribe({ publicKey: before!.publicKey })
    await program.inTransaction(async ({ crm, gateways }) => {
      const { checkBlocks } = await import('../../src/domain/gateways/service.ts')
      clock.advance(1000)
      await gateways.configure(first.id, await checkBlocks({ web: { rotate: true } }, clock.now()))
      clock.advance(1000)
      const install = await crm.ensureInstall(first.id, 'old', clock.now())
      await crm.registerToken(first.id, install, { type: 3, token: old }, clock.now())
    })
    const id = await world.broadcast()
    await world.finish(id)
    expect(world.receptions(id)).to.deep.equal({ lost: 0, extra: 0 })
    const asked = () => world.seen.filter(({ token }) => token === old.endpoint).map(({ answer }) => answer)
    expect(asked()).to.deep.equal(['403', '201'])
    const again = await world.broadcast()
    await world.finish(again)
    expect(asked()).to.deep.equal(['403', '201', '201'])
    const { environment } = (await program.kernel.db
      .read('installs')
      .where({ install_id: 'old' })
      .first('token_environment as environment')) as { environment: string }
    expect(environment).to.equal(`vapid:${before!.id}`)
  })
})

describe('a broadcast to browsers of which some are at a service that hangs', () => {
  it('reaches those of the pages behind, while the pages before wait for the last of theirs', async () => {
    const world = await openGatewayWorld({ browsers: 60, settings: { 'delivery.pageSize': '10' } })
    try {
      const { program, first } = world.test
      const rows = (await program.kernel.db.read('installs').orderBy('id').pluck('id')) as number[]
      // One on each of three pages: with a page after the other the rest would wait for three deadlines.
      const hanging = await program.crm.deliveryRecipients(
        first.id,
        [10, 20, 30].map((i) => rows[i]!),
      )
      await world.sandbox.setPlan({
        rules: hanging.map(({ token }) => ({ match: { on: 'web', tokenPrefix: token! }, effect: { hang: true } })),
      })
      const id = await world.broadcast()
      await eventually(async () => (await world.counts(id)).accepted >= 57, 'all others have it')
      expect((await world.lane('web')).heldUntil).to.equal(0)
    } finally {
      // What hangs need not be waited for.
      await world.sandbox.close()
      await world.close()
    }
  })
})
