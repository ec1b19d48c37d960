import { expect } from 'chai'
import { fold } from '../../../src/domain/load/fold.ts'
import type { LoadCounts, LoadPoint, LoadSizes } from '../../../src/domain/load/types.ts'
import { createLoadReporter } from '../../../src/workers/load.ts'
import { onEachDatabase, type TestProgram } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const report = (more: Partial<LoadCounts & LoadSizes> = {}): LoadCounts & LoadSizes => ({
  serverCalls: 1,
  deviceCalls: 10,
  errors: 0,
  accepted: 100,
  failed: 2,
  cpuMs: 600,
  cpuRoomMs: 120_000,
  queueMs: 0,
  memoryBytes: 200_000_000,
  databaseBytes: 1_000_000,
  diskFreeBytes: 50_000_000,
  ...more,
})
const point = (at: number, more: Partial<LoadPoint> = {}): LoadPoint => ({ ...report(), at, ...more })

describe('points of the load', () => {
  it('are folded into longer spans: counts are added, of sizes the worst is kept', () => {
    const folded = fold(
      [
        point(0, { queueMs: 5, diskFreeBytes: null }),
        point(MINUTE_MS, { errors: 3, memoryBytes: 300_000_000, diskFreeBytes: 40 }),
        point(15 * MINUTE_MS, { diskFreeBytes: null }),
      ],
      15 * MINUTE_MS,
    )
    expect(folded).to.deep.equal([
      point(0, {
        serverCalls: 2,
        deviceCalls: 20,
        errors: 3,
        accepted: 200,
        failed: 4,
        cpuMs: 1200,
        cpuRoomMs: 240_000,
        queueMs: 5,
        memoryBytes: 300_000_000,
        diskFreeBytes: 40,
      }),
      point(15 * MINUTE_MS, { diskFreeBytes: null }),
    ])
    expect(fold([], HOUR_MS)).to.deep.equal([])
  })
})

onEachDatabase('the load of the server', (kind) => {
  const open = sharedDatabase(kind)
  let shared: TestProgram
  beforeEach(async () => {
    shared = await open()
  })
  afterEach(() => shared.close())

  const store = (given = report()) => shared.program.inTransaction((tx) => tx.load.report(given))
  const course = (period: 'hour' | 'day' | 'week' | 'month') => shared.program.load.course(period)

  it('of several processes is one row: their counts are added, of sizes the worst is kept', async () => {
    await store(report({ diskFreeBytes: null }))
    await store(report({ queueMs: 4000, memoryBytes: 100_000_000, databaseBytes: 2_000_000, diskFreeBytes: 7 }))
    const now = shared.clock.now()
    const at = now - MINUTE_MS - (now % MINUTE_MS)
    const { points, from, to, span } = await course('hour')
    expect(points).to.deep.equal([
      point(at, {
        serverCalls: 2,
        deviceCalls: 20,
        accepted: 200,
        failed: 4,
        cpuMs: 1200,
        cpuRoomMs: 240_000,
        queueMs: 4000,
        databaseBytes: 2_000_000,
        diskFreeBytes: 7,
      }),
    ])
    expect([span, to - from]).to.deep.equal([MINUTE_MS, HOUR_MS])
    expect(to).to.be.above(now)
    for (const period of ['day', 'week', 'month'] as const) {
      const wider = await course(period)
      expect(
        wider.points.map(({ accepted }) => accepted),
        period,
      ).to.deep.equal([200])
    }
  })

  it('is kept by minute for two days and by hour for a month, and forgotten in slices', async () => {
    const rows = async () => {
      const found = await shared.program.kernel.db
        .read('load')
        .groupBy('span')
        .orderBy('span')
        .select('span')
        .count('* as n')
      return found.map((row) => [Number(row.span), Number(row.n)])
    }
    const forget = (limit: number) => shared.program.inTransaction((tx) => tx.load.forget(limit))
    for (let minute = 0; minute < 3; minute++) {
      await store()
      shared.clock.advance(MINUTE_MS)
    }
    const before = await rows()
    expect(before[0]).to.deep.equal([60, 3])
    expect(await forget(10)).to.equal(0)
    shared.clock.advance(2 * DAY_MS)
    await store()
    expect(await forget(2)).to.equal(2)
    expect(await forget(2)).to.equal(1)
    expect((await rows())[0]).to.deep.equal([60, 1])
    expect((await course('week')).points.reduce((sum, { accepted }) => sum + accepted, 0)).to.equal(400)
    shared.clock.advance(32 * DAY_MS)
    expect(await forget(10)).to.be.above(1)
    expect(await rows()).to.deep.equal([])
  })

  it('is what happened since the last report that was stored', async () => {
    const { program, clock } = shared
    let calls = 5
    let cpu = 1000
    const requests = () => Promise.resolve({ serverCalls: calls, deviceCalls: 2 * calls, errors: 1 })
    const reporter = createLoadReporter(program, { requests, cpuMs: () => cpu })
    cpu = 1750
    clock.advance(MINUTE_MS)
    await reporter.report()
    calls = 12
    program.kernel.outcomes.set('accepted', 40)
    clock.advance(MINUTE_MS)
    await reporter.report()
    program.kernel.outcomes.delete('accepted')
    const { points } = await course('hour')
    expect(
      points.map(({ serverCalls, deviceCalls, errors, accepted, cpuMs }) => [
        serverCalls,
        deviceCalls,
        errors,
        accepted,
        cpuMs,
      ]),
    ).to.deep.equal([
      [5, 10, 1, 0, 750],
      [7, 14, 0, 40, 0],
    ])
    expect(points[0]!.databaseBytes).to.be.above(0)
    expect(points[0]!.cpuRoomMs).to.be.at.least(MINUTE_MS)
  })
})
