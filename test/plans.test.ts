import { expect } from 'chai'
import { onEachDatabase, openTestApp, type TestApp } from './support/app.ts'
import { broadcast, deliverDue, scriptedSender, withAndroids } from './support/delivery.ts'
import { fillEveryTable } from './support/every-table.ts'
import { growingSteps, indexesOf, unindexedKeys } from './support/plans.ts'
import { statementsOf } from './support/statements.ts'
import { column } from './support/tables.ts'

const DAY_MS = 86_400_000
/** When an app goes, all of its channels do. */
const OF_THE_WHOLE_APP = /^INSERT INTO deleted_channels|^delete from [`"]channels[`"]/

onEachDatabase('what is asked again and again reads no more the more there is', (kind) => {
  let test: TestApp
  let uploads = 0
  /** A notification with metadata for single users. */
  let personal: number
  before(async () => {
    test = await openTestApp({ kind })
    await withAndroids(test, 3)
    await broadcast(test)
    personal = await broadcast(test, { userMeta: { ann: { seat: 7 } }, reportingMeta: { campaign: 1 } })
    const other = await test.app.inTransaction(({ apps }) => apps.create({ name: 'Other' }))
    await fillEveryTable(test.app, other.id)
    await test.app.kernel.db.write(async (trx) => {
      // Nothing that could be sent.
      await trx('runs').where({ app_id: other.id }).update({ state: 'done' })
      const named = { uuid: 'all', name: 'all', filter: '{}' }
      await trx('segments').insert({ app_id: test.first.id, ...named, created_at: 0, updated_at: 0 })
    })
  })
  after(() => test.close())

  const tx: TestApp['app']['inTransaction'] = (work) => test.app.inTransaction(work)
  /** One upload of a device, at another hour each time so that activity is counted. */
  async function upload(...events: { type: string; data?: object }[]): Promise<void> {
    const { app, clock, first } = test
    clock.advance(3_600_000)
    const stamped = events.map((event) => ({ ...event, uuid: `plan-${++uploads}`, timestamp: clock.now() }))
    await app.inTransaction(({ events: service }) => service.ingest(first.id, 'install-1', stamped))
  }

  /** What is done, and by which function of the program. */
  const WORK: Record<string, () => Promise<unknown>> = {
    'session events': () => upload({ type: 'k.fg' }),
    'events of devices': () =>
      upload(
        { type: 'k.stats.userAssociated', data: { id: 'ann' } },
        { type: 'k.push.deviceRegistered', data: { token: 'other', type: 2 } },
        { type: 'k.message.delivered', data: { id: 1, type: 1 } },
        { type: 'k.message.opened', data: { id: personal, type: 1 } },
        { type: 'own', data: { n: 1 } },
      ),
    'sends, claims and records': async () => {
      await broadcast(test)
      const { sender } = scriptedSender(() => ({ kind: 'token_dead', reason: 'gone' }))
      await deliverDue(test, sender)
    },
    'the look for lost pages': async () => {
      const { queue } = test.app
      for (const owner of [undefined, { all: true } as const, { name: 'worker' }]) await queue.orphans(20, owner)
    },
    'the loop of a delivery thread': async () => {
      const { app, clock } = test
      const { queue } = app
      await queue.dueLanes(clock.now(), 32)
      await queue.nextDue(clock.now())
      await tx(({ queue: writing }) => writing.extend('worker', 30_000, [1, 2]))
    },
    'the loops of dispatch and in-app': async () => {
      await test.app.ledger.dueRuns(test.clock.now(), 10)
      await test.app.ledger.nextRunAt()
      await test.app.ledger.unfinished(0, 100)
      await test.app.inAppWalks.due(test.clock.now(), 10)
      await test.app.inAppWalks.nextAt()
    },
    'a report': async () => {
      const { id } = (await test.app.kernel.db.read('notifications').max({ id: 'id' }).first()) as { id: number }
      await test.app.notifications.report(test.first.id, id)
    },
    'the question whether a segment is awaited': async () => {
      const { read } = test.app.kernel.db
      const { id } = await read('segments').where({ app_id: test.first.id }).first('id')
      await tx(({ segments }) => segments.delete(test.first.id, { id }))
    },
    'the forgetting of all that is old': async () => {
      const { clock } = test
      clock.advance(400 * DAY_MS)
      await tx(({ crm }) => crm.forgetActivity(10))
      await tx(({ events }) => events.forget(30, 10))
      await tx(({ crashes }) => crashes.forget(30, 10))
      await tx(({ checkins }) => checkins.forget(30, 10))
      await tx(({ geofences }) => geofences.forget(10))
      await tx(({ taps }) => taps.forget(10))
      await tx(({ idempotency }) => idempotency.sweep(10))
      await tx(({ channelImports }) => channelImports.forget(30, 10))
      await tx(({ userMessages }) => userMessages.settleTallies(10))
      await tx(({ channels }) => channels.clearAway())
      await tx(({ geofences }) => geofences.settle())
      await tx(({ userMessages }) => userMessages.forget(1, clock.now(), 10))
      await tx(({ inAppRetention }) => inAppRetention.forget(30, { after: 0 }, 10))
    },
    'the deletion of an app': async () => {
      const { id } = await test.app.inTransaction(({ apps }) => apps.create({ name: 'Second' }))
      await tx(({ apps }) => apps.delete(id))
    },
  }
  for (const [what, work] of Object.entries(WORK)) {
    it(what, async () => {
      const statements = (await statementsOf(test.app, work)).filter(({ sql }) => !OF_THE_WHOLE_APP.test(sql))
      expect(statements.length, 'statements').to.be.greaterThan(0)
      expect(await growingSteps(test.app, statements)).to.deep.equal([])
    })
  }

  it('what is forgotten is found by its age, among those alone that may be forgotten', async () => {
    const statements = await statementsOf(test.app, async () => {
      await tx(({ userMessages }) => userMessages.forget(1, test.clock.now(), 10))
      await tx(({ taps }) => taps.forget(10))
      await tx(({ crm }) => crm.forgetActivity(10))
      await test.app.queue.orphans(20)
    })
    const indexes = (await Promise.all(statements.map((one) => indexesOf(test.app, one)))).flat()
    expect(indexes).to.include.members([
      'user_messages_by_age',
      'link_taps_unseen',
      'active_hours_period_index',
      'pages_claimed',
    ])
  })

  it('behind every foreign key there is an index with every row that has one', async () => {
    const { app, first } = test
    await app.inTransaction(async ({ tables }) => {
      await tables.create(first.id, 'authors', [column('name', 'string')])
      await tables.create(first.id, 'works', [column('author', 'reference', { references: 'authors' })])
    })
    expect(await unindexedKeys(app.kernel.db.read)).to.deep.equal([])
  })
})
