import { expect } from 'chai'
import type { Follower, LoggedEvent } from '../../src/domain/followers/types.ts'
import type { Areas } from '../../src/program.ts'
import { follow } from '../../src/workers/jobs/follow.ts'
import { createWake } from '../../src/workers/jobs/job.ts'
import { eventually } from '../support/eventually.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../support/program.ts'

onEachDatabase('the job that runs followers', (kind) => {
  let test: TestProgram
  let end: () => Promise<void>
  let followers: Follower<Areas>[]
  beforeEach(async () => {
    test = await openTestProgram({ kind })
    followers = []
    test.program.follows = async () => followers
    const stop = new AbortController()
    const { signal } = stop
    const context = {
      program: test.program,
      owner: 'test',
      signal,
      wake: createWake(),

      tick() {},
    }
    let running: Promise<void> | undefined
    running = follow(context)
    end = async () => {
      stop.abort()
      await running
      running = undefined
    }
  })
  afterEach(async () => {
    await end()
    await test.close()
  })

  const store = (...types: string[]) =>
    test.program.inTransaction((tx) =>
      tx.events.recordAll(
        test.first.id,
        types.map((type) => ({ type, data: null })),
      ),
    )
  const inside = (name: string, seen: string[]): Follower<Areas> => ({
    name,
    from: 'start',
    effect: { apply: async (_, events) => void seen.push(...events.map(({ type }) => type)) },
  })
  const outside = (name: string, deliver: (events: readonly LoggedEvent[]) => Promise<void>): Follower<Areas> => ({
    name,
    from: 'start',
    effect: { deliver: (events) => deliver(events) },
  })

  it('hands events on when they are committed, and gives the followers back when it ends', async () => {
    const seen: string[] = []
    followers = [inside('one', seen)]
    await eventually(async () => (await test.program.followers.find('one')) !== undefined, 'it runs the follower')
    await store('a', 'b')
    await eventually(() => seen.length === 2, 'the events come')
    await store('c')
    await eventually(() => seen.length === 3, 'the next one comes')
    expect(seen).to.deep.equal(['a', 'b', 'c'])
    await end()
    expect((await test.program.followers.find('one'))!.leaseUntil).to.equal(0)
  })

  it('lets no follower wait for one that waits for somebody outside, or fails', async () => {
    const seen: string[] = []
    const released = Promise.withResolvers<void>()
    let failures = 0
    followers = [
      outside('slow', () => released.promise),
      outside('failing', async () => {
        failures++
        throw new Error('away')
      }),
      inside('quick', seen),
    ]
    await store('a')
    await eventually(() => seen.length === 1 && failures === 1, 'the quick one has it')
    await store('b')
    await eventually(() => seen.length === 2, 'and the next')
    expect(failures).to.equal(1)
    test.clock.advance(2000)
    await eventually(() => failures === 2, 'the failing one tries again after a pause')
    released.resolve()
    await eventually(
      async () =>
        (await test.program.followers.states()).every(({ name, lagSeconds }) => name === 'failing' || lagSeconds === 0),
      'the slow one is through',
    )
  })

  it('sends nothing outside while the database is held', async () => {
    const seen: string[] = []
    const sent: string[] = []
    await test.program.inTransaction((tx) => tx.instance.setHold({ since: 1, reason: 'for the test' }))
    followers = [
      inside('inside', seen),
      outside('outside', async (events) => void sent.push(...events.map(({ type }) => type))),
    ]
    await store('a')
    await eventually(() => seen.length === 1, 'what stays inside goes on')
    expect(sent).to.deep.equal([])
    await test.program.inTransaction((tx) => tx.instance.setHold(null))
    await eventually(() => sent.length === 1, 'it goes out after the release')
  })

  it('begins with followers that are new, and leaves those that are gone', async () => {
    const [first, second]: string[][] = [[], []]
    followers = [inside('first', first!)]
    await store('a')
    await eventually(() => first!.length === 1, 'the first has it')
    followers = [inside('second', second!)]
    await eventually(() => second!.length === 1, 'the second has it')
    await store('b')
    await eventually(() => second!.length === 2, 'the second goes on')
    expect(first).to.deep.equal(['a'])
  })
})
