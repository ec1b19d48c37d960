import { migrations } from '../../migrations/index.ts'
import type { Database, Sql } from '../../src/platform/db/connect.ts'
import { migrateDown, migrateUp, migrationStatus } from '../../src/platform/db/migrate.ts'
import { type DatabaseKind, openTestDatabase } from '../support/app.ts'

/** A database to go up and down one step in. */
export interface AroundStep {
  readonly db: Database
  up(): Promise<unknown>
  down(): Promise<unknown>
}

const until = (isIn: (name: string) => boolean) =>
  Object.fromEntries(Object.entries(migrations).filter(([name]) => isIn(name)))

/** Hooks of a suite: one database with all steps before `step`, and before each test the rows of an app. The app, of number 1, holds all of them. */
export function aroundStep(kind: DatabaseKind, step: string, fill: (trx: Sql) => Promise<void>): AroundStep {
  const upToStep = until((name) => name <= step)
  let db: Database
  let close: () => Promise<void>
  const around: AroundStep = {
    get db() {
      return db
    },
    up: () => migrateUp(db, upToStep),
    down: () => migrateDown(db, upToStep),
  }
  before(async () => {
    ;({ db, close } = await openTestDatabase(kind))
    await migrateUp(
      db,
      until((name) => name < step),
    )
  })
  after(() => close())
  beforeEach(() =>
    db.write(async (trx) => {
      await trx('accounts').insert({ name: 'a', created_at: 0 })
      await trx('apps').insert({ account_id: 1, name: 'a', link_host_label: 'a', created_at: 0, updated_at: 0 })
      await fill(trx)
    }),
  )
  afterEach(async () => {
    const { applied } = await migrationStatus(db, upToStep)
    if (applied.includes(step)) await around.down()
    // The next test begins with number 1, too.
    if (kind === 'postgres') await db.write((trx) => trx.raw('TRUNCATE accounts, apps RESTART IDENTITY CASCADE'))
    else {
      await db.write(async (trx) => {
        await trx('apps').delete()
        await trx('accounts').delete()
        await trx('sqlite_sequence').delete()
      })
    }
  })
  return around
}
