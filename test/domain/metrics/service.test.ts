import { expect } from 'chai'
import { createFollowing } from '../../../src/domain/followers/follow.ts'
import type { MetricDefinition } from '../../../src/domain/metrics/types.ts'
import type { Filter } from '../../../src/domain/segments/types.ts'
import { isAppError } from '../../../src/platform/errors.ts'
import { silentLog } from '../../../src/platform/log/log.ts'
import type { Areas } from '../../../src/program.ts'
import { addInstall } from '../../support/installs.ts'
import { onEachDatabase } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'

const DAY_MS = 86_400_000
const PAID: MetricDefinition = { event: 'paid', where: null, value: 'data.amount' }
const VISITS: MetricDefinition = { event: 'seen', where: null, value: null }
const { signal } = new AbortController()

/** A running app, with words for what happens to metrics. */
async function open(openShared: ReturnType<typeof sharedDatabase>) {
  const test = await openShared({ settings: { 'limits.metrics': '3', 'metrics.retentionDays': '100' } })
  const { program, clock, first } = test
  const inTransaction = <T>(work: (areas: Areas) => Promise<T>) => program.inTransaction(work)
  const put = (name: string, definition: MetricDefinition, options?: { isBackfilled: boolean }) =>
    inTransaction((tx) => tx.metrics.put(first.id, name, definition, options))
  const remove = (name: string) => inTransaction((tx) => tx.metrics.delete(first.id, name))
  let reported = 0
  const report = (...events: { userId: string; type: string; data?: object; at?: number }[]) =>
    inTransaction((tx) =>
      tx.serverEvents.take(
        first.id,
        events.map(({ at = clock.now(), ...event }) => ({ ...event, uuid: `event ${++reported}`, timestamp: at })),
      ),
    )
  const paid = (userId: string, ...amounts: unknown[]) =>
    report(...amounts.map((amount) => ({ userId, type: 'paid', data: { amount } })))
  async function follow(): Promise<void> {
    const parts = { read: program, inTransaction, clock, log: silentLog, owner: 'test' }
    for (const follower of await program.metrics.follows<Areas>()) {
      const following = createFollowing<Areas>(parts, follower)
      while ((await following.turn(signal)) === 'more');
      await following.close()
    }
    clock.advance(1)
  }
  async function counted(): Promise<unknown[]> {
    const rows = await program.kernel.db
      .read('metric_days')
      .join('users', 'users.id', 'metric_days.user_id')
      .orderBy(['identifier', 'metric_id', 'day'])
      .select('identifier', 'day', 'count', 'sum_millionths')
    return rows.map((row) => [row.identifier, row.day, Number(row.count), Number(row.sum_millionths)])
  }
  const matching = async (filter: Filter) =>
    (await program.segments.previewOf(first.id, filter)).first.map(({ userIdentifier }) => userIdentifier).sort()
  return { test, program, clock, appId: first.id, put, remove, report, paid, follow, counted, matching }
}

