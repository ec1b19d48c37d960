import type { Knex } from 'knex'
import { AppError } from '../errors.ts'
import { failpoint } from '../process/failpoints.ts'
import type { Database } from './database.ts'
import { hasTable } from './dialect.ts'

interface Migration {
  up(db: Knex): Promise<void>
  down(db: Knex): Promise<void>
  /**
   * True for a step with which programs of an earlier version work on: it only adds what they need not know (tables, indexes,
   * columns with a default), and the new program bears what they write without it (docs/scaling.md, "Upgrade").
   */
  compatible?: true
  /** The purpose of each table and trigger that it makes, by name (docs/reference/schema.md). */
  tables?: Readonly<Record<string, string>>
  triggers?: Readonly<Record<string, string>>
  replaces?: ReplacedSteps
}

/** Steps of former versions that are gone. A database that has them all has what the step that replaces them, and those before it, make. */
interface ReplacedSteps {
  /** Oldest first. */
  names: readonly string[]
  /** The last commit that has them: a database that lacks some must be migrated by its program first. */
  commit: string
}

/** Steps by name (`0103_apps`), run in the order of their names. Names have no file extension, so that they are the same in every build. */
export type Migrations = Record<string, Migration>

export interface MigrationStatus {
  applied: string[]
  pending: string[]
  /** Steps that the database has and this program does not know: a newer version applied them. */
  unknown: string[]
  /** Unknown steps with which this program cannot work. */
  breaking: string[]
  /** The commit whose program must migrate the database first: it has some of the steps that are gone, and not all. */
  passThrough?: string
}

export interface MigrateOptions {
  /**
   * Called in the transaction of the first step that is not compatible, while no other program migrates, with its name. It throws
   * when programs are running that do not know the step. Not called for an empty database.
   */
  beforeBreaking?: ((trx: Knex.Transaction, step: string) => Promise<void>) | undefined
}

const TABLE = 'schema_migrations'

/** A step that no version knows: every one refuses to start on a database that has it. */
export const UNFINISHED_COPY = 'zzzz_unfinished_copy'

/** Compares the steps of the database with those of this program. Works on an empty database. */
export async function migrationStatus(db: Database, migrations: Migrations): Promise<MigrationStatus> {
  const exists = await hasTable(db.read, TABLE)
  // All columns: the second one is missing in a database that an older program made.
  const rows: { name: string; compatible?: boolean | number }[] = exists
    ? await db.read(TABLE).select('*').orderBy('name')
    : []
  const { unknown, ...compared } = compareSteps(
    rows.map(({ name }) => name),
    migrations,
  )
  const breaking = rows.filter(({ name, compatible }) => unknown.includes(name) && !compatible)
  return { ...compared, unknown, breaking: breaking.map(({ name }) => name) }
}

/** Compares the steps of a database, oldest first, with those of this program. */
export function compareSteps(applied: string[], migrations: Migrations): Omit<MigrationStatus, 'breaking'> {
  const gone = replacementIn(migrations)?.replaces
  const found = gone?.names.filter((name) => applied.includes(name)) ?? []
  return {
    applied,
    pending: Object.keys(migrations)
      .sort()
      .filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !Object.hasOwn(migrations, name) && !found.includes(name)),
    ...(found.length > 0 && found.length < gone!.names.length && { passThrough: gone!.commit }),
  }
}

/** The step that replaces former ones, and what it replaces. */
function replacementIn(migrations: Migrations): { name: string; replaces: ReplacedSteps } | undefined {
  for (const [name, { replaces }] of Object.entries(migrations)) if (replaces) return { name, replaces }
  return undefined
}

/** The remedy for a database whose `MigrationStatus.passThrough` is the commit. */
function passThroughSentence(commit: string): string {
  return `the database is older than this appsvc can migrate: run appsvc migrate up of commit ${commit} on it first`
}

/**
 * Throws `AppError('config')` when this program cannot work on the schema: a newer one applied steps that are not compatible with
 * earlier versions, or this one has steps that the newer one lacks; or it is too old.
 */
export function refuseForeignSchema({ unknown, breaking, pending, passThrough }: MigrationStatus): void {
  if (unknown.includes(UNFINISHED_COPY)) {
    throw new AppError(
      'config',
      'the database is the unfinished target of appsvc db copy: run that command again to finish it, or with --restart to begin anew',
    )
  }
  if (passThrough !== undefined) throw new AppError('config', passThroughSentence(passThrough))
  const missing = unknown.length > 0 && pending.length > 0
  if (breaking.length === 0 && !missing) return
  throw new AppError(
    'config',
    `the database was upgraded by a newer appsvc (it has ${(missing ? unknown : breaking).join(', ')}): run that version, or restore a backup`,
  )
}

