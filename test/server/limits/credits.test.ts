import { expect } from 'chai'
import { isAppError } from '../../../src/platform/errors.ts'
import { createExchange, type Exchange } from '../../../src/server/limits/exchange.ts'
import { type RateLimiter, rateLimiter } from '../../../src/server/limits/rate-limiter.ts'

/** The uses of a database, as `capUsesRepository` counts them. */
function store() {
  const free = new Map<string, number>()
  return {
    now: 0,
    nodes: 4,
    statements: 0,
    fails: false,
    exchange(threads = 1): Exchange {
      return createExchange({
        vault: { digest: (text) => text },
        threads,
        monotonic: () => this.now,
        store: async (uses) => {
          this.statements++
          if (this.fails) throw new Error('the database is gone')
          const ahead = new Map<string, number>()
          for (const { digest, ms } of uses) {
            free.set(digest, Math.max(free.get(digest) ?? 0, this.now) + ms)
            ahead.set(digest, free.get(digest)! - this.now)
          }
          return { ahead, nodes: this.nodes }
        },
      })
    },
  }
}

const BURST = 400
const EVERY_MS = 1000
const CAP = { name: 'cap', burst: BURST, everyMs: EVERY_MS, what: 'calls', code: 'too_many' } as const

async function passes(limiter: RateLimiter, who: string, now: number): Promise<boolean> {
  await limiter.ready(who, now)
  try {
    limiter.take(who, now)
    return true
  } catch (error) {
    if (isAppError(error) && error.code === 'too_many') return false
    throw error
  }
}

describe('a cap that nodes share', () => {
  let shared: ReturnType<typeof store>
  let nodes: RateLimiter[]
  beforeEach(() => {
    shared = store()
    nodes = Array.from({ length: shared.nodes }, () => rateLimiter(CAP, undefined, shared.exchange()))
  })

  /** Calls that pass of so many, on the node that `of` chooses. */
  async function passed(calls: number, of: (call: number) => RateLimiter, who = 'a'): Promise<number> {
    let count = 0
    for (let call = 0; call < calls; call++) if (await passes(of(call), who, shared.now)) count++
    return count
  }

  it('holds for a flood that is spread over all nodes, and lets nearly all of it through', async () => {
    const count = await passed(4 * BURST, (call) => nodes[call % 4]!)
    expect(count).to.be.within(BURST * 0.75, BURST)
  })

  it('holds for a flood of one node after the other', async () => {
    const count = await passed(4 * BURST, (call) => nodes[Math.floor(call / BURST)]!)
    expect(count).to.be.within(BURST * 0.75, BURST)
  })

  it('lets a caller who comes to one node use three quarters of it', async () => {
    expect(await passed(2 * BURST, () => nodes[0]!)).to.be.within(BURST * (3 / 4), BURST)
  })

  it('holds over hours, for a caller who is as fast as one node would allow, on all nodes', async () => {
    let count = 0
    const hours = 3
    for (let second = 0; second < hours * 3600; second++) {
      shared.now += 1000
      for (const node of nodes) if (await passes(node, 'a', shared.now)) count++
    }
    expect(count).to.be.within(hours * 3600 * 0.75, hours * 3600 + BURST)
  })

  it('holds for calls that come together, each of which waits for the database', async () => {
    const calls = Array.from({ length: 4 * BURST }, (_, call) => passes(nodes[call % 4]!, 'a', shared.now))
    expect((await Promise.all(calls)).filter(Boolean).length).to.be.at.most(BURST)
    // A refusal for want of an answer is over at once.
    shared.now += 1000
    expect(await passed(8, (call) => nodes[call % 4]!)).to.be.greaterThan(0)
  })

  it('costs no statement while a caller uses less than an eighth of it', async () => {
    for (let minute = 0; minute < 120; minute++) {
      shared.now += 60_000
      // The cap is 60 in a minute.
      for (const who of ['a', 'b', 'c', 'd']) await passed(7, (call) => nodes[(minute + call) % 4]!, who)
    }
    expect(shared.statements).to.equal(0)
  })

  it('costs few statements near the cap, and none for those who are refused', async () => {
    await passed(BURST, () => nodes[0]!)
    expect(shared.statements).to.be.lessThan(200)
    const before = shared.statements
    expect(await passed(1000, () => nodes[0]!)).to.be.lessThan(3)
    expect(shared.statements - before).to.be.lessThan(5)
    let statements = shared.statements
    for (let second = 0; second < 60; second++) {
      shared.now += 1000
      await passed(100, () => nodes[0]!)
    }
    statements = shared.statements - statements
    expect(statements).to.be.lessThan(5 * 60)
  })

  it('asks with one statement at a time for many callers', async () => {
    const calls = Array.from({ length: 300 }, async (_, i) => {
      for (let call = 0; call < 30; call++) await passes(nodes[0]!, `who-${i}`, shared.now)
    })
    await Promise.all(calls)
    expect(shared.statements).to.be.lessThan(100)
  })

  it('counts alone on each node without the database, and together when it is back', async () => {
    shared.fails = true
    expect(await passed(2 * BURST, () => nodes[0]!)).to.equal(BURST)
    shared.fails = false
    shared.now += 2000
    expect(await passed(10, () => nodes[0]!)).to.be.at.most(3)
    // What was used meanwhile is known now.
    expect(await passed(2 * BURST, () => nodes[1]!)).to.be.at.most(BURST / 8)
  })

  it('does not ask for a while when there is one node, and its own count holds', async () => {
    shared.nodes = 1
    expect(await passed(2 * BURST, () => nodes[0]!)).to.equal(BURST)
    expect(shared.statements).to.equal(1)
  })

  it('counts what a large call used at once, and what is given back', async () => {
    nodes[0]!.charge('a', 0, BURST)
    await nodes[0]!.ready('a', 0)
    expect(await passed(BURST, () => nodes[1]!)).to.be.at.most(BURST / 8)
    nodes[0]!.charge('b', 0, BURST)
    nodes[0]!.charge('b', 0, -BURST)
    expect(await passed(BURST, () => nodes[0]!, 'b')).to.be.greaterThan(BURST / 2)
  })

  it('holds over time where it is of fewer calls than there are threads, but for one call of each', async () => {
    const few = { ...CAP, burst: 10, everyMs: 1000 }
    const threads = Array.from({ length: 21 }, () => rateLimiter(few, undefined, shared.exchange(5)))
    let count = 0
    const seconds = 1200
    for (let second = 0; second < seconds; second++) {
      shared.now += 1000
      for (const thread of threads) if (await passes(thread, 'a', shared.now)) count++
    }
    expect(count).to.be.within(seconds * 0.7, seconds + few.burst + threads.length)
  })

  it('holds when each node has several threads', async () => {
    const threads = Array.from({ length: 8 }, () => rateLimiter(CAP, undefined, shared.exchange(2)))
    expect(await passed(4 * BURST, (call) => threads[call % 8]!)).to.be.within(BURST * 0.7, BURST)
  })
})
