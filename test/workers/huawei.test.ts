import { expect } from 'chai'
import type { Plan } from '../../src/sandbox/sandbox.ts'
import { trouble } from '../support/appliance.ts'
import { type GatewayWorld, huaweiToken, openGatewayWorld } from '../support/gateway-world.ts'
import { PROGRAMS_MS } from '../support/programs.ts'

describe('delivering to Huawei', function () {
  this.timeout(PROGRAMS_MS)

  describe('in passing trouble', () => {
    let world: GatewayWorld
    before(async () => {
      world = await openGatewayWorld({ huaweis: 150 })
    })
    after(() => world.close())

    /** Sends to everybody while this goes wrong; returns who did not get it and how many requests it took. */
    async function sendWith(plan: Plan): Promise<{ lost: number; extra: number; requests: number }> {
      await world.sandbox.setPlan(plan)
      const before = world.seen.length
      const id = await world.broadcast()
      await world.finish(id)
      expect(await world.counts(id)).to.include({ accepted: 150, failed: 0, unknown: 0 })
      return { ...world.receptions(id), requests: new Set(world.seen.slice(before).map((one) => one.id)).size }
    }

    it('without any, many go in one request', async () => {
      const { lost, extra, requests } = await sendWith({})
      expect({ lost, extra }).to.eql({ lost: 0, extra: 0 })
      // The first twenty try out the credential, then chunks of fifty.
      expect(requests).to.be.at.most(30)
    })

    const passing: [string, object, object][] = [
      ['flow control', { status: 503, retryAfter: 5 }, { first: 3 }],
      ['an access token that is over', { reason: '80200003' }, { after: 2, first: 1 }],
      ['an error of Huawei', { reason: '81000001', status: 200 }, { first: 2 }],
      ['too many tokens', { reason: '80300010' }, { after: 1, first: 1 }],
      ['no permission for a while', { reason: '80300002' }, { first: 1 }],
    ]
    for (const [what, effect, when] of passing) {
      it(`${what}: everybody gets it once`, async () => {
        const { lost, extra } = await sendWith(trouble(effect, { on: 'hcm', ...when }))
        expect({ lost, extra }).to.eql({ lost: 0, extra: 0 })
      })
    }

    it('an answer that gets lost is sent again, because nobody can know: at most to those of that request', async () => {
      const cut = { cutBeforeAnswer: true, taken: true }
      const { lost, extra } = await sendWith(trouble(cut, { on: 'hcm', after: 1, first: 1 }))
      expect(lost).to.equal(0)
      expect(extra).to.be.within(1, 50)
    })
  })

  describe('with tokens that are none', () => {
    let world: GatewayWorld
    beforeEach(async () => {
      world = await openGatewayWorld({ huaweis: 60 })
    })
    afterEach(() => world.close())

    it('costs only those: after three notifications they are forgotten', async () => {
      await world.sandbox.setPlan(trouble({ reason: '80100000' }, { on: 'hcm', tokenPrefix: 'huawei-5' }))
      for (let round = 1; round <= 3; round++) {
        expect(await world.subscribed()).to.equal(60)
        const id = await world.broadcast()
        await world.finish(id)
        expect(await world.counts(id)).to.include({ accepted: 49, failed: 11 })
      }
      expect(await world.subscribed()).to.equal(49)
      const id = await world.broadcast()
      await world.finish(id)
      expect(await world.counts(id)).to.include({ accepted: 49, failed: 0 })
      expect(world.sandbox.countOf(huaweiToken(7))).to.equal(4)
    })

    it('a wrong app id refuses everybody: sending stops and no token is forgotten', async () => {
      await world.sandbox.setPlan(trouble({ reason: '80300007' }, { on: 'hcm' }))
      await world.broadcast()
      await world.quiet()
      expect(await world.lane('hcm')).to.include({ holdKind: 'config_error' })
      expect(await world.subscribed()).to.equal(60)
    })
  })
})