/**
 * Applies every pending step, each with its row in a transaction of its own, so that a kill leaves only whole steps. On an empty
 * database all steps share one transaction, which makes the first start wait much less for the disk. Steps that replace those of a former
 * version are only recorded. Throws as `refuseForeignSchema` does. Returns the names of the applied steps.
 */
export async function migrateUp(
  db: Database,
  migrations: Migrations,
  { beforeBreaking }: MigrateOptions = {},
): Promise<string[]> {
  const status = await migrationStatus(db, migrations)
  refuseForeignSchema(status)
  const { applied, pending } = status
  let hasAsked = applied.length === 0
  const ask = async (trx: Knex.Transaction, name: string) => {
    if (!hasAsked) await beforeBreaking?.(trx, name)
    hasAsked = true
  }
  const apply = (names: readonly string[]) =>
    db.write(async (trx) => {
      const done: string[] = []
      await lockSteps(trx, db.kind)
      for (const name of names) {
        const { up, compatible = false } = migrations[name]!
        if (!(await claimStep(trx, name, compatible))) continue
        if (!compatible) await ask(trx, name)
        await up(trx)
        done.push(name)
      }
      return done
    })
  if (applied.length === 0) return apply(pending)
  const done = await recordReplacing(db, migrations, status, ask)
  for (const name of pending.filter((step) => !done.includes(step))) {
    done.push(...(await apply([name])))
    failpoint('migrate.stepped')
  }
  return done
}

/** Records the steps that replace former ones in place of those, when the database has them: its tables are there already. */
async function recordReplacing(
  db: Database,
  migrations: Migrations,
  { applied, pending }: MigrationStatus,
  ask: (trx: Knex.Transaction, name: string) => Promise<void>,
): Promise<string[]> {
  const replacement = replacementIn(migrations)
  if (!replacement || !applied.includes(replacement.replaces.names[0]!)) return []
  return db.write(async (trx) => {
    await lockSteps(trx, db.kind)
    // Another program may have come first.
    const gone = await trx(TABLE).whereIn('name', replacement.replaces.names).delete()
    if (gone === 0) return []
    const names = pending.filter((name) => name <= replacement.name)
    await ask(trx, names[0]!)
    for (const name of names) await claimStep(trx, name, false)
    return names
  })
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
    await lockSteps(trx, db.kind)
    for (const name of Object.keys(migrations).sort()) {
      const { up, compatible = false } = migrations[name]!
      await claimStep(trx, name, compatible)
      await up(trx)
    }
    await claimStep(trx, UNFINISHED_COPY, false)
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

/**
 * Marks a step that was compatible as one with which earlier programs cannot work any more: they refuse to start from then on, and
 * those that run stop with their next sign of life.
 */
export async function markBreaking(trx: Knex, step: string): Promise<void> {
  await trx(TABLE).where({ name: step }).update({ compatible: false })
}

/** An arbitrary key: nodes that start at the same time on one PostgreSQL migrate one after another. */
const ADVISORY_LOCK = 0x61707376

/**
 * Keeps other programs from migrating until the transaction ends, and makes the table of steps. Once in a transaction: whether the column is
 * there is asked of `information_schema`, which costs PostgreSQL as much as a table.
 */
async function lockSteps(trx: Knex.Transaction, kind: Database['kind']): Promise<void> {
  if (kind === 'postgres') await trx.raw('SELECT pg_advisory_xact_lock(?)', [ADVISORY_LOCK])
  await trx.raw(
    `CREATE TABLE IF NOT EXISTS ${TABLE} (name varchar(255) PRIMARY KEY, applied_at bigint NOT NULL, ${COMPATIBLE})`,
  )
  if (!(await trx.schema.hasColumn(TABLE, 'compatible'))) await trx.raw(`ALTER TABLE ${TABLE} ADD COLUMN ${COMPATIBLE}`)
}

/** Tells whether the step is ours to apply. */
async function claimStep(trx: Knex.Transaction, name: string, compatible: boolean): Promise<boolean> {
  const inserted = await trx(TABLE)
    .insert({ name, applied_at: Date.now(), compatible })
    .onConflict('name')
    .ignore()
    .returning('name')
  return inserted.length > 0
}

/** Programs that know nothing of the column apply no compatible step. */
const COMPATIBLE = 'compatible boolean NOT NULL DEFAULT false'
