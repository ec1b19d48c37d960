import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AsyncFunc, Suite } from 'mocha'
import { migrations } from '../../migrations/index.ts'
import { loadConfig } from '../../src/config.ts'
import type { NewApp } from '../../src/domain/apps/types.ts'
import type { SettingName } from '../../src/platform/config/settings.ts'
import { createVault } from '../../src/platform/crypto/vault.ts'
import { connect, type Database } from '../../src/platform/db/connect.ts'
import { migrateUp } from '../../src/platform/db/migrate.ts'
import { silentLog } from '../../src/platform/log/log.ts'
import { createProgram, type Program } from '../../src/program.ts'
import { type TestClock, testClock } from './clock.ts'
import { reaches } from './depth.ts'
import { dropPostgresDatabase, freshPostgresDatabase, nearPostgres, startPostgres } from './postgres.ts'
import { PROGRAMS_MS } from './programs.ts'

export type DatabaseKind = 'sqlite' | 'postgres'

export interface TestProgram {
  program: Program
  clock: TestClock
  /** A data directory of its own, deleted by `close`. */
  dir: string
  /** An app with keys that every test may use. */
  first: NewApp
  close(): Promise<void>
}

export interface TestAppOptions {
  kind?: DatabaseKind
  settings?: Partial<Record<SettingName, string>>
  /** The address of PostgreSQL -> the one to use, of a proxy before it. */
  via?: (url: string) => Promise<string>
  /** The time for which a transaction takes further writes aboard (ms); for a test of which writes share one. */
  boardingMs?: number
  /** Number of connections: for reading on SQLite, of all on PostgreSQL. */
  pool?: number
}

/** The time that a statement may take: a test that fills tables takes longer than the program allows itself on a machine that is busy. */
export const STATEMENT_MS = 600_000

/** An SQLite file with every table of ours and no rows: a copy is made in a moment, migrations take a hundred. */
let template: Promise<string> | undefined

async function makeTemplate(): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'appsvc-test-'))
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
  const file = join(dir, 'template.sqlite')
  const db = connect({ file, log: silentLog })
  await migrateUp(db, migrations)
  // All of it is in the one file afterwards.
  await db.checkpoint()
  await db.close()
  return file
}

/** A fresh, migrated database of the kind, at the address `url`, or else in `file`, which is in `dir`. */
export async function openMigrated(
  { kind = 'sqlite', via, boardingMs, pool }: Omit<TestAppOptions, 'settings'>,
  dir: string,
): Promise<{ db: Database; url: string | undefined; file: string; drop: () => Promise<void> }> {
  const url = kind === 'postgres' ? await freshPostgresDatabase() : undefined
  const file = join(dir, 'appsvc.sqlite')
  if (kind === 'sqlite') copyFileSync(await (template ??= makeTemplate()), file)
  const address = url && (await (via ?? nearPostgres)(url))
  const db = connect({
    url: address,
    file,
    log: silentLog,
    boardingMs,
    statementMs: STATEMENT_MS,
    strict: true,
    ...(pool !== undefined && { pool }),
  })
  return {
    db,
    url,
    file,
    async drop() {
      if (url) await dropPostgresDatabase(url)
    },
  }
}

