import { expect } from 'chai'
import { occurrencesAfter } from '../../src/domain/schedules/recurrence.ts'
import { planSeries } from '../../src/workers/jobs/series.ts'
import { chance, seedOf } from '../support/chance.ts'
import { deliverDue, fanOut, scriptedSender, withAndroids } from '../support/delivery.ts'
import { many } from '../support/depth.ts'
import { workUntil } from '../support/mortal.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../support/program.ts'
import { daily, planAll, pushSeries } from '../support/series.ts'

const MINUTE = 60_000
const DAY = 1440 * MINUTE
/** The setting `schedule.maxLateness`. */
const LATE = 60 * MINUTE
const RULES = ['30 2 * * *', '0 * * * *', '*/15 1-3 * * *', '0 9 * * *', '59 23,0 * * *', '15 2 * * SUN', '0 0 L * *']
/** Zones, and an evening two days before they change their clocks. */
const CHANGES = [
  ['Europe/Berlin', '2026-03-27T20:00:00Z'],
  ['Australia/Lord_Howe', '2026-10-02T20:00:00Z'],
  ['America/Santiago', '2027-04-02T20:00:00Z'],
  ['Africa/Cairo', '2026-10-28T20:00:00Z'],
] as const

onEachDatabase('series around a clock change', (kind) => {
  let test: TestProgram
  const seed = seedOf(28)
  beforeEach(async () => {
    test = await openTestProgram({ kind })
  })
  afterEach(() => test.close())

  /** Tells whether a series is due. */
  const isDue = async () =>
    (await test.program.kernel.db.read('series').where('due_at', '<=', test.clock.now()).first('id')) !== undefined

  /** Lets the clock go on by steps of chance, while a program dies now and then and several plan at once. Returns the steps. */
  async function goOn(end: number, notifications: string[]): Promise<number[]> {
    const dice = chance(seed ^ end)
    const { sender } = scriptedSender((_, { content }) => {
      notifications.push(String((content as { notificationId: number }).notificationId))
      return { kind: 'accepted' }
    })
    const steps: number[] = []
    for (let now = test.clock.now(); now < end; ) {
      now = Math.min(end, now + (1 + dice(dice(3) === 0 ? 400 : 70)) * MINUTE)
      steps.push(now)
      test.clock.set(now)
      if (dice(6) === 0 && (await isDue()))
        await workUntil(test, dice(2) === 0 ? 'series.read:1' : 'series.stored:1', [planSeries])
      await Promise.all(dice(3) === 0 ? [planAll(test), planAll(test)] : [planAll(test)])
      await fanOut(test)
      await deliverDue(test, sender)
    }
    return steps
  }

  for (const [zone, from] of CHANGES.slice(0, many(2, { long: CHANGES.length }))) {
    it(`in ${zone} send each time once, and leave out and count what is over by more than an hour`, async () => {
      const start = Date.parse(from)
      const end = start + 3 * DAY
      test.clock.set(start)
      await withAndroids(test, 1)
      const series = new Map<number, string>()
      for (const cron of RULES) series.set(await pushSeries(test, { schedule: daily({ cron, timezone: zone }) }), cron)
      const sent: string[] = []
      const steps = await goOn(end, sent)
      const rows: { id: number; series_id: number; schedule: string }[] = await test.program.kernel.db
        .read('notifications')
        .select('id', 'series_id', 'schedule')
      for (const [id, cron] of series) {
        const why = `seed ${seed}: ${cron} in ${zone}`
        const past = []
        for (const one of occurrencesAfter({ cron, timezone: zone }, start)) {
          past.push(one)
          if (one.at > end) break
        }
        const next = past.pop()!
        const made = past.filter(({ at }) => steps.find((step) => step >= at)! <= at + LATE)
        const got = rows
          .filter((row) => row.series_id === id && sent.includes(String(row.id)))
          .map(({ schedule }) => (JSON.parse(schedule) as { sendAt: string }).sendAt)
        expect(got.sort(), why).to.deep.equal(made.map(({ local }) => local).sort())
        expect(await test.program.series.get(test.first.id, id), why).to.include({
          state: 'active',
          planned: next.local,
          missed: past.length - made.length,
        })
      }
      expect(new Set(sent).size, 'once each').to.equal(sent.length)
    })
  }
})
