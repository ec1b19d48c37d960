import { expect } from 'chai'
import { STATUS } from '../../../../src/domain/notifications/types.ts'
import { broadcast, deliverDue, scriptedSender, withAndroids } from '../../../support/delivery.ts'
import { onEachDatabase, type TestProgram } from '../../../support/program.ts'
import { sharedDatabase } from '../../../support/shared-database.ts'

onEachDatabase('the vitals', (kind) => {
  let test: TestProgram

  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared({ settings: { 'delivery.pageSize': '2' } })
  })
  afterEach(() => test.close())

  it('are numbers, also of an empty database', async () => {
    const { vitals, kernel } = test.program
    expect(await vitals.backlogs(kernel.clock.now())).to.eql([])
    expect(await vitals.oldestDueAt(kernel.clock.now())).to.equal(undefined)
    expect(await vitals.open()).to.eql([])
    expect(await vitals.databaseBytes())
      .to.be.a('number')
      .greaterThan(0)
  })

  it('count the pages of a lane that are due, not those that wait for their time', async () => {
    await withAndroids(test, 5)
    await broadcast(test)
    const now = test.clock.now()
    const [lane] = await test.program.gateways.lanes.list()
    expect(await test.program.vitals.backlogs(now)).to.eql([{ laneId: lane!.id, duePages: 3, oldestDueAt: now }])
    expect(await test.program.vitals.backlogs(now - 1)).to.eql([{ laneId: lane!.id, duePages: 0, oldestDueAt: null }])
    expect(await test.program.vitals.oldestDueAt(now - 1)).to.equal(undefined)
    expect(await test.program.vitals.open()).to.eql([{ status: STATUS.sending, count: 1 }])
  })

  it('return to zero when all recipients have an outcome', async () => {
    await withAndroids(test, 3)
    await broadcast(test)
    await deliverDue(test, scriptedSender(() => ({ kind: 'accepted' })).sender)
    expect(await test.program.vitals.oldestDueAt(test.clock.now())).to.equal(undefined)
    expect(await test.program.vitals.open()).to.eql([])
  })

  it('show recipients without an outcome, and why', async () => {
    await withAndroids(test, 9)
    await broadcast(test)
    const { db } = test.program.kernel
    const now = test.clock.now()
    const pages: { id: number }[] = await db.read('pages').orderBy('id').select('id')
    const change = (i: number, values: object) =>
      db.write((trx) => trx('pages').where({ id: pages[i]!.id }).update(values))
    await change(0, { state: 'claimed', owner: 'somebody', accepted: 1 })
    await change(1, { not_before: now + 7000, resends: 1, after_crash: true })
    await change(2, { not_before: now + 8000, resends: 1 })
    await change(3, { not_before: now + 9000, attempt: 2, resends: 0 })
    const laneId = (await test.program.gateways.lanes.list())[0]!.id
    const one = (cause: string, recipients: number, afterMs: number) => ({
      laneId,
      cause,
      recipients,
      firstAt: now + afterMs,
      lastAt: now + afterMs,
    })
    const rest = [one('after_crash', 2, 7000), one('no_answer', 2, 8000), one('retry', 2, 9000)]
    expect(await test.program.vitals.waiting(now)).to.eql([one('due', 1, 0), one('under_way', 1, 0), ...rest])
    expect(await test.program.vitals.waiting(now - 1)).to.eql([one('rate', 1, 0), one('under_way', 1, 0), ...rest])
  })

  if (kind !== 'sqlite') return

  it('read indexes only, never the tables behind them', async () => {
    const plans: string[] = []
    const { read } = test.program.kernel.db
    const seen: { sql: string; bindings: unknown[] }[] = []
    read.on('query', (query: { sql: string; bindings: unknown[] }) => seen.push(query))
    await test.program.vitals.backlogs(1)
    await test.program.vitals.oldestDueAt(1)
    await test.program.vitals.open()
    for (const { sql, bindings } of seen.splice(0)) {
      const steps = (await read.raw(`EXPLAIN QUERY PLAN ${sql}`, bindings as string[])) as { detail: string }[]
      plans.push(...steps.map(({ detail }) => detail))
    }
    expect(plans.filter((step) => /\b(SCAN|SEARCH)\b(?!.*INDEX)/.test(step))).to.eql([])
    expect(plans.filter((step) => step.includes('INDEX')).length).to.be.at.least(5)
  })
})
