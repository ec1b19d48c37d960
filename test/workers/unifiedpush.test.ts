import { expect } from 'chai'
import type { RecipientResult } from '../../src/domain/notifications/report/recipients.ts'
import type { Rule } from '../../src/sandbox/stand-in/plan.ts'
import { eventually } from '../support/eventually.ts'
import { type GatewayWorld, openGatewayWorld } from '../support/gateway-world.ts'
import { onEachDatabase } from '../support/program.ts'

const PHONES = 30
const BROWSERS = 10

onEachDatabase('broadcasts to phones without Google', (kind) => {
  let world: GatewayWorld
  before(async () => {
    world = await openGatewayWorld({ kind, phones: PHONES, browsers: BROWSERS })
  })
  beforeEach(() => {
    world.seen.length = 0
  })
  after(() => world.close())

  /** The endpoints of the phones, in the order in which they are sent to. */
  async function endpoints(): Promise<string[]> {
    const rows = await world.test.program.kernel.db
      .read('installs')
      .where({ runs_in: 'app' })
      .orderBy('id')
      .pluck('token')
    return rows as string[]
  }
  const rulesFor = (tokens: readonly string[], effect: Rule['effect']): Rule[] =>
    tokens.map((token) => ({ match: { on: 'web', token }, effect }))
  /** Resolves when so many have it, which may not take longer than a few seconds of the clock. */
  const soon = async (id: number, count: number) => {
    for (let i = 0; i < 5 && (await accepted(id)) < count; i++) {
      await world.quiet()
      world.pass(1000)
    }
    await world.quiet()
    expect(await accepted(id)).to.equal(count)
  }
  const accepted = async (id: number) => (await world.counts(id)).accepted
  const answersOf = (tokens: readonly string[]) => world.seen.filter(({ token }) => tokens.includes(token))

  it('reach every phone and every browser', async () => {
    const id = await world.broadcast()
    await world.finish(id)
    expect(world.receptions(id)).to.deep.equal({ lost: 0, extra: 0 })
  })

  it('wake phones silently, and no browser', async () => {
    const id = await world.broadcast({ content: { title: '', message: '' }, runBackgroundHandler: true })
    await world.finish(id)
    expect(await world.counts(id)).to.include({ accepted: PHONES, failed: BROWSERS })
    const results: RecipientResult[] = []
    for await (const one of await world.test.program.notifications.recipients(world.test.first.id, id))
      results.push(one)
    const of = (outcome: string) =>
      new Set(results.filter((one) => one.outcome === outcome).map((one) => one.transport))
    expect([of('accepted'), of('failed')]).to.deep.equal([new Set(['unifiedpush']), new Set(['web'])])
  })

  const troubles: [string, Rule['effect']][] = [
    ['has no subscriber for some', { reason: 'NoSubscriber' }],
    ['throttles some', { reason: 'TooManyRequests' }],
    ['throttles some for an hour', { reason: 'TooManyRequests', retryAfter: 3600 }],
    ['sends some elsewhere', { status: 302 }],
    ['fails for some', { reason: 'InternalError' }],
  ]
  for (const [name, effect] of troubles) {
    it(`hold nobody up when the server ${name}, and reach these afterwards`, async () => {
      const all = await endpoints()
      // Those who come first, and some in between.
      const some = all.filter((_, i) => i < 6 || i % 4 === 0)
      await world.sandbox.setPlan({ rules: rulesFor(some, effect) })
      const others = PHONES + BROWSERS - some.length
      const id = await world.broadcast()
      await soon(id, others)
      // Nor does anybody wait for the next one, which comes while the former waits.
      const next = await world.broadcast()
      await soon(next, others)
      expect((await world.lane('web')).holds).to.equal(0)
      await world.sandbox.setPlan({})
      await world.finish(id)
      await world.finish(next)
      expect(world.receptions(id)).to.deep.equal({ lost: 0, extra: 0 })
      expect(world.receptions(next)).to.deep.equal({ lost: 0, extra: 0 })
    })
  }

  it('ask again within a minute for a phone that had no subscriber, less and less often, until it has one', async () => {
    const [first] = (await endpoints()) as [string]
    await world.sandbox.setPlan({ rules: rulesFor([first], { reason: 'NoSubscriber' }) })
    const began = world.test.clock.now()
    const id = await world.broadcast()
    await soon(id, PHONES + BROWSERS - 1)
    for (let i = 0; i < 60; i++) {
      await world.quiet()
      world.pass(60_000)
    }
    await world.quiet()
    const times = answersOf([first]).map(({ at }) => at - began)
    expect(times[1]).to.be.at.most(60_000)
    // A wait is drawn between nothing and five minutes in the end, so about half of the minutes see a try; the first ones all do.
    expect(times.length).to.be.within(10, 50)
    await world.sandbox.setPlan({})
    await world.finish(id)
    expect(world.receptions(id)).to.deep.equal({ lost: 0, extra: 0 })
  })

  it('ask a throttled endpoint no sooner than it wants, whatever is sent', async () => {
    const [first] = (await endpoints()) as [string]
    await world.sandbox.setPlan({ rules: rulesFor([first], { reason: 'TooManyRequests', retryAfter: 600 }) })
    for (let i = 0; i < 5; i++) {
      await world.broadcast()
      await world.quiet()
      world.pass(60_000)
    }
    await world.quiet()
    expect(answersOf([first])).to.have.length(1)
    await world.sandbox.setPlan({})
  })

  it('hold nobody up when the server does all of it at once', async () => {
    const all = await endpoints()
    const effects: Rule['effect'][] = [
      { reason: 'NoSubscriber' },
      { reason: 'TooManyRequests', retryAfter: 3600 },
      { status: 413 },
      { status: 410 },
      { status: 404 },
      { status: 302 },
      { status: 500 },
      { status: 418 },
    ]
    // Two phones each, so that no single trouble is that of the host.
    const some = all.slice(0, 2 * effects.length)
    await world.sandbox.setPlan({
      rules: effects.flatMap((effect, i) => rulesFor(some.slice(2 * i, 2 * i + 2), effect)),
    })
    const id = await world.broadcast()
    await soon(id, PHONES + BROWSERS - some.length)
    expect(await world.counts(id)).to.include({ failed: 8 })
    await world.sandbox.setPlan({})
  })
})

describe('a broadcast to phones whose server hangs', () => {
  it('reaches everybody else meanwhile', async () => {
    const world = await openGatewayWorld({ phones: PHONES, browsers: BROWSERS })
    try {
      await world.sandbox.setPlan({
        rules: [{ match: { on: 'web', tokenPrefix: 'https://127.0.0.1:' }, effect: { hang: true } }],
      })
      const id = await world.broadcast()
      // Those at another server, which come last.
      await eventually(async () => (await world.counts(id)).accepted === BROWSERS / 2, 'all others have it')
      expect((await world.lane('web')).holds).to.equal(0)
    } finally {
      // What hangs need not be waited for.
      await world.sandbox.close()
      await world.close()
    }
  })
})
