import { expect } from 'chai'
import { planDue } from '../../src/domain/series/plan-due.ts'
import { createWake } from '../../src/workers/jobs/job.ts'
import { planSeries } from '../../src/workers/jobs/series.ts'
import { fanOut, withAndroids } from '../support/delivery.ts'
import { many } from '../support/depth.ts'
import { eventually } from '../support/eventually.ts'
import { type Death, workUntil } from '../support/mortal.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../support/program.ts'
import { daily, planAll, pushSeries } from '../support/series.ts'

/** More than one transaction plans. */
const SERIES = 60

onEachDatabase('series that are due at the same time', (kind) => {
  let test: TestProgram
  beforeEach(async () => {
    test = await openTestProgram({ kind })
    test.clock.set(Date.parse('2026-03-01T12:00:00Z'))
    await withAndroids(test, 1)
  })
  afterEach(() => test.close())

  async function make(count: number): Promise<void> {
    for (let i = 0; i < count; i++) await pushSeries(test, { schedule: daily({ cron: '0 9,21 * * *' }) })
  }

  /** Counts the notifications that each series has at each of its times. */
  async function counts(): Promise<Set<string>> {
    const rows: { series_id: number; schedule: string }[] = await test.program.kernel.db
      .read('notifications')
      .select('series_id', 'schedule')
    const byTime = Map.groupBy(rows, ({ series_id: id, schedule }) => `${id} ${JSON.parse(schedule).sendAt}`)
    return new Set([...byTime].map(([time, { length }]) => `${time.slice(time.indexOf(' ') + 1)}: ${length}`))
  }
  const TWICE = ['2026-03-01 21:00: 1', '2026-03-02 09:00: 1']

  const DEATHS: readonly Death[] = [
    'series.read:1',
    'series.stored:1',
    'series.read:2',
    'series.stored:2',
    'series.read:3',
  ]
  it('are planned once each, wherever the program ends meanwhile', async () => {
    await make(SERIES)
    test.clock.set(Date.parse('2026-03-01T20:00:00Z'))
    for (const death of DEATHS.slice(0, many(3, { long: 5 }))) await workUntil(test, death, [planSeries])
    await planAll(test)
    expect(await counts()).to.have.keys(TWICE)
    const rows = await test.program.kernel.db.read('series').select('sent', 'planned', 'state')
    expect(rows).to.have.length(SERIES)
    for (const row of rows) expect(row).to.deep.equal({ sent: 2, planned: '2026-03-02 09:00', state: 'active' })
  })

  it('are planned once each by two nodes at the same time', async () => {
    await make(SERIES)
    test.clock.set(Date.parse('2026-03-01T20:00:00Z'))
    await Promise.all([planAll(test), planAll(test), planAll(test)])
    await planAll(test)
    expect(await counts()).to.have.keys(TWICE)
  })

  it('are not planned by a node that read them before somebody changed them', async () => {
    await make(1)
    test.clock.set(Date.parse('2026-03-01T20:00:00Z'))
    const { program, clock, first } = test
    const failed = () => expect.fail('nothing fails')
    await planDue(
      {
        read: program,
        clock,
        async inTransaction(work) {
          const [{ id }] = await program.kernel.db.read('series').select('id')
          await program.inTransaction((tx) => tx.series.pause(first.id, id))
          return program.inTransaction(work)
        },
      },
      { resting: new Set(), failed },
    )
    expect(await program.kernel.db.read('series').first('state', 'sent', 'due_at')).to.deep.equal({
      state: 'paused',
      sent: 0,
      due_at: null,
    })
  })

  it('wait while the database is held and while the clock is in doubt, and one that cannot be read stops no other', async () => {
    await make(3)
    const { program, first, clock } = test
    const ids: number[] = await program.kernel.db.read('series').orderBy('id').pluck('id')
    await program.kernel.db.write((sql) => sql('series').where({ id: ids[0]! }).update({ request: '{"schedule":' }))
    clock.set(Date.parse('2026-03-01T20:00:00Z'))
    await program.inTransaction((tx) => tx.instance.setHold({ since: 1, reason: 'restored' }))
    const stop = new AbortController()
    let ticks = 0
    const wake = createWake()
    const context = { program, owner: 'x', signal: stop.signal, wake, tick: () => void ticks++ }
    const working = planSeries(context)
    const states = async () =>
      Object.fromEntries(
        (await program.kernel.db.read('series').select('id', 'state', 'sent')).map(({ id, state, sent }) => [
          ids.indexOf(id),
          `${state} ${sent}`,
        ]),
      )
    const turns = async () => {
      const before = ticks
      await eventually(() => {
        wake.ring()
        return ticks > before + 2
      }, 'the loop turns')
    }
    await turns()
    expect(await states()).to.deep.equal({ 0: 'active 1', 1: 'active 1', 2: 'active 1' })
    const trusted = clock.doubt
    clock.doubt = () => ({ off: 1, isConfirmed: false, isStart: false })
    await program.inTransaction((tx) => tx.instance.setHold(null))
    await turns()
    expect(await states()).to.deep.equal({ 0: 'active 1', 1: 'active 1', 2: 'active 1' })
    clock.doubt = trusted
    await eventually(async () => (await states())[2] === 'active 2', 'they are planned')
    expect(await states()).to.deep.equal({ 0: 'broken 1', 1: 'active 2', 2: 'active 2' })
    stop.abort()
    await working
    expect((await program.series.broken(first.id, 5))[0]!.why).to.match(/schedule of series \d+ cannot be read/)
    await fanOut(test)
  })
})
