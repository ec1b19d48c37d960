import { expect } from 'chai'
import { forgetFloors } from '../../../../src/domain/events/partitions/parts.ts'
import { rowsOf } from '../../../../src/platform/db/dialect.ts'
import { type Heard, hear } from '../../../support/hear.ts'
import { tend } from '../../../support/partitions.ts'
import { onPostgres, openTestProgram, type TestProgram } from '../../../support/program.ts'

const DAY_MS = 86_400_000
const MONTHS = 6

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  Plans?: PlanNode[]
}

onPostgres('a divided table of events', () => {
  let test: TestProgram
  let appId: number
  before(async () => {
    test = await openTestProgram({ kind: 'postgres' })
    appId = test.first.id
    for (let month = 0; month < MONTHS; month++) {
      await upload(`event-${month}`)
      test.clock.advance(3 * DAY_MS)
      await tend(test)
    }
    await upload('last')
    test.clock.advance(3 * DAY_MS)
    // As half a minute later: the next look reads the partitions anew, and those after it do not.
    forgetFloors(test.program.kernel.db.read)
    await upload('looks')
  })
  after(() => test.close())

  const upload = (uuid: string, at = test.clock.now()) =>
    test.program.inTransaction((tx) => tx.events.ingest(appId, 'I1', [{ type: 'shop.viewed', uuid, timestamp: at }]))

  /** The partitions that the statements of `work` look into, and the tables among them that they read from end to end. */
  async function lookedInto(work: () => Promise<unknown>): Promise<{ partitions: string[]; whole: string[] }> {
    const heard: Heard[] = []
    const { db } = test.program.kernel
    const stop = hear(db, (one) => heard.push(one))
    await work()
    stop()
    const found = heard.filter(({ sql }) => /^(WITH|SELECT|DELETE|UPDATE)/i.test(sql) && /\bevents\b/.test(sql))
    const partitions = new Set<string>()
    const whole = new Set<string>()
    const look = (node: PlanNode) => {
      const table = node['Relation Name']
      if (table?.startsWith('events_')) partitions.add(table)
      if (table?.startsWith('events_') && node['Node Type'] === 'Seq Scan') whole.add(table)
      for (const plan of node.Plans ?? []) look(plan)
    }
    await db.write(async (trx) => {
      // Small tables are read from end to end where that is possible at all.
      await trx.raw('SET LOCAL enable_seqscan = off')
      for (const { sql, bindings, named } of found) {
        // As the program has it: the plan of a name is made without values, and partitions are left out when it runs.
        await trx.raw(`SET LOCAL plan_cache_mode = ${named ? 'force_generic_plan' : 'auto'}`)
        const places = sql.replaceAll('?', '\\?').replaceAll(/\$(\d+)/g, ':v$1')
        const values = Object.fromEntries(bindings.map((value, i) => [`v${i + 1}`, value]))
        const explained = await trx.raw(`EXPLAIN (FORMAT JSON) ${places}`, values as never)
        look(rowsOf<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(explained)[0]!['QUERY PLAN'][0].Plan)
      }
    })
    return { partitions: [...partitions].sort(), whole: [...whole] }
  }

  const newest = `events_${MONTHS}`

  it('is looked into at its end for a new event, and from its own time on for an old one', async () => {
    expect(await lookedInto(() => upload('new'))).to.deep.equal({ partitions: [newest], whole: [] })
    const old = await lookedInto(() => upload('old', test.clock.now() - 8 * DAY_MS))
    expect(old.partitions.length).to.be.greaterThan(1).and.lessThan(MONTHS)
    expect(old.whole).to.deep.equal([])
  })

  it('is looked into at its end by readers of the log who are there, and for the events that they get', async () => {
    const { eventLog } = test.program
    const { events } = await eventLog.read({ appId, limit: 100 })
    const after = events.at(-2)!.position
    expect(await lookedInto(() => eventLog.read({ appId, after, limit: 10 }))).to.deep.equal({
      partitions: [newest],
      whole: [],
    })
    expect(await lookedInto(() => eventLog.glance(after))).to.deep.equal({ partitions: [newest], whole: [] })
  })

  it('is searched by an index in each partition for what has no place in the log', async () => {
    const { eventLog, kernel } = test.program
    for (const work of [
      () => eventLog.last({ appId, limit: 5 }),
      () => eventLog.latest({ appId, limit: 5, installId: 'I1' }),
      () => test.program.inTransaction((tx) => tx.events.forgetOfType('user.erased', 30, 100)),
      () => kernel.db.read('events').where({ id: 1 }).first(),
    ])
      expect((await lookedInto(work)).whole).to.deep.equal([])
  })
})
