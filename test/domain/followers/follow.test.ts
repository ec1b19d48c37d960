import { expect } from 'chai'
import { createFollowing, LEASE_MS } from '../../../src/domain/followers/follow.ts'
import type { Follower } from '../../../src/domain/followers/types.ts'
import { silentLog } from '../../../src/platform/log/log.ts'
import type { Areas } from '../../../src/program.ts'
import { onEachDatabase, type TestProgram } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'

onEachDatabase('a follower', (kind) => {
  let test: TestProgram
  let appId: number
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
    appId = test.first.id
  })
  afterEach(() => test.close())

  const { signal } = new AbortController()
  const store = (...types: string[]) =>
    test.program.inTransaction((tx) =>
      tx.events.recordAll(
        appId,
        types.map((type) => ({ type, data: null })),
      ),
    )
  const run = (follower: Follower<Areas>, owner = 'one') => {
    const { program, clock } = test
    const inTransaction = <T>(work: (areas: Areas) => Promise<T>) => program.inTransaction(work)
    return createFollowing<Areas>({ read: program, inTransaction, clock, log: silentLog, owner }, follower)
  }
  const counting = (more: Partial<Follower<Areas>> = {}) => {
    const seen: string[] = []
    const follower: Follower<Areas> = {
      name: 'counting',
      from: 'start',
      // Not what its own effect writes into the log.
      types: ['a', 'b', 'c', 'd', 'before', 'after', 'lost', 'kept'],
      effect: {
        // The effect is a user of the same name.
        async apply({ crm }, events) {
          for (const { type } of events) {
            await crm.putAttributes(appId, type, {})
            seen.push(type)
          }
        },
      },
      ...more,
    }
    return { follower, seen }
  }
  const users = async () =>
    (await test.program.kernel.db.read('users').orderBy('identifier')).map(({ identifier }) => identifier)

  it('gets each event once, in order, and begins where it ended', async () => {
    await store('a', 'b', 'c')
    const { follower, seen } = counting({ most: 2 })
    const following = run(follower)
    expect(await following.turn(signal)).to.equal('more')
    expect(await following.turn(signal)).to.equal('waiting')
    await following.close()
    await store('d')
    expect(await run(follower, 'two').turn(signal)).to.equal('waiting')
    expect(seen).to.deep.equal(['a', 'b', 'c', 'd'])
  })

  it('that is new gets what is stored from now on, unless it wants all', async () => {
    await store('before')
    const { follower, seen } = counting({ from: 'end' })
    const following = run(follower)
    await following.turn(signal)
    await store('after')
    await following.turn(signal)
    expect(seen).to.deep.equal(['after'])
  })

  it('stores neither effect nor cursor when the effect fails', async () => {
    await store('a', 'b')
    const { follower } = counting()
    let fails = true
    const failing: Follower<Areas> = {
      ...follower,
      effect: {
        async apply(areas, events) {
          await areas.crm.putAttributes(appId, 'effect', {})
          if (fails) throw new Error('broken')
          expect(events).to.have.length(2)
        },
      },
    }
    const following = run(failing)
    expect(await following.turn(signal).catch((error: Error) => error.message)).to.equal('broken')
    expect(await users()).to.deep.equal([])
    fails = false
    expect(await following.turn(signal)).to.equal('waiting')
    expect(await users()).to.deep.equal(['effect'])
  })

  it('is run by one worker, and by another when its lease has ended; the first then stores nothing', async () => {
    await store('a')
    const { follower, seen } = counting()
    const one = run(follower, 'one')
    const two = run(follower, 'two')
    expect(await one.turn(signal)).to.equal('waiting')
    await store('b')
    expect(await two.turn(signal)).to.equal('elsewhere')
    await test.program.kernel.db.write((sql) => sql('followers').update({ lease_until: 1 }))
    expect(await two.turn(signal)).to.equal('waiting')
    await store('c')
    // It still believes that it has the follower: its clock has not reached the end of the lease.
    expect(await one.turn(signal)).to.equal('elsewhere')
    expect(await two.turn(signal)).to.equal('waiting')
    expect(seen).to.deep.equal(['a', 'b', 'c'])
    const [row] = await test.program.kernel.db.read('followers')
    expect(row).to.include({ owner: 'two', fence: 2 })
    expect(LEASE_MS).to.be.greaterThan(0)
  })

  it('with an effect outside gets events again until they are taken', async () => {
    await store('a', 'b', 'c')
    const handed: string[][] = []
    const answers: (() => number | void)[] = [
      () => {
        throw new Error('away')
      },
      () => 1,
      () => undefined,
    ]
    const following = run({
      name: 'outside',
      from: 'start',
      effect: {
        async deliver(events) {
          handed.push(events.map(({ type }) => type))
          return answers.shift()!()
        },
      },
    })
    expect(await following.turn(signal).catch((error: Error) => error.message)).to.equal('away')
    expect(await following.turn(signal)).to.equal('more')
    expect(await following.turn(signal)).to.equal('waiting')
    expect(handed).to.deep.equal([
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
      ['b', 'c'],
    ])
  })

  it('that needs none of the events stores how far it looked, though not each time', async () => {
    const { follower } = counting({ types: ['rare'] })
    const following = run(follower)
    await store('dull')
    await following.turn(signal)
    const cursor = async () => (await test.program.followers.find('counting'))!.cursor
    const first = await cursor()
    await store('dull')
    await following.turn(signal)
    expect(await cursor()).to.equal(first)
    test.clock.advance(11_000)
    await store('dull')
    await following.turn(signal)
    expect(await cursor()).not.to.equal(first)
  })

  it('that is behind the retention goes on after what was forgotten, and shows it', async () => {
    const { follower, seen } = counting()
    const following = run(follower)
    await store('a')
    await following.turn(signal)
    await store('lost')
    test.clock.advance(10 * 86_400_000)
    await store('kept')
    await test.program.inTransaction((tx) => tx.events.forget(5, 10))
    expect((await test.program.followers.states())[0]).to.include({ name: 'counting', missedAt: null, lagSeconds: 0 })
    await following.turn(signal)
    expect(seen).to.deep.equal(['a', 'kept'])
    expect((await test.program.followers.states())[0]).to.deep.include({ missedAt: test.clock.now() })
  })

  it('shows how far it is behind', async () => {
    const { follower } = counting()
    const following = run(follower)
    await following.turn(signal)
    await store('a')
    test.clock.advance(5000)
    expect((await test.program.followers.states())[0]).to.include({ lagSeconds: 5 })
    await following.turn(signal)
    expect((await test.program.followers.states())[0]).to.include({ lagSeconds: 0 })
  })
})
