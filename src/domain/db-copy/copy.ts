import { connect } from '../../platform/db/connect.ts'
import {
  type ComparedTable,
  type CopyParts,
  compareTables,
  copyTables,
  isUnchanged,
  pairTables,
} from '../../platform/db/copy/copy.ts'
import { openPostgresStore, type PostgresStore } from '../../platform/db/copy/postgres-store.ts'
import { openSqliteStore, type SqliteStore } from '../../platform/db/copy/sqlite-store.ts'
import type { Row, Shape } from '../../platform/db/copy/store.ts'
import { hostsOf } from '../../platform/db/hosts.ts'
import { type Migrations, UNFINISHED_COPY } from '../../platform/db/migrate.ts'
import { refuseOthers } from '../../platform/db/others.ts'
import { AppError } from '../../platform/errors.ts'
import { MOVED } from '../../platform/instance/custody.ts'
import { fileIdentity } from '../../platform/instance/identity.ts'
import type { Log } from '../../platform/log/log.ts'
import { failpoint } from '../../platform/process/failpoints.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Column, Table } from '../tables/types.ts'
import { type EventPlaces, eventPlaces, forgetRepeats } from './event-places.ts'
import { movedReason } from './reason.ts'
import { countersOf, emptyPostgres, finishTarget, isCopied, prepareTarget, removeSqlite, stateOf } from './target.ts'

/** A database: the address of PostgreSQL, or the file of SQLite, and how people see it named (without a password). */
export interface Place {
  url?: string | undefined
  file: string
  shown: string
}

export type Stage = 'copying' | 'comparing'

export interface DatabaseCopyParts {
  from: Place
  to: Place
  migrations: Migrations
  clock: Clock
  log: Log
  /** Drops what an interrupted copy has stored in the target, and starts from the beginning. */
  restart: boolean
  /** `rows` are done of `total`, in each stage from the beginning. */
  onProgress?(stage: Stage, rows: number, total: number): void | Promise<void>
  /** Called when an interrupted copy goes on, or must start from the beginning because the source has changed since. */
  onResumed?(how: 'goes on' | 'begins anew'): void
  /** Called when both are equal, before the source is held: brings what lies beside the database. */
  bring?(): Promise<void>
  signal?: AbortSignal | undefined
}

export interface CopiedDatabase {
  tables: ComparedTable[]
  rows: number
  /** The hold of the target, when the source was held for a reason of its own. */
  held: string | null
}

type Source = SqliteStore | PostgresStore

/**
 * Copies a database into an empty one, of the same kind or the other, compares both table by table and holds the source: from then on
 * only the copy sends (docs/decisions/0044-moving-between-databases.md). The source cannot be written while this runs. Nothing may be
 * running on either; the schema of the source must be that of `migrations`. An interrupted copy goes on when it is called
 * again. Throws `conflict` when the target holds something else, `unavailable` when somebody uses the source, `internal` when the two
 * differ in the end.
 */
export async function copyDatabase(parts: DatabaseCopyParts): Promise<CopiedDatabase> {
  const { from, to } = parts
  const source: Source = from.url ? await openPostgresStore(from.url) : openSqliteStore(from.file)
  try {
    await holdStill(source)
    const opened = await openTarget(to)
    const target = { store: opened }
    try {
      return await copyInto(parts, source, target)
    } finally {
      await target.store.close()
    }
  } finally {
    await source.close()
  }
}

/** Makes sure that nobody else writes to the source from here on. */
async function holdStill(source: Source): Promise<void> {
  if ('others' in source) await refuseOthers(() => source.others())
  await source.begin()
}

async function openTarget(to: Place): Promise<Source> {
  if (!to.url) return openSqliteStore(to.file)
  const store = await openPostgresStore(to.url)
  if (await store.claim()) return store
  await store.close()
  throw new AppError('unavailable', `another appsvc db copy writes to ${to.shown}: wait until it ends, or stop it`)
}

/** A copy on its way. */
interface Copying {
  parts: DatabaseCopyParts
  source: Source
  /** The store is another one after the target was emptied. */
  target: { store: Source }
  /** The reason with which this copy holds its source. */
  reason: string
  /** Recognizes the source when the same command is run again. */
  id: string
  /** Reason why the source is held. */
  held: string | null
  /** The source is held by the end of an earlier run of this copy, which had compared both. */
  isHeldByUs: boolean
  /** The data tables of the source. */
  tables: Table[]
  shapes: Shape[]
}

