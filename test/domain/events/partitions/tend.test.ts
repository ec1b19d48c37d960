import { expect } from 'chai'
import { migrations } from '../../../../migrations/index.ts'
import { PERSONAL } from '../../../../src/domain/erasures/personal.ts'
import { erasuresRepository } from '../../../../src/domain/erasures/repository.ts'
import { closeFurther } from '../../../../src/domain/events/partitions/close.ts'
import { forgetFloors, partsOf, STRIDE } from '../../../../src/domain/events/partitions/parts.ts'
import { eventsRepository } from '../../../../src/domain/events/repository.ts'
import { rowsOf } from '../../../../src/platform/db/dialect.ts'
import { partitions, tend } from '../../../support/partitions.ts'
import { onPostgres, openTestProgram, type TestProgram } from '../../../support/program.ts'

const DAY_MS = 86_400_000

onPostgres('the table of events', () => {
  let test: TestProgram
  let appId: number
  let last = 0
  beforeEach(async () => {
    test = await openTestProgram({ kind: 'postgres', pool: 6 })
    appId = test.first.id
  })
  afterEach(() => test.close())

  const event = (type: string, at = test.clock.now()) => ({ type, uuid: `uuid-${++last}`, timestamp: at })
  const upload = (events: object[]) => test.program.inTransaction((tx) => tx.events.ingest(appId, 'I1', events))
  const report = (events: object[]) => test.program.inTransaction((tx) => tx.serverEvents.take(appId, events))
  const types = async () => (await test.program.eventLog.read({ appId, limit: 100 })).events.map(({ type }) => type)
  const sql = () => test.program.kernel.db.read

  /** Stores an event, lets it become old enough, and closes the newest partition. */
  async function close(type: string) {
    const sent = event(type)
    await upload([sent])
    test.clock.advance(1.5 * DAY_MS)
    await tend(test)
    return sent
  }

  it('stays as it is while its events are young or few', async () => {
    await upload([event('a')])
    await tend(test)
    expect(await partitions(test)).to.deep.equal([])
  })

  it('is divided without a change for readers: log, newest events, types, an install, its own order', async () => {
    await close('a')
    await close('b')
    await upload([event('c')])
    expect(await partitions(test)).to.deep.equal([
      ['events_0', 1],
      ['events_1', 1],
      ['events_2', 1],
    ])
    const { eventLog } = test.program
    expect(await types()).to.deep.equal(['a', 'b', 'c'])
    const found = [await eventLog.last({ appId, limit: 2 }), await eventLog.last({ appId, limit: 9, types: ['a'] })]
    expect(found.map((list) => list.map(({ type }) => type))).to.deep.equal([['b', 'c'], ['a']])
    const latest = await eventLog.latest({ appId, limit: 5, installId: 'I1' })
    expect(latest.events.map(({ type }) => type)).to.deep.equal(['c', 'b', 'a'])
    const first = await eventLog.read({ appId, limit: 1 })
    const rest = await eventLog.read({ appId, after: first.next, limit: 9 })
    expect(rest.events.map(({ type }) => type)).to.deep.equal(['b', 'c'])
    expect(rest).to.include({ atEnd: true, missed: false })
  })

  it('keeps the names of its indexes, its key, its reference and the rights of others', async () => {
    const before = await shapeOf()
    await test.program.kernel.db.write(async (trx) => {
      await trx.raw('GRANT SELECT ON events TO pg_monitor')
      await trx.raw('GRANT INSERT ON events TO PUBLIC')
    })
    await close('a')
    const after = await shapeOf()
    const hasRight = "has_table_privilege('pg_monitor', 'events', 'SELECT, INSERT')"
    expect(rowsOf(await sql().raw(`SELECT ${hasRight} AS may`))).to.deep.equal([{ may: true }])
    expect(after).to.deep.equal(before.filter((line) => !line.includes('UNIQUE INDEX') || line.includes('pkey')))
    // Those are of each partition.
    for (const table of ['events_0', 'events_1']) {
      const unique = (await shapeOf(table)).filter((line) => line.includes('UNIQUE INDEX') && !line.includes('pkey'))
      expect(unique, table).to.have.length(2)
    }
  })

  /** Indexes and foreign keys of a table, in a form that does not depend on how it stores rows. */
  async function shapeOf(table = 'events'): Promise<string[]> {
    const found = await sql().raw(
      `SELECT pg_get_indexdef(indexrelid) AS text FROM pg_index WHERE indrelid = to_regclass(?) UNION ALL
       SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = to_regclass(?) AND contype IN ('p', 'f') ORDER BY 1`,
      [table, table],
    )
    return rowsOf<{ text: string }>(found).map(({ text }) => text.replace(' ON ONLY ', ' ON '))
  }

  it('stores an event of a device once, also when its repeat comes in a later partition', async () => {
    const first = await close('a')
    const second = await close('b')
    const again = await upload([first, second, event('c')])
    expect(again).to.include({ accepted: 1, duplicates: 2 })
    expect(await upload([first, second])).to.include({ accepted: 0, duplicates: 2 })
    expect(await types()).to.deep.equal(['a', 'b', 'c'])
  })

  it('stores an event of a device once whose clock is years ahead', async () => {
    const ahead = { ...event('a'), timestamp: test.clock.now() + 4 * 365 * DAY_MS }
    await upload([ahead])
    await close('b')
    await close('c')
    expect(await upload([ahead, event('d')])).to.include({ accepted: 1, duplicates: 1 })
    expect(await types()).to.deep.equal(['a', 'b', 'c', 'd'])
  })

  it('stores an event of a server once, whatever time its repeat has', async () => {
    const sent = { ...event('paid'), userId: 'anna' }
    await report([sent])
    await close('a')
    await close('b')
    await report([
      { ...sent, timestamp: test.clock.now() },
      { ...event('left'), userId: 'anna' },
    ])
    expect(await types()).to.deep.equal(['user.created', 'paid', 'a', 'b', 'left'])
  })

  it('does not store twice what is being stored while a partition is closed', async () => {
    await close('a')
    const sent = event('b')
    const entered = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    const first = test.program.inTransaction(async (tx) => {
      await tx.events.ingest(appId, 'I1', [sent])
      entered.resolve()
      await go.promise
    })
    await entered.promise
    test.clock.advance(1.5 * DAY_MS)
    // Announced and looked at; the last step waits for the transaction, and gives up.
    await tend(test)
    expect(await partitions(test)).to.have.length(2)
    go.resolve()
    await first
    await tend(test)
    expect(await partitions(test)).to.have.length(3)
    expect(await upload([sent])).to.include({ accepted: 0, duplicates: 1 })
  })

  it('is divided step by step, and takes events between the steps, before and after a kill', async () => {
    const { db } = test.program.kernel
    await upload([event('a')])
    const steps: boolean[] = []
    for (const type of ['b', 'c', 'd']) {
      // A kill in a step leaves nothing of it.
      await db
        .write(async (trx) => {
          await closeFurther(trx)
          throw new Error('killed')
        })
        .catch(() => {})
      steps.push(await db.write(closeFurther))
      await upload([event(type)])
    }
    forgetFloors(sql())
    expect(steps).to.deep.equal([false, false, true])
    expect(await types()).to.deep.equal(['a', 'b', 'c', 'd'])
    expect(await partitions(test)).to.deep.equal([
      ['events_0', 3],
      ['events_1', 1],
    ])
    const ids: number[] = await sql()('events').orderBy('id').pluck('id')
    expect([ids.at(-2)! < STRIDE, ids.at(-1)]).to.deep.equal([true, STRIDE])
  })

  it('takes events after a step that was undone at its end, whatever it did to the numbers', async () => {
    const { db } = test.program.kernel
    await upload([event('a')])
    for (const type of ['b', 'c', 'd', 'e', 'f']) {
      await db
        .write(async (trx) => {
          await closeFurther(trx)
          throw new Error('the connection is lost before the commit')
        })
        .catch(() => {})
      await upload([event(type)])
      await db.write(closeFurther)
    }
    forgetFloors(sql())
    expect(await types()).to.deep.equal(['a', 'b', 'c', 'd', 'e', 'f'])
  })

  it('is divided once when another node is done between the look and the first step', async () => {
    await upload([event('a')])
    test.clock.advance(1.5 * DAY_MS)
    const { db } = test.program.kernel
    let isFirst = true
    const late: typeof db = Object.assign(Object.create(db) as typeof db, {
      write: (async (...args) => {
        if (isFirst) {
          isFirst = false
          await tend(test)
        }
        return db.write(...args)
      }) as typeof db.write,
    })
    await tend(test, { db: late })
    expect((await partitions(test)).map(([name]) => name)).to.deep.equal(['events_0', 'events_1'])
  })

  it('is divided by one of several nodes, not while one is alive that knows no partitions, and keeps such away', async () => {
    await upload([event('a')])
    test.clock.advance(1.5 * DAY_MS)
    const older = {
      id: 'older',
      host: 'h',
      pid: 1,
      roles: 'serve',
      version: '0.0.1',
      schema_step: '0148_link_pages',
      key_print: 'k',
      clock_ahead: 0,
      started_at: 0,
      seen_at: sql().raw('CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS bigint)'),
    }
    const step = async () =>
      (await sql()('schema_migrations').where({ name: '0152_event_partitions' }).first())!.compatible
    await test.program.kernel.db.write((trx) => trx('nodes').insert(older))
    await tend(test)
    expect([await partitions(test), await step()]).to.deep.equal([[], true])
    await test.program.kernel.db.write((trx) => trx('nodes').delete())
    await Promise.all([tend(test), tend(test)])
    await tend(test)
    expect((await partitions(test)).map(([name]) => name)).to.deep.equal(['events_0', 'events_1'])
    expect(await step()).to.equal(false)
  })

  it('loses no event of another app when events of one are deleted, for an app or a person', async () => {
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    const both = async (type: string) => {
      for (const id of [appId, other.id])
        await test.program.inTransaction((tx) => tx.events.ingest(id, `I-${id}`, [event(type), event(type)]))
      test.clock.advance(1.5 * DAY_MS)
      await tend(test)
    }
    await both('a')
    await both('b')
    await both('c')
    const count = async (id: number) => (await sql()('events').where({ app_id: id })).length
    expect([await count(appId), await count(other.id)]).to.deep.equal([6, 6])
    await test.program.kernel.db.write((trx) => eventsRepository(trx).clearApp(appId, 4))
    expect([await count(appId), await count(other.id)]).to.deep.equal([2, 6])
    const { row } = await test.program.crm.showInstall(other.id, `I-${other.id}`)
    const events = PERSONAL.find(({ table, by }) => table === 'events' && by === 'install')!
    await test.program.kernel.db.write((trx) => erasuresRepository(trx).deleteRows(other.id, events, row, 100))
    expect([await count(appId), await count(other.id)]).to.deep.equal([2, 0])
  })

  it('becomes one table again by the way back of its step', async () => {
    const before = await shapeOf()
    const sent = await close('a')
    await close('b')
    await upload([event('c')])
    await test.program.kernel.db.write((trx) => migrations['0152_event_partitions'].down(trx))
    forgetFloors(sql())
    expect(await partitions(test)).to.deep.equal([])
    expect(await shapeOf()).to.deep.equal(before)
    expect(await upload([sent, event('d')])).to.include({ accepted: 1, duplicates: 1 })
    expect(await types()).to.deep.equal(['a', 'b', 'c', 'd'])
  })

  it('becomes one table again without what a clock that was days ahead has made it take twice', async () => {
    const ahead = { ...event('a'), timestamp: test.clock.now() + 3.5 * DAY_MS }
    await upload([ahead])
    for (const type of ['b', 'c', 'd', 'e']) await close(type)
    test.clock.advance(0.5 * DAY_MS)
    // The one case in which partitions cannot keep what they promise.
    expect(await upload([ahead])).to.include({ accepted: 1 })
    await test.program.kernel.db.write((trx) => migrations['0152_event_partitions'].down(trx))
    forgetFloors(sql())
    expect(await types()).to.deep.equal(['a', 'b', 'c', 'd', 'e'])
    expect(await upload([ahead])).to.include({ accepted: 0, duplicates: 1 })
  })

  it('forgets a partition when all of its events are old, and tells readers who stood there', async () => {
    await close('a')
    const { next } = await test.program.eventLog.read({ appId, limit: 1 })
    await close('b')
    await close('c')
    // The first two are older than two days now, the third is not.
    await tend(test, { days: 2 })
    expect((await partitions(test)).map(([name]) => name)).to.deep.equal(['events_2', 'events_3'])
    expect(await types()).to.deep.equal(['c'])
    expect(await test.program.eventLog.read({ appId, after: next, limit: 9 })).to.include({ missed: true })
    const start = await test.program.eventLog.read({ appId, limit: 9 })
    expect(start.missed).to.equal(false)
    // What is left of a partition that took events for its time only is not deleted row by row.
    test.clock.advance(DAY_MS)
    expect(await test.program.inTransaction((tx) => tx.events.forget(1, 100))).to.equal(0)
  })

  it('forgets row by row what a wide partition has, as of a table that was ordinary for long', async () => {
    await upload([event('a')])
    test.clock.advance(5 * DAY_MS)
    await upload([event('b')])
    test.clock.advance(0.5 * DAY_MS)
    await tend(test)
    await upload([event('c')])
    expect(await test.program.inTransaction((tx) => tx.events.forget(2, 100))).to.equal(1)
    expect(await types()).to.deep.equal(['b', 'c'])
    expect((await partitions(test)).map(([name]) => name)).to.deep.equal(['events_0', 'events_1'])
  })

  it('waits for somebody who reads for long only shortly, and lets writers go first', async () => {
    await upload([event('a')])
    test.clock.advance(1.5 * DAY_MS)
    const entered = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    const reading = sql().transaction(async (trx) => {
      await trx('events').count()
      entered.resolve()
      await go.promise
    })
    await entered.promise
    const tending = tend(test)
    await upload([event('b')])
    await upload([event('c')])
    await tending
    expect(await partitions(test)).to.deep.equal([])
    go.resolve()
    await reading
    await tend(test)
    expect((await partsOf(sql())).map(({ to }) => to)).to.deep.equal([STRIDE, undefined])
    expect(await types()).to.deep.equal(['a', 'b', 'c'])
  })
})
