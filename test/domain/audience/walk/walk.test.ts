import { expect } from 'chai'
import type { Target } from '../../../../src/domain/audience/types.ts'
import { audienceRepository } from '../../../../src/domain/audience/walk/audience.repository.ts'
import type { Cursor } from '../../../../src/domain/audience/walk/walk.ts'
import type { Within } from '../../../../src/domain/audience/walk/within.ts'
import { PLATFORM_TYPES } from '../../../../src/domain/gateways/registry.ts'
import { addInstall } from '../../../support/installs.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../../../support/program.ts'

const COUNT = 120
const ZONES = [
  'Europe/Berlin',
  'Asia/Tokyo',
  'Africa/Cairo',
  null,
  'Pacific/Apia',
  'Asia/Kolkata',
  'America/Lima',
  'UTC',
]
const HOURS = 5

onEachDatabase('a walk over installs', (kind) => {
  let test: TestProgram
  let rows: number[]

  before(async () => {
    test = await openTestProgram({ kind })
    const { program, first } = test
    rows = []
    for (let i = 0; i < COUNT; i++) rows.push(await addInstall(program, first.id, `install-${i}`))
    rows.sort((a, b) => a - b)
    // Uneven on purpose: half of all are in the first zone.
    await program.kernel.db.write(async (trx) => {
      for (const [i, row] of rows.entries()) {
        const timezone = i % 2 === 0 ? ZONES[0] : ZONES[i % ZONES.length]
        await trx('installs')
          .where({ id: row })
          .update({ timezone, preferred_hour: (i % (HOURS + 1)) - 1 })
      }
    })
  })
  after(() => test.close())

  async function walk(target: Target, limit: number, within?: Within): Promise<number[]> {
    const found: number[] = []
    let cursor: Cursor = {}
    for (let done = false; !done; ) {
      const step = await test.program.audience.step(test.first.id, target, cursor, limit, within)
      for (const one of step.steps) {
        expect(one.rows).to.deep.equal(one.rows.toSorted((a, b) => a - b))
        if (target.kind === 'broadcast') expect(one.rows.length).to.be.at.most(limit)
        found.push(...one.rows)
      }
      cursor = JSON.parse(JSON.stringify(step.cursor)) as Cursor
      done = step.done
    }
    return found.sort((a, b) => a - b)
  }

  const everybody: Target = { kind: 'broadcast', exclude: [] }
  const changedSince = Number.MAX_SAFE_INTEGER

  for (const limit of [1, 2, 7, 50, 1000]) {
    it(`finds everybody once, whatever the zones and hours, in steps of ${limit}`, async () => {
      expect(await walk(everybody, limit)).to.deep.equal(rows)
      const zones = ZONES.map((zone) => ({ zone, hours: null }))
      expect(await walk(everybody, limit, { places: zones, changedSince })).to.deep.equal(rows)
      const hours = Array.from({ length: HOURS + 1 }, (_, i) => i - 1)
      const byHour = ZONES.map((zone) => ({ zone, hours }))
      expect(await walk(everybody, limit, { places: byHour, changedSince })).to.deep.equal(rows)
    })
  }

  it('finds only installs in the given zones and hours', async () => {
    const places = [
      { zone: 'Asia/Tokyo', hours: null },
      { zone: 'Europe/Berlin', hours: [2, 4] },
    ]
    const expected = rows.filter((_, i) => {
      const zone = i % 2 === 0 ? 'Europe/Berlin' : ZONES[i % ZONES.length]
      const hour = (i % (HOURS + 1)) - 1
      return zone === 'Asia/Tokyo' || (zone === 'Europe/Berlin' && (hour === 2 || hour === 4))
    })
    expect(await walk(everybody, 3, { places, changedSince })).to.deep.equal(expected)
  })

  it('examines no more installs than it may, even if none matches', async () => {
    const sql = test.program.kernel.db.read
    const repo = audienceRepository(sql)
    const androids = repo.installs(test.first.id, PLATFORM_TYPES.android)
    const after = rows[9]!
    const nobody = [sql.raw('installs.id < ?', [0])]
    expect(await repo.nextMatching(androids, after, 20, nobody)).to.deep.equal({ ids: [], last: rows[29] })
    const one = [sql.raw('installs.id = ?', [rows[29]!]), sql.raw('installs.id > ?', [0])]
    expect(await repo.nextMatching(androids, after, 20, one)).to.deep.equal({ ids: [rows[29]], last: rows[29] })
    expect(await repo.nextMatching(androids, after, 19, one)).to.deep.equal({ ids: [], last: rows[28] })
    const end = rows.at(-1)!
    expect(await repo.nextMatching(androids, end, 20, nobody)).to.deep.equal({ ids: [], last: null })
  })
})