async function copyInto(parts: DatabaseCopyParts, source: Source, target: { store: Source }): Promise<CopiedDatabase> {
  const reason = movedReason(parts.to)
  const id = await idOf(parts.from, source)
  const tables = await dataTablesOf(source)
  const shapes = (await source.shapes()).filter(isCopied)
  const held = await heldReason(source)
  const isHeldByUs = held?.startsWith(reason) === true
  if (held?.startsWith(MOVED) && !isHeldByUs) {
    throw new AppError(
      'conflict',
      `${held}: if that copy is not used any more, run appsvc release on this database first`,
    )
  }
  await refuseOtherSchema(source, parts.migrations)
  const copying: Copying = { parts, source, target, reason, id, held, isHeldByUs, tables, shapes }
  if (parts.from.url) await forgetRepeats(source)
  const places = parts.from.url && !parts.to.url ? await eventPlaces(source) : undefined
  const isOurs = await claimTarget(copying)
  const total = await rowsOf(source, shapes)
  const copy = await pairedCopy(copying, places, isOurs)
  await copyTables({ ...copy, onProgress: (rows) => parts.onProgress?.('copying', rows, total) })
  const compared = await compareTables({
    ...copy,
    onProgress: (rows) => parts.onProgress?.('comparing', rows, total),
  })
  refuseDifferences(compared, parts.to)
  return { tables: compared, ...(await finishCopy(copying, copy, compared)) }
}

/** Refuses a target that holds something else, and prepares one that is empty. Returns whether it holds this very copy, unfinished. */
async function claimTarget(copying: Copying): Promise<boolean> {
  const { parts, target, id } = copying
  const state = await stateOf(target.store)
  const isOurs = state.holds === 'copy' && state.of === id
  if (state.holds === 'others') {
    throw new AppError('conflict', `${parts.to.shown} is not empty: name an empty database or directory`)
  }
  if (state.holds === 'copy' && !isOurs && !parts.restart) {
    throw new AppError(
      'conflict',
      `${parts.to.shown} holds an unfinished copy of another database: finish that one, or drop it with --restart`,
    )
  }
  if (state.holds === 'copy' && parts.restart) await empty(copying)
  if (!isOurs || parts.restart) await prepare(copying)
  return isOurs && !parts.restart
}

async function empty({ parts, target }: Copying): Promise<void> {
  if ('claim' in target.store) return emptyPostgres(target.store)
  await target.store.close()
  removeSqlite(parts.to.file)
  target.store = openSqliteStore(parts.to.file)
}

async function prepare({ parts: { to, log, migrations }, id, tables }: Copying): Promise<void> {
  await withDatabase(to, log, (db) => prepareTarget(db, migrations, { source: id, tables }))
  failpoint('copy.prepared')
}

/**
 * Pairs the tables of both databases. An interrupted copy goes on, or starts from the beginning when the source has changed
 * since.
 */
async function pairedCopy(copying: Copying, places: EventPlaces | undefined, isOurs: boolean): Promise<CopyParts> {
  const { parts, source, target, reason, isHeldByUs } = copying
  const translate = translation(places, reason)
  const paired = async (): Promise<CopyParts> => ({
    source,
    target: target.store,
    tables: await pair(copying),
    translate,
    signal: parts.signal,
  })
  const copy = await paired()
  if (!isOurs) return copy
  const isSame = await isUnchanged(copy, isHeldByUs ? ['instance'] : [])
  parts.onResumed?.(isSame ? 'goes on' : 'begins anew')
  if (isSame) return copy
  if (isHeldByUs) throw new AppError('conflict', `${reason}, and has changed since: begin anew with --restart`)
  await empty(copying)
  await prepare(copying)
  return paired()
}

/** The tables of both, in an order in which rows come after those that they refer to. */
async function pair({ target, shapes }: Copying): Promise<CopyParts['tables']> {
  const there = (await target.store.shapes()).filter(isCopied)
  const paired = pairTables(shapes, there, { left: ['events.tx'], given: { 'events.tx': '0' } })
  if (!('inOrder' in target.store)) return paired
  const order = (await target.store.inOrder(paired.map((one) => one.to))).map(({ name }) => name)
  return order.map((name) => paired.find((one) => one.to.name === name)!)
}

