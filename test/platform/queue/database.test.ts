import { expect } from 'chai'
import type { Claim, Queue } from '../../../src/platform/queue/queue.ts'
import { acceptBroadcast, broadcast, withAndroids } from '../../support/delivery.ts'
import { openTransaction } from '../../support/locks.ts'
import { onEachDatabase, onPostgres, openTestProgram, type TestProgram } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'

onPostgres('claims of units at the same time', () => {
  let test: TestProgram
  let laneId = 0

  const openShared = sharedDatabase('postgres')
  beforeEach(async () => {
    test = await openShared({ settings: { 'delivery.pageSize': '2' } })
    await withAndroids(test, 4)
    await broadcast(test)
    laneId = (await test.program.gateways.lanes.list())[0]!.id
  })
  afterEach(() => test.close())

  it('step over what another is just taking, without waiting for it', async () => {
    const now = test.clock.now()
    const first = await openTransaction(test, ({ queue }) => queue.claim(laneId, 'one', now, 30_000))
    const second = await test.program.inTransaction(({ queue }) => queue.claim(laneId, 'two', now, 30_000))
    const third = await openTransaction(test, ({ queue }) => queue.claim(laneId, 'three', now, 30_000))
    await third.end()
    await first.end()
    expect([first.value!.owner, second!.owner]).to.eql(['one', 'two'])
    expect(first.value!.id).to.not.equal(second!.id)
    expect(third.value, 'both units are taken').to.equal(undefined)
  })

  it('leave what they do not take to others, who need not wait for their commit', async () => {
    const now = test.clock.now()
    const most = { units: 250, weight: 1 }
    const first = await openTransaction(test, ({ queue }) => queue.claimSome(laneId, 'one', now, 30_000, most))
    const second = await test.program.inTransaction(({ queue }) => queue.claimSome(laneId, 'two', now, 30_000, most))
    await first.end()
    expect([first.value.length, second.length]).to.eql([1, 1])
    expect(first.value[0]!.id).to.not.equal(second[0]!.id)
  })

  it('give each unit to one of many', async () => {
    const now = test.clock.now()
    const claims = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        test.program.inTransaction(({ queue }) => queue.claim(laneId, `w${i}`, now, 30_000)),
      ),
    )
    const ids = claims.flatMap((claim) => (claim ? [claim.id] : []))
    expect(ids).to.have.lengthOf(2)
    expect(new Set(ids)).to.have.lengthOf(2)
  })
})

onEachDatabase('units of a lane', (kind) => {
  let test: TestProgram
  before(async () => {
    test = await openTestProgram({ kind, settings: { 'delivery.pageSize': '150' } })
    await withAndroids(test, 600)
  })
  after(() => test.close())

  it('are claimed light and heavy, so that a few do not wait for many, nor many for a flood of few', async () => {
    const { program, clock, first } = test
    await broadcast(test)
    const lane = (await program.gateways.lanes.list())[0]!.id
    clock.advance(10)
    for (let i = 0; i < 30; i++) await acceptBroadcast(test, { target: { installIds: [`install-${i}`] } })
    clock.advance(10)
    await broadcast(test)
    const totals = async (claims: readonly Claim[]) => {
      const rows: { id: number; total: number; not_before: number }[] = await program.kernel.db
        .read('pages')
        .where({ app_id: first.id })
        .select('id', 'total', 'not_before')
      const byId = new Map(rows.map((row) => [row.id, row]))
      const found = claims.map(({ id }) => byId.get(id)!)
      expect(
        found.map((row) => row.not_before),
        'oldest first',
      ).to.deep.equal(found.map((row) => row.not_before).toSorted((a, b) => a - b))
      return found.map(({ total }) => total)
    }
    const claim = (units: number, weight: number) =>
      program
        .inTransaction(({ queue }) => queue.claimSome(lane, 'one', clock.now(), 30_000, { units, weight }))
        .then(totals)
    // Half of what is wanted goes to the oldest, which are heavy. The last one may exceed it.
    expect(await claim(100, 10)).to.deep.equal([150, ...Array.from({ length: 10 }, () => 1)])
    expect(await claim(3, 400)).to.deep.equal([150, 150, 1, 1, 1])
    expect(await claim(100, 400), 'light ones are among the oldest').to.deep.equal([
      150,
      ...Array.from({ length: 17 }, () => 1),
      150,
    ])
    expect(await claim(100, 200)).to.deep.equal([150])
    expect(await claim(100, 1000)).to.deep.equal([150, 150])
    expect(await claim(100, 1000)).to.deep.equal([])
  })
})

