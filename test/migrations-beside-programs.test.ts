import { expect } from 'chai'
import { migrations } from '../migrations/index.ts'
import type { Sql } from '../src/platform/db/connect.ts'
import { rowsOf } from '../src/platform/db/dialect.ts'
import { type Migrations, migrateUp } from '../src/platform/db/migrate.ts'
import { aside } from './support/aside.ts'
import { eventually } from './support/eventually.ts'
import { onPostgres, openTestDatabase } from './support/program.ts'

const NAME = '0157_keys_of_pages'

onPostgres('a step that changes several tables', () => {
  for (const [first, second] of [
    ['apps', 'pages'],
    ['pages', 'lanes'],
  ] as const) {
    it(`waits for a program that has ${first} and wants ${second}: neither ends in a deadlock`, async () => {
      const { db, close } = await openTestDatabase('postgres')
      const step = migrations[NAME]
      const before = Object.entries(migrations).filter(([name]) => name < NAME)
      const runs = { step: 0, program: 0 }
      const up: typeof step.up = (trx) => {
        runs.step++
        return step.up(trx)
      }
      const steps: Migrations = { ...Object.fromEntries(before), [NAME]: { ...step, up } }
      try {
        await migrateUp(db, Object.fromEntries(before))
        let migrated: Promise<string[]> | undefined
        await db.write(async (trx) => {
          runs.program++
          await trx(first).select('id')
          migrated ??= aside(() => migrateUp(db, steps))
          await eventually(async () => (await countWaiting(trx)) > 0, 'the step waits')
          await trx(second).select('id')
        })
        expect(await migrated).to.eql([NAME])
        expect(runs, 'a deadlock would have made one of them run again').to.eql({ step: 1, program: 1 })
      } finally {
        await close()
      }
    })
  }

  async function countWaiting(sql: Sql): Promise<number> {
    const waiting = `SELECT COUNT(*) AS n FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock'`
    return rowsOf<{ n: number }>(await sql.raw(waiting))[0]!.n
  }
})
