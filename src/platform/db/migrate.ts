import type { Knex } from 'knex'
import { AppError } from '../errors.ts'
import type { Database } from './database.ts'

interface Migration {
  up(db: Knex): Promise<void>
  down(db: Knex): Promise<void>
}

/** Steps by name (`0001_apps`), run in the order of their names. Names have no file extension, so that they are the same in every build. */
export type Migrations = Record<string, Migration>

export interface MigrationStatus {
  applied: string[]
  pending: string[]
  /** Steps that the database has and this program does not know: a newer version applied them. */
  unknown: string[]
}

const TABLE = 'schema_migrations'

/** A step that no version knows: every one refuses to start on a database that has it. */
export const UNFINISHED_COPY = 'zzzz_unfinished_copy'

/** Compares the steps of the database with those of this program. Works on an empty database. */
export async function migrationStatus(db: Database, migrations: Migrations): Promise<MigrationStatus> {
  const exists = await db.read.schema.hasTable(TABLE)
  const rows: { name: string }[] = exists ? await db.read(TABLE).select('name').orderBy('name') : []
  const applied = rows.map((row) => row.name)
  return {
    applied,
    pending: Object.keys(migrations)
      .sort()
      .filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !Object.hasOwn(migrations, name)),
  }
}

/**
 * Applies every pending step, each with its row in a transaction of its own, so that a kill leaves only whole steps. On an empty
 * database all steps share one transaction, which makes the first start wait much less for the disk. Throws `AppError('config')` when
 * the schema is newer than this program. Returns the names of the applied steps.
 */
export async function migrateUp(db: Database, migrations: Migrations): Promise<string[]> {
  const { applied, pending, unknown } = await migrationStatus(db, migrations)
  if (unknown.includes(UNFINISHED_COPY)) {
    throw new AppError(
      'config',
      'the database is the unfinished target of appsvc db copy: run that command again to finish it, or with --restart to begin anew',
    )
  }
  if (unknown.length > 0) {
    throw new AppError(
      'config',
      `the database was upgraded by a newer appsvc (it has ${unknown.join(', ')}): run that version, or restore a backup`,
    )
  }
  const apply = (names: readonly string[]) =>
    db.write(async (trx) => {
      const done: string[] = []
      for (const name of names) {
        if (!(await claimStep(trx, db.kind, name))) continue
        await migrations[name]!.up(trx)
        done.push(name)
      }
      return done
    })
  if (applied.length === 0) return apply(pending)
  const done: string[] = []
  for (const name of pending) done.push(...(await apply([name])))
  return done
}

/**
 * Applies every step to an empty database, marks it as the unfinished target of a copy and runs `then`, all in one transaction. The
 * copy removes the mark with `finishCopy`.
 */
export async function migrateForCopy(
  db: Database,
  migrations: Migrations,
  then: (trx: Knex.Transaction) => Promise<void>,
): Promise<void> {
  await db.write(async (trx) => {
    for (const name of Object.keys(migrations).sort()) {
      await claimStep(trx, db.kind, name)
      await migrations[name]!.up(trx)
    }
    await claimStep(trx, db.kind, UNFINISHED_COPY)
    await then(trx)
  })
}

/** Removes the mark of `migrateForCopy`. */
export async function finishCopy(trx: Knex.Transaction): Promise<void> {
  await trx(TABLE).where({ name: UNFINISHED_COPY }).delete()
}

/** Reverts the newest `steps` steps. Their data is lost. Returns the names. */
export async function migrateDown(db: Database, migrations: Migrations, steps = 1): Promise<string[]> {
  const { applied } = await migrationStatus(db, migrations)
  const names = applied.slice(Math.max(applied.length - steps, 0)).reverse()
  for (const name of names) {
    const migration = migrations[name]
    if (!migration)
      throw new AppError('config', `this appsvc does not know the step ${name}: use the version that made it`)
    await db.write(async (trx) => {
      await migration.down(trx)
      await trx(TABLE).where({ name }).delete()
    })
  }
  return names
}

/** An arbitrary key: nodes that start at the same time on one PostgreSQL migrate one after another. */
const ADVISORY_LOCK = 0x61707376

async function claimStep(trx: Knex.Transaction, kind: Database['kind'], name: string): Promise<boolean> {
  if (kind === 'postgres') await trx.raw('SELECT pg_advisory_xact_lock(?)', [ADVISORY_LOCK])
  await trx.raw(`CREATE TABLE IF NOT EXISTS ${TABLE} (name varchar(255) PRIMARY KEY, applied_at bigint NOT NULL)`)
  const inserted = await trx(TABLE)
    .insert({ name, applied_at: Date.now() })
    .onConflict('name')
    .ignore()
    .returning('name')
  return inserted.length > 0
}