onEachDatabase('leases', (kind) => {
  let test: TestProgram
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared({ settings: { 'delivery.pageSize': '2' } })
    await withAndroids(test, 6)
    await broadcast(test)
  })
  afterEach(() => test.close())

  it('are prolonged of what is worked on: a claim whose answer got lost is found although its owner lives', async () => {
    const now = test.clock.now()
    const laneId = (await test.program.gateways.lanes.list())[0]!.id
    const claim = (owner: string) => test.program.inTransaction(({ queue }) => queue.claim(laneId, owner, now, -1000))
    const [known, lost, ofOther] = [(await claim('one'))!, (await claim('one'))!, (await claim('two'))!]
    await test.program.inTransaction(({ queue }) => queue.extend('one', 30_000, [known.id, ofOther.id]))
    const orphans = (await test.program.queue.orphans(10)).map(({ id }) => id)
    expect(orphans).to.eql([lost.id, ofOther.id])
  })
})

onEachDatabase('a queue', (kind) => {
  let test: TestProgram
  let lane: number
  let now: number
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared({ settings: { 'delivery.pageSize': '2' } })
    await withAndroids(test, 6)
    await broadcast(test)
    lane = (await test.program.gateways.lanes.list())[0]!.id
    now = test.clock.now()
  })
  afterEach(() => test.close())

  const tx = <T>(work: (queue: Queue) => Promise<T>) => test.program.inTransaction(({ queue }) => work(queue))
  const claim = (at: number, owner = 'one', leaseMs = 30_000) => tx((queue) => queue.claim(lane, owner, at, leaseMs))
  const due = (at: number) => tx((queue) => queue.dueLanes(at, 10))

  it('names the lanes with a unit that is due, unless they are held, and when the next one will be', async () => {
    const next = (at: number) => tx((queue) => queue.nextDue(at))
    expect([await due(now - 1), await due(now)]).to.deep.equal([[], [lane]])
    expect(await tx((queue) => queue.dueLanes(now, 0))).to.deep.equal([])
    expect([await next(now - 1), await next(now + 1)]).to.deep.equal([now, now + 1])
    await test.program.kernel.db.write((trx) =>
      trx('lanes')
        .where({ id: lane })
        .update({ held_until: now + 5 }),
    )
    expect([await due(now + 4), await due(now + 5)]).to.deep.equal([[], [lane]])
    expect(await next(now)).to.equal(now + 5)
    for (const later of [10, 20, 30]) {
      const claimed = (await claim(now))!
      await tx((queue) => queue.retry(claimed, now + later))
    }
    expect(await next(now)).to.equal(now + 10)
    expect([await due(now + 9), await due(now + 10)]).to.deep.equal([[], [lane]])
    for (let i = 0; i < 3; i++) await claim(now + 30)
    expect([await next(now + 30), await due(now + 30)]).to.deep.equal([undefined, []])
  })

  it('names lanes in the order of their ids, as many as asked for, and gives of a lane only its own', async () => {
    const other = await test.program.kernel.db.write(async (trx) => {
      const [row] = await trx('lanes').insert({ app_id: test.first.id, platform: 99, updated_at: 0 }).returning('id')
      const last = (await trx('pages').max('id as id').first()) as { id: number }
      await trx('pages')
        .where({ id: last.id })
        .update({ lane_id: row.id, not_before: now - 1 })
      return row.id as number
    })
    const lanes = (limit: number) => tx((queue) => queue.dueLanes(now, limit))
    expect([await lanes(10), await lanes(1)]).to.deep.equal([[lane, other], [lane]])
    for (let i = 0; i < 2; i++) expect(await claim(now)).to.be.an('object')
    expect(await claim(now)).to.equal(undefined)
    expect(await lanes(10)).to.deep.equal([other])
    expect(await tx((queue) => queue.claim(other, 'one', now, 30_000))).to.be.an('object')
  })

  it('gives what is due longest first, and what was returned without a time at its old place', async () => {
    const [first, second, third] = [(await claim(now))!, (await claim(now))!, (await claim(now))!]
    expect([second.id, third.id]).to.deep.equal([first.id + 1, first.id + 2])
    expect(await claim(now)).to.equal(undefined)
    await tx((queue) => queue.retry(first, now + 10))
    await tx((queue) => queue.retry(second, now + 5))
    await tx((queue) => queue.retry(third, undefined))
    expect(await claim(now)).to.include({ id: third.id })
    expect(await claim(now + 4)).to.equal(undefined)
    expect([await claim(now + 20), await claim(now + 20)].map((one) => one?.id)).to.deep.equal([second.id, first.id])
  })

  it('gives each claim a higher fence, and counts what failed and nothing else', async () => {
    let last = (await claim(now))!
    expect(last.failures).to.equal(0)
    for (const [isFailed, failures] of [
      [false, 0],
      [true, 1],
      [false, 1],
      [true, 2],
    ] as const) {
      expect(await tx((queue) => queue.retry(last, undefined, isFailed))).to.equal(true)
      const again = (await claim(now))!
      expect(again).to.deep.include({ id: last.id, failures })
      expect(again.fence).to.be.above(last.fence)
      last = again
    }
    // As an earlier version left it.
    for (const [fence, failures] of [
      [4_999_998, 4],
      [4_999_999, 5],
    ] as const) {
      await tx((queue) => queue.retry(last, undefined))
      await test.program.kernel.db.write((trx) => trx('pages').where({ id: last.id }).update({ fence }))
      last = (await claim(now))!
      expect(last).to.include({ fence: fence + 1, failures })
    }
  })

  it('lets no owner end a claim that is another’s by now, and nobody end one twice', async () => {
    const lost = (await claim(now))!
    await tx((queue) => queue.retry(lost, undefined))
    const held = (await claim(now, 'two'))!
    const ends: ((queue: Queue, claimed: Claim) => Promise<boolean>)[] = [
      (queue, claimed) => queue.complete(claimed),
      (queue, claimed) => queue.bury(claimed),
      (queue, claimed) => queue.retry(claimed, undefined),
    ]
    for (const end of ends) {
      for (const stale of [lost, { ...held, owner: 'one' }, { ...held, fence: lost.fence }, { ...held, id: -1 }]) {
        expect(await tx((queue) => end(queue, stale))).to.equal(false)
      }
    }
    expect(await tx((queue) => queue.complete(held))).to.equal(true)
    const other = (await claim(now))!
    expect(await tx((queue) => queue.bury(other))).to.equal(true)
    for (const end of ends) {
      for (const ended of [held, other]) expect(await tx((queue) => end(queue, ended))).to.equal(false)
    }
    expect(await tx((queue) => queue.orphans(10, { all: true }))).to.deep.equal([])
  })

  it('finds claims whose lease is over, all of an owner, or all, and no more than asked for', async () => {
    const [over, held, other] = [(await claim(now, 'one', -1000))!, (await claim(now))!, (await claim(now, 'two'))!]
    const orphans = (limit: number, owner?: { all: true } | { name: string }) =>
      tx((queue) => queue.orphans(limit, owner))
    expect(await orphans(10)).to.deep.equal([over])
    expect(await orphans(10, { name: 'one' })).to.deep.equal([over, held])
    expect(await orphans(10, { all: true })).to.deep.equal([over, held, other])
    expect(await orphans(2, { all: true })).to.deep.equal([over, held])
  })
})