/** The whole program over a database that is migrated and has no app yet; no server, no threads. `ended` follows its close. */
export async function openAppOver(
  db: Database,
  dir: string,
  settings: TestAppOptions['settings'],
  ended: () => Promise<void>,
): Promise<TestProgram> {
  const { config } = await loadConfig({ environment: {}, flags: { dataDir: dir, ...settings } })
  const clock = testClock()
  const program = createProgram({ config, clock, log: silentLog, vault: createVault(Buffer.alloc(32, 7)), db })
  const first = await program.inTransaction((tx) => tx.apps.create({ name: 'First' }))
  return {
    program,
    clock,
    dir,
    first,
    async close() {
      await program.close()
      await ended()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** The whole program on a fresh, migrated database of the kind; no server, no threads. */
export async function openTestProgram({ settings, ...options }: TestAppOptions = {}): Promise<TestProgram> {
  const dir = mkdtempSync(join(tmpdir(), 'appsvc-test-'))
  const { db, drop } = await openMigrated(options, dir)
  return openAppOver(db, dir, settings, drop)
}

/** A fresh database of the kind without any table of ours, for tests of what is below `App`. */
export async function openTestDatabase(kind: DatabaseKind): Promise<{ db: Database; close: () => Promise<void> }> {
  const dir = mkdtempSync(join(tmpdir(), 'appsvc-test-'))
  const url = kind === 'postgres' ? await freshPostgresDatabase({ migrated: false }) : undefined
  const near = url && (await nearPostgres(url))
  const db = connect({
    url: near,
    file: join(dir, 'appsvc.sqlite'),
    log: silentLog,
    statementMs: STATEMENT_MS,
    strict: true,
  })
  return {
    db,
    async close() {
      await db.close()
      if (url) await dropPostgresDatabase(url)
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

const KINDS: Record<string, readonly DatabaseKind[]> = {
  both: ['sqlite', 'postgres'],
  sqlite: ['sqlite'],
  postgres: ['postgres'],
}

/** `APPSVC_TEST_DATABASES`: both (default), sqlite or postgres, for quick runs. */
function chooseKinds(): readonly DatabaseKind[] {
  const choice = process.env.APPSVC_TEST_DATABASES ?? 'both'
  const kinds = KINDS[choice]
  if (!kinds) throw new Error(`APPSVC_TEST_DATABASES must be ${Object.keys(KINDS).join(', ')}, not ${choice}`)
  return kinds
}

/** The kinds of database of this run. */
export const chosenKinds = chooseKinds()
// The programs that tests start refuse names with our prefix that are no settings.
delete process.env.APPSVC_TEST_DATABASES

/** A suite that needs PostgreSQL, which is left out of a quick run without it. */
export function onPostgres(title: string, suite: (this: Suite) => void): void {
  if (!chosenKinds.includes('postgres')) return
  describe(title, function () {
    before('start PostgreSQL', async function () {
      this.timeout(PROGRAMS_MS)
      await startPostgres()
    })
    suite.call(this)
  })
}

/** The same suite on both databases: `kind` goes into `openTestProgram`. */
export function onEachDatabase(title: string, suite: (this: Suite, kind: DatabaseKind) => void): void {
  if (chosenKinds.includes('sqlite')) {
    describe(`${title} (sqlite)`, function () {
      suite.call(this, 'sqlite')
    })
  }
  onPostgres(`${title} (postgres)`, function () {
    suite.call(this, 'postgres')
  })
}

/**
 * A suite of tests without SQL of their own, such as the shape of answers: on SQLite in `npm test`, on both databases
 * from `.ci/run` on. Not for repositories, races, migrations and the one story of an area: they are on both always.
 */
export function onSqliteDaily(title: string, suite: (this: Suite, kind: DatabaseKind) => void): void {
  if (asksShapes('postgres')) return onEachDatabase(title, suite)
  describe(`${title} (sqlite)`, function () {
    suite.call(this, 'sqlite')
  })
}

/** Tells whether the run asks a database for the shape of answers: the second one of two from `.ci/run` on. */
function asksShapes(kind: DatabaseKind): boolean {
  return kind === 'sqlite' || reaches('whole') || !chosenKinds.includes('sqlite')
}

/**
 * mocha's `it` within `onEachDatabase`, for tests without SQL of their own, with the depth of `onSqliteDaily`. The
 * tests beside it, which say `it`, are on both databases always.
 */
export function itOfShape(kind: DatabaseKind): (title: string, test: AsyncFunc) => void {
  return (title, test) => void (asksShapes(kind) && it(title, test))
}

/** mocha's `describe` within `onEachDatabase`, as `itOfShape` is its `it`. */
export function describeShapes(kind: DatabaseKind, title: string, suite: (this: Suite) => void): void {
  if (asksShapes(kind)) describe(title, suite)
}