/** A place at which a transaction waits. */
function gate() {
  const [entered, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const pass = () => {
    entered.resolve()
    return opened.promise
  }
  return { pass, entered: entered.promise, open: () => opened.resolve() }
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no failure',
    (error: unknown) => (isAppError(error) ? error.code : error),
  )

onEachDatabase('a metric', (kind) => {
  let on: Awaited<ReturnType<typeof open>>
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    on = await open(openShared)
  })
  afterEach(() => on.test.close())
  const today = () => Number(new Date(on.clock.now()).toISOString().slice(0, 10).replaceAll('-', ''))

  it('counts what is stored after it was made, with exact sums', async () => {
    await on.paid('anna', 1000)
    await on.put('revenue', PAID)
    await on.put('visits', VISITS)
    await on.paid('anna', 0.1, 0.2)
    await on.paid('bert', 5)
    await on.report({ userId: 'anna', type: 'seen' })
    await on.follow()
    await on.paid('anna', -0.3)
    await on.follow()
    expect(await on.counted()).to.deep.equal([
      ['anna', today(), 3, 0],
      ['anna', today(), 1, 0],
      ['bert', today(), 1, 5_000_000],
    ])
  })

  it('does not count events without a number, and stops where a sum would no longer be exact', async () => {
    await on.put('revenue', PAID)
    await on.paid('anna', '5', null, 3e9, { x: 1 })
    await on.report({ userId: 'anna', type: 'paid' })
    await on.paid('bert', 2e9, 1.5)
    await on.follow()
    await on.paid('bert', 2e9)
    await on.paid('carl', -2e9, -2e9)
    await on.follow()
    expect(await on.counted()).to.deep.equal([
      ['bert', today(), 3, 2e15],
      ['carl', today(), 2, -2e15],
    ])
  })

  it('counts only events that its where fits', async () => {
    await on.put('euros', { ...PAID, where: { field: 'data.currency', op: 'equals', value: 'EUR' } })
    await on.report(
      { userId: 'anna', type: 'paid', data: { amount: 1, currency: 'EUR' } },
      { userId: 'anna', type: 'paid', data: { amount: 2, currency: 'USD' } },
      { userId: 'anna', type: 'other', data: { amount: 4, currency: 'EUR' } },
    )
    await on.follow()
    expect(await on.counted()).to.deep.equal([['anna', today(), 1, 1_000_000]])
  })

  it('counts an event on its own day, unless that is too old', async () => {
    await on.put('visits', VISITS)
    const at = on.clock.now() - 3 * DAY_MS
    await on.report(
      { userId: 'anna', type: 'seen', at },
      { userId: 'anna', type: 'seen', at: on.clock.now() - 102 * DAY_MS },
    )
    await on.follow()
    const day = Number(new Date(at).toISOString().slice(0, 10).replaceAll('-', ''))
    expect(await on.counted()).to.deep.equal([['anna', day, 1, 0]])
  })

  it('counts for the user whom the install had when it reported, known or anonymous', async () => {
    const { program, appId } = on
    await on.put('visits', VISITS)
    const events = (uuid: string, more: object[] = []) => [{ type: 'seen', uuid, timestamp: on.clock.now() }, ...more]
    const upload = (list: unknown[]) => program.uploads.ingest(appId, 'phone', list)
    await upload(events('one'))
    const associated = { type: 'k.stats.userAssociated', uuid: 'two', timestamp: on.clock.now(), data: { id: 'anna' } }
    await upload([associated])
    await upload(events('three'))
    await upload([...events('four'), { type: 'seen', uuid: 'five', timestamp: on.clock.now(), userId: 'nobody' }])
    await on.follow()
    expect(await on.counted()).to.deep.equal([
      ['anna', today(), 2, 0],
      ['phone', today(), 1, 0],
    ])
  })

  it('begins anew with another definition, and stays as it is with the same', async () => {
    const made = await on.put('revenue', PAID)
    await on.paid('anna', 1)
    await on.follow()
    const same = await on.put('revenue', { ...PAID })
    expect([same.created, same.metric.id]).to.deep.equal([false, made.metric.id])
    expect(await on.counted()).to.have.length(1)
    const other = await on.put('revenue', { ...PAID, value: 'data.total' })
    expect([other.created, other.metric.id === made.metric.id]).to.deep.equal([false, false])
    await on.report({ userId: 'anna', type: 'paid', data: { amount: 1, total: 7 } })
    await on.follow()
    while ((await on.program.inTransaction((tx) => tx.metrics.forget(10))) > 0);
    expect(await on.counted()).to.deep.equal([['anna', today(), 1, 7_000_000]])
    expect(await on.program.kernel.db.read('deleted_metrics')).to.deep.equal([])
  })

  it('counts what was stored before it was made when it is asked to, each event once', async () => {
    const BACK = { isBackfilled: true }
    const first = on.clock.now()
    await on.report({ userId: 'anna', type: 'other' })
    on.clock.advance(2 * DAY_MS)
    await on.paid('anna', 0.1, 0.2)
    on.clock.advance(2 * DAY_MS)
    const made = await on.put('revenue', PAID, BACK)
    expect([made.metric.storedSince, made.metric.backfilled]).to.deep.equal([first, 0])
    await on.paid('anna', 5)
    const follows = () => on.program.metrics.follows<Areas>()
    const { id } = made.metric
    expect((await follows()).map(({ name }) => name)).to.deep.equal([`metrics:${on.appId}`, `backfill:${id}`])
    await on.follow()
    const sums = async () => (await on.counted()).map((row) => (row as number[]).slice(2))
    expect(await sums()).to.deep.equal([
      [2, 300_000],
      [1, 5_000_000],
    ])
    const { backfilled, backfilledAt, storedSince } = await on.program.metrics.get(on.appId, 'revenue')
    expect([backfilled, backfilledAt, storedSince]).to.deep.equal([1, on.clock.now() - 1, first])
    expect(await follows()).to.have.length(1)
    expect(await on.program.kernel.db.read('followers').where('name', 'like', 'backfill%')).to.deep.equal([])
    // Asked again it stays as it is.
    expect((await on.put('revenue', PAID, BACK)).metric.backfilled).to.equal(1)
    expect(await follows()).to.have.length(1)
  })

  it('that counts may come to count what was stored before it, too', async () => {
    await on.paid('anna', 1)
    const made = await on.put('revenue', PAID)
    await on.paid('anna', 2)
    await on.follow()
    on.clock.advance(DAY_MS)
    await on.paid('anna', 4)
    const later = await on.put('revenue', PAID, { isBackfilled: true })
    expect([later.created, later.metric.id]).to.deep.equal([false, made.metric.id])
    await on.follow()
    expect((await on.counted()).map((row) => (row as number[])[3])).to.deep.equal([3_000_000, 4_000_000])
  })

  it('counts what was stored before once, also by a worker who learns late that another one is done', async () => {
    await on.paid('anna', 1)
    await on.put('revenue', PAID, { isBackfilled: true })
    const inTransaction = <T>(work: (areas: Areas) => Promise<T>) => on.program.inTransaction(work)
    const parts = { read: on.program, inTransaction, clock: on.clock, log: silentLog, owner: 'late' }
    const [, reader] = await on.program.metrics.follows<Areas>()
    const late = createFollowing<Areas>(parts, reader!)
    await on.follow()
    expect(await late.turn(signal)).to.equal('elsewhere')
    await late.close()
    expect((await on.counted()).map((row) => (row as number[])[2])).to.deep.equal([1])
    expect(await on.program.kernel.db.read('followers').where('name', 'like', 'backfill%')).to.deep.equal([])
  })

  // Transactions of SQLite come one after the other.
  for (const isBackfilled of kind === 'sqlite' ? [] : [false, true]) {
    const past = isBackfilled ? 'with' : 'without'
    it(`that is made while an event is being stored counts it once, ${past} its past`, async () => {
      await on.put('visits', VISITS)
      await on.report({ userId: 'anna', type: 'seen' })
      const [follower] = await on.program.metrics.follows<Areas>()
      const inTransaction = <T>(work: (areas: Areas) => Promise<T>) => on.program.inTransaction(work)
      const parts = { read: on.program, inTransaction, clock: on.clock, log: silentLog, owner: 'one' }
      const following = createFollowing<Areas>(parts, follower!)
      const turns = async () => {
        for (let turned = 'more'; turned === 'more' || turned === 'elsewhere'; ) turned = await following.turn(signal)
      }
      await turns()
      const [storing, making] = [gate(), gate()]
      const event = { userId: 'anna', type: 'paid', data: { amount: 1 }, uuid: 'u', timestamp: on.clock.now() }
      const stored = inTransaction(async (tx) => {
        await tx.serverEvents.take(on.appId, [event])
        await storing.pass()
      })
      await storing.entered
      const made = inTransaction(async (tx) => {
        await tx.metrics.put(on.appId, 'revenue', PAID, { isBackfilled })
        await making.pass()
      })
      await making.entered
      storing.open()
      await stored
      // It reads behind the event, and does not know the metric.
      await following.turn(signal)
      making.open()
      await made
      on.clock.advance(60_000)
      await turns()
      await following.close()
      await on.follow()
      expect((await on.counted()).filter((row) => (row as number[])[3] !== 0)).to.deep.equal([
        ['anna', today(), 1, 1_000_000],
      ])
    })
  }

  it('without anything stored before it has nothing to read', async () => {
    const { metric } = await on.put('revenue', PAID, { isBackfilled: true })
    expect([metric.backfilled, metric.storedSince]).to.deep.equal([1, metric.createdAt])
    expect(await on.program.metrics.follows<Areas>()).to.have.length(1)
  })

  it('reads what is older in slices, one metric of an app after the other, and says how far it is', async () => {
    const report = (n: number) =>
      on.report(...Array.from({ length: n }, () => ({ userId: 'anna', type: 'seen' })), {
        userId: 'anna',
        type: 'paid',
      })
    await report(250)
    on.clock.advance(DAY_MS)
    await report(250)
    on.clock.advance(DAY_MS)
    await on.put('visits', VISITS, { isBackfilled: true })
    await on.put('paid', { event: 'paid', where: null, value: null }, { isBackfilled: true })
    const inTransaction = <T>(work: (areas: Areas) => Promise<T>) => on.program.inTransaction(work)
    const parts = { read: on.program, inTransaction, clock: on.clock, log: silentLog, owner: 'one' }
    const progress = async () => (await on.program.metrics.list(on.appId)).map(({ backfilled }) => backfilled)
    const [, reader, ...others] = await on.program.metrics.follows<Areas>()
    expect(others).to.deep.equal([])
    const following = createFollowing<Areas>(parts, reader!)
    const seen: unknown[] = []
    for (let turned = 'more'; turned === 'more'; seen.push([turned, await progress()]))
      turned = await following.turn(signal)
    expect(seen).to.deep.equal([
      ['more', [0, 0]],
      ['more', [0, 0.5]],
      ['done', [0, 1]],
    ])
    expect((await on.program.metrics.follows<Areas>()).map(({ types }) => types).at(-1)).to.deep.equal(['paid'])
    await on.follow()
    expect([await progress(), (await on.counted()).map((row) => (row as number[])[2])]).to.deep.equal([
      [1, 1],
      [250, 250, 1, 1],
    ])
    expect((await on.program.followers.states()).map(({ name }) => name)).to.deep.equal([`metrics:${on.appId}`])
  })

  it('that goes while it reads what is older leaves nothing', async () => {
    await on.paid('anna', 1)
    await on.put('revenue', PAID, { isBackfilled: true })
    const [, reader] = await on.program.metrics.follows<Areas>()
    const inTransaction = <T>(work: (areas: Areas) => Promise<T>) => on.program.inTransaction(work)
    const parts = { read: on.program, inTransaction, clock: on.clock, log: silentLog, owner: 'one' }
    const following = createFollowing<Areas>(parts, reader!)
    const gone = await on.put('revenue', { ...PAID, value: 'data.total' })
    expect(gone.metric.backfilled).to.equal(null)
    await following.turn(signal)
    expect(await on.counted()).to.deep.equal([])
    expect((await on.program.metrics.follows<Areas>()).map(({ name }) => name)).to.deep.equal([`metrics:${on.appId}`])
  })

  it('that is made while its follower reads misses nothing', async () => {
    await on.put('visits', VISITS)
    const [follower] = await on.program.metrics.follows<Areas>()
    const inTransaction = <T>(work: (areas: Areas) => Promise<T>) => on.program.inTransaction(work)
    let asked = 0
    const types = async () => {
      const answer = await (follower!.types as () => Promise<string[]>)()
      // Between the question and the read.
      if (++asked === 1) {
        await on.put('revenue', PAID)
        await on.paid('anna', 1)
      }
      return answer
    }
    const parts = { read: on.program, inTransaction, clock: on.clock, log: silentLog, owner: 'one' }
    const following = createFollowing<Areas>(parts, { ...follower!, types })
    // It has to begin anew at its cursor.
    while (['more', 'elsewhere'].includes(await following.turn(signal)));
    expect(await on.counted()).to.deep.equal([['anna', today(), 1, 1_000_000]])
  })

  it('has a follower as long as the app has one, and there are at most as many as the setting says', async () => {
    for (const name of ['a', 'b', 'c']) await on.put(name, VISITS)
    expect(await codeOf(on.put('d', VISITS))).to.equal('conflict')
    expect((await on.put('c', PAID)).created).to.equal(false)
    expect(await codeOf(on.put('not a name', VISITS))).to.equal('invalid')
    const followers = () => on.program.metrics.follows<Areas>()
    expect(await followers()).to.have.length(1)
    for (const name of ['a', 'b']) await on.remove(name)
    expect(await followers()).to.have.length(1)
    await on.remove('c')
    expect(await followers()).to.deep.equal([])
    expect(await codeOf(on.remove('a'))).to.equal('not_found')
    await on.report({ userId: 'anna', type: 'seen' })
    await on.put('a', VISITS)
    await on.follow()
    expect(await on.counted()).to.deep.equal([])
  })

  it('is a field of segments, over the last days', async () => {
    const { program, appId } = on
    for (const name of ['anna', 'bert', 'carl']) {
      await addInstall(program, appId, `of-${name}`, { subscribed: true, user: name })
    }
    await on.put('revenue', PAID)
    await on.put('visits', VISITS)
    await on.paid('anna', 0.1, 0.2)
    await on.report({ userId: 'bert', type: 'paid', data: { amount: 50 }, at: on.clock.now() - 9 * DAY_MS })
    await on.report({ userId: 'bert', type: 'seen' }, { userId: 'bert', type: 'seen' })
    await on.follow()
    const cases: [string, string, number, number | undefined, string[]][] = [
      ['revenue', 'atLeast', 0.3, 7, ['anna']],
      ['revenue', 'greaterThan', 0.3, 7, []],
      ['revenue', 'atLeast', 0.3, 9, ['anna', 'bert']],
      ['revenue', 'atLeast', 0.300_001, undefined, ['bert']],
      ['revenue', 'lessThan', 1, undefined, ['anna', 'carl']],
      ['revenue', 'atMost', 0, 7, ['bert', 'carl']],
      ['visits', 'atLeast', 2, 1, ['bert']],
      ['visits', 'gte', 1.5, 1, ['bert']],
      ['visits', 'atLeast', 3, 1, []],
    ]
    for (const [name, op, value, withinDays, users] of cases) {
      const filter = { field: `metrics.${name}`, op, value, ...(withinDays && { withinDays }) }
      expect(await on.matching(filter), JSON.stringify(filter)).to.deep.equal(users)
    }
    const both = {
      and: [
        { field: 'metrics.visits', op: 'atLeast', value: 1 },
        { field: 'identifier', op: 'known', value: true },
      ],
    }
    expect(await on.matching(both)).to.deep.equal(['bert'])
    expect(await on.matching({ not: { field: 'metrics.visits', op: 'atLeast', value: 1 } })).to.deep.equal([
      'anna',
      'carl',
    ])
  })

  it('that a segment names cannot be deleted; a segment cannot name one that does not exist', async () => {
    const { program, appId } = on
    const filter = { not: { field: 'metrics.visits', op: 'atLeast', value: 1, withinDays: 30 } }
    const create = () => program.inTransaction((tx) => tx.segments.create(appId, { name: 'Away', filter }))
    expect(await codeOf(create())).to.equal('invalid')
    await on.put('visits', VISITS)
    await on.put('visit', VISITS)
    const { id } = await create()
    const refused = await on.remove('visits').catch((error: Error) => error.message)
    expect(refused).to.equal('metric "visits" is named by segment "Away": change or delete that first')
    await on.remove('visit')
    await on.put('visits', PAID)
    await program.inTransaction((tx) => tx.segments.delete(appId, { id }))
    await on.remove('visits')
  })

  it('is forgotten with its days, some at a time, the oldest metric first', async () => {
    for (const name of ['visits', 'again']) await on.put(name, VISITS)
    await on.report({ userId: 'anna', type: 'seen' }, { userId: 'bert', type: 'seen' })
    await on.follow()
    // In the other order: what counts is which one is older.
    for (const name of ['again', 'visits']) await on.remove(name)
    const left = async () => {
      const { read } = on.program.kernel.db
      const rows = await read('metric_days').orderBy('metric_id').pluck('metric_id')
      const ids = [...new Set(rows)]
      return [rows.map((id) => ids.indexOf(id) + (ids.length === 1 ? 1 : 0)), (await read('deleted_metrics')).length]
    }
    const forget = (limit: number) => on.program.inTransaction((tx) => tx.metrics.forget(limit))
    expect([await forget(0), await left()]).to.deep.equal([0, [[0, 0, 1, 1], 2]])
    expect([await forget(1), await left()]).to.deep.equal([1, [[0, 1, 1], 2]])
    expect([await forget(1), await left()]).to.deep.equal([1, [[1, 1], 2]])
    expect([await forget(1), await left()]).to.deep.equal([1, [[1], 1]])
    expect([await forget(5), await left()]).to.deep.equal([1, [[], 0]])
  })

  it('forgets days that are too old', async () => {
    await on.put('visits', VISITS)
    await on.put('revenue', PAID)
    await on.report({ userId: 'anna', type: 'seen' }, { userId: 'bert', type: 'seen' })
    await on.paid('anna', 1)
    await on.follow()
    on.clock.advance(60 * DAY_MS)
    await on.report({ userId: 'anna', type: 'seen' })
    await on.follow()
    on.clock.advance(60 * DAY_MS)
    expect(await on.program.inTransaction((tx) => tx.metrics.forget(2))).to.equal(2)
    expect(await on.program.inTransaction((tx) => tx.metrics.forget(2))).to.equal(1)
    expect(await on.program.inTransaction((tx) => tx.metrics.forget(2))).to.equal(0)
    expect(await on.counted()).to.have.length(1)
  })
})