/** Holds the source and lets the target be used, now that both are equal. */
async function finishCopy(
  { parts, source, target: { store }, reason, held, isHeldByUs, tables }: Copying,
  copy: CopyParts,
  compared: readonly ComparedTable[],
): Promise<Pick<CopiedDatabase, 'rows' | 'held'>> {
  const broken = 'brokenReference' in store ? store.brokenReference() : undefined
  if (broken !== undefined) {
    throw new AppError(
      'internal',
      `rows of ${broken} refer to rows that do not exist in the source either; nothing was changed there`,
    )
  }
  const counters = await countersOf(source, copy.tables)
  const [stays] = await store.run('SELECT held_reason FROM instance')
  // The planner of PostgreSQL knows nothing of tables that were just filled.
  if (store.kind === 'postgres') await store.run('ANALYZE')
  await parts.bring?.()
  failpoint('copy.compared')

  const words = held === null || isHeldByUs ? (held ?? reason) : `${reason}${BEFORE}${held}`
  await source.run(
    `UPDATE instance SET held_at = ${parts.clock.now()}, held_reason = '${words.replaceAll("'", "''")}' WHERE id = 1`,
  )
  await source.commit()
  failpoint('copy.held')
  await withDatabase(parts.to, parts.log, (db) => finishTarget(db, { tables, counters }))
  failpoint('copy.finished')
  const rows = compared.reduce((sum, { copied }) => sum + copied, 0)
  return { rows, held: (stays?.held_reason as string | null | undefined) ?? null }
}

/** Comes before the reason for which a source was held before it was moved. */
const BEFORE = '; before that: '

/**
 * The form of a row in the target. Facts of the row of `instance` about its file or cluster are not true there; the hold of a restored
 * database stays, our own hold of the source does not.
 */
function translation(places: EventPlaces | undefined, reason: string): EventPlaces {
  return (table, columns, row) => {
    if (table !== 'instance') return places ? places(table, columns, row) : row
    const valueOf = (name: string) => row[columns.findIndex((column) => column.name === name)]
    const cleared = ['identity', 'mark', 'previous_mark']
    const held = valueOf('held_reason')
    const former = held?.startsWith(reason) ? held.split(BEFORE)[1] : held
    if (former === undefined) cleared.push('held_at', 'held_reason')
    return row.map((value, i): Row[number] => {
      const { name } = columns[i]!
      if (cleared.includes(name)) return null
      return name === 'held_reason' ? (former ?? null) : value
    })
  }
}

/** Recognizes the source when the same command is run again. */
async function idOf({ url, file }: Place, source: Source): Promise<string> {
  if (!url) return `${file} ${await fileIdentity(file)}`
  const [row] = await source.run(
    `SELECT current_database() || ' ' || oid AS id FROM pg_database WHERE datname = current_database()`,
  )
  const hosts = hostsOf(url).addresses.map((address) => new URL(address))
  return `${hosts.map(({ host, port }) => `${host}:${port}`).join()} ${String(row!.id)}`
}

async function heldReason(source: Source): Promise<string | null> {
  const [row] = await source.run('SELECT held_reason FROM instance WHERE id = 1')
  return (row?.held_reason as string | null | undefined) ?? null
}

async function dataTablesOf(source: Source): Promise<Table[]> {
  const rows = await source.run('SELECT * FROM data_tables ORDER BY id')
  return rows.map((row) => ({
    id: Number(row.id),
    appId: Number(row.app_id),
    name: String(row.name),
    alias: String(row.alias),
    columns: JSON.parse(String(row.columns)) as Column[],
    nextColumn: Number(row.next_column),
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
  }))
}

async function refuseOtherSchema(source: Source, migrations: Migrations): Promise<void> {
  const applied = (await source.run('SELECT name FROM schema_migrations ORDER BY name')).map(({ name }) => String(name))
  if (applied.includes(UNFINISHED_COPY)) {
    throw new AppError('config', 'the source is itself the unfinished target of a copy: finish that one first')
  }
  if (applied.join() === Object.keys(migrations).sort().join()) return
  throw new AppError('config', 'the schema of the source is not the one of this version: run appsvc migrate up on it')
}

async function rowsOf(source: Source, shapes: readonly Shape[]): Promise<number> {
  let rows = 0
  for (const { name } of shapes) rows += Number((await source.run(`SELECT count(*) AS rows FROM "${name}"`))[0]!.rows)
  return rows
}

function refuseDifferences(compared: readonly ComparedTable[], to: Place): void {
  const different = compared.filter(({ equal }) => !equal)
  if (different.length === 0) return
  const list = different.map(({ name, rows, copied }) => `${name} (${rows} rows, ${copied} copied)`).join(', ')
  throw new AppError(
    'internal',
    `the copy differs from the source in ${list}: somebody may have written to ${to.shown}. The source was not changed; begin anew with --restart`,
  )
}

async function withDatabase(
  { url, file }: Place,
  log: Log,
  work: (db: ReturnType<typeof connect>) => Promise<void>,
): Promise<void> {
  const db = connect({ url, file, log, pool: 1, statementMs: 0 })
  try {
    await work(db)
  } finally {
    await db.close()
  }
}
