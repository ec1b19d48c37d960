import SqliteDatabase from 'better-sqlite3'
import pg from 'pg'
import type { Database } from '../../src/platform/db/connect.ts'
import { NOW_FUNCTION } from '../../src/platform/db/dialect.ts'
import { placeOf } from './database-place.ts'
import type { Heard } from './hear.ts'

/**
 * The cost of a statement when tables are large, told from its plan. A step is found that reads a whole table, or all
 * rows of an app, of a table that grows (docs/decisions/0030-statements-are-explained.md).
 */

/** Tables that stay small, and the reason. All others grow, and a new one does until it stands here. */
export const SMALL_TABLES: Readonly<Record<string, string>> = {
  accounts: 'an operator makes them',
  apps: 'an operator makes them',
  app_keys: 'a few for each app',
  admins: 'an operator makes them',
  admin_roles: 'a few for each person',
  admin_tokens: 'at most fifty for each person',
  admin_passkeys: 'at most twenty for each person',
  admin_sessions: 'at most twenty for each person',
  admin_recovery_codes: 'at most ten for each person',
  admin_links: 'at most one for each person, and one for the first',
  admin_challenges: 'passkeys that signed somebody in within five minutes',
  issued_keys: 'a few for each app',
  user_signing_keys: 'a few for each app',
  gateway_configs: 'one for each platform of an app',
  lanes: 'one for each platform of an app',
  link_settings: 'one for each app',
  web_prompts: 'an operator makes them',
  imports: 'one for each import that was interrupted',
  banners: 'an operator makes them, at most a few hundred',
  test_devices: 'at most 50 for each app',
  push_approvals: 'at most 100 for each app, for a month',
  segments: 'an operator makes them',
  webhooks: 'at most limits.webhooks for each app',
  webhook_cursors: 'at most two for each webhook',
  load: 'at most 3,700 rows, of minutes of two days and hours of a month',
  install_days: 'a row, on PostgreSQL up to 32, for each day of a year of an app',
  pictures: 'at most limits.pictures for each app',
  push_templates: 'an operator makes them, at most 1000 in an app',
  push_template_versions: 'an operator makes them, at most 100 of each',
  templates: 'an operator makes them',
  template_versions: 'an operator makes them',
  data_tables: 'an operator makes them',
  deleted_channels: 'emptied all the time',
  subscriber_file_slices: 'files that are being applied, at most 100 rows each: emptied all the time',
  deleted_metrics: 'emptied all the time',
  deleted_purposes: 'emptied all the time',
  metrics: 'at most limits.metrics for each app',
  purposes: 'at most 50 for each app',
  in_app_tallies: 'emptied all the time',
  install_counts: 'a few for each app, on PostgreSQL up to 32 times as many',
  active_hour_counts: 'one for each hour of the day of an app, on PostgreSQL up to 32',
  geofence_activations: 'at most 16 for each geofence',
  user_blocks: 'a row for 4096 users',
  data_blocks: 'a row for 4096 records',
  acme_accounts: 'one for each certificate authority',
  certificates: 'at most acme.maxNames',
  faults: 'a few for each process',
  nodes: 'the processes of a week, at most some hundred',
  instance: 'one row',
  schema_migrations: 'one row for each migration',
  followers: 'an operator makes them',
  forgotten_events: 'one row for each app',
  sqlite_sequence: 'one row for each table',
}

/** Partial indexes that hold few rows, however large their table: those of work under way. */
const SMALL_INDEXES = new Set([
  'pages_due',
  'pages_due_small',
  'pages_claimed',
  'runs_due',
  'notifications_open',
  'notifications_by_due',
  'in_app_messages_due',
  'in_app_messages_by_due',
  'series_due',
  'series_by_due',
  'series_broken',
  'channel_imports_open',
  'erasures_open',
  'gateway_configs_not_after',
  'geofences_unsettled',
])

/** A search by these alone reads a good part of a table. */
const WIDE = /^(app_id|platform|listed|subscribed|in_app_enabled)$/

export type Statement = Pick<Heard, 'sql' | 'bindings' | 'named'>

export interface Judge {
  /** The steps of a plan that grow with a table; none is well. Throws when the statement cannot be explained. */
  judge(statement: Statement): Promise<string[]>
  /** The statements that were judged and use an index, by its name. */
  readonly users: ReadonlyMap<string, ReadonlySet<string>>
  close(): Promise<void>
}

/** A judge of the statements of a database, by what its planner thinks of it now. */
export async function openJudge(db: Pick<Database, 'read'>): Promise<Judge> {
  const place = placeOf(db)
  return place.url === undefined ? judgeOnSqlite(place.file) : judgeOnPostgres(place.url)
}

/** Notes which statements use which index. */
function createUsers() {
  const users = new Map<string, Set<string>>()
  return {
    users,
    note(sql: string, indexes: readonly string[]): void {
      for (const index of indexes) users.set(index, (users.get(index) ?? new Set()).add(sql))
    },
  }
}

/** SQLite plans without statistics, as it does for our users, so that a small database plans as a large one. */
function judgeOnSqlite(filename: string): Judge {
  const db = new SqliteDatabase(filename, { readonly: true })
  db.function(NOW_FUNCTION, () => 0)
  const { users, note } = createUsers()
  const explain = ({ sql, bindings }: Statement) => {
    const steps = db.prepare<unknown[], Step>(`EXPLAIN QUERY PLAN ${sql}`).all(...bindings)
    note(
      sql,
      steps.flatMap(({ detail }) => /\bINDEX (\w+)/.exec(detail)?.[1] ?? []),
    )
    return steps
  }

  /** A SELECT that runs by itself within another is judged by itself, with its own limit. */
  function judge(statement: Statement): string[] {
    const found: string[] = []
    let { rest, steps }: { rest: Statement; steps: readonly Step[] } = { rest: statement, steps: explain(statement) }
    for (const name of new Set(steps.flatMap(({ detail }) => OWN.exec(detail)?.[1] ?? []))) {
      const parts = splitOff(rest, name)
      // Of a WITH, it may be nothing by itself.
      if (parts.inner.length === 0 || /^\s*with\b/i.test(rest.sql)) continue
      for (const inner of parts.inner) found.push(...judge(inner))
      rest = parts.outer
      steps = withoutOwn(steps, name)
    }
    const details = steps.map(({ detail }) => detail)
    return [...found, ...growingSteps(rest.sql, details, rest.bindings)]
  }

  return {
    users,
    // oxlint-disable-next-line typescript/require-await
    judge: async (statement) => judge(statement),
    // oxlint-disable-next-line typescript/require-await
    async close() {
      db.close()
    },
  }
}

/** A step of a plan of SQLite; `parent` 0 = none. */
interface Step {
  id: number
  parent: number
  detail: string
}

/** A table that a statement makes for itself. Its name may be that of a real one. */
const OWN = /^(?:MATERIALIZE|CO-ROUTINE) (\w+)/

/** The steps but for those that fill its own table `name`. */
function withoutOwn(steps: readonly Step[], name: string): Step[] {
  const inside = new Set<number>()
  return steps.filter(({ id, parent, detail }) => {
    const isOwn = OWN.exec(detail)?.[1] === name
    if (isOwn || inside.has(parent)) inside.add(id)
    return isOwn || !inside.has(id)
  })
}

/** Pure: each `(SELECT ...) AS name` of a statement as one by itself, and the statement without them. */
export function splitOff({ sql, bindings }: Statement, name: string): { inner: Statement[]; outer: Statement } {
  const inner: Statement[] = []
  let outer: Statement = { sql, bindings }
  const ends = [...sql.matchAll(new RegExp(`\\)\\s*AS\\s+["\`]?${name}(?!\\w)`, 'gi'))].map(({ index }) => index)
  // From the last one, so that places before it stay.
  for (const end of ends.reverse()) {
    let start = end
    for (let depth = 1; depth > 0 && start > 0; ) depth += { ')': 1, '(': -1 }[sql[--start]!] ?? 0
    const text = sql.slice(start + 1, end).trim()
    const own = text.startsWith('((') || !text.startsWith('(') ? text : text.slice(1, -1)
    if (!/^select\b/i.test(own)) continue
    const [from, to] = [countOfBindings(sql.slice(0, start)), countOfBindings(sql.slice(0, end))]
    inner.push({ sql: own, bindings: bindings.slice(from, to) })
    outer = {
      sql: `${outer.sql.slice(0, start)}(SELECT 1${outer.sql.slice(end)}`,
      bindings: outer.bindings.toSpliced(from, to - from),
    }
  }
  return { inner, outer }
}

const countOfBindings = (text: string) => text.split('?').length - 1

/** Pure: the steps of a plan of SQLite that grow. */
export function growingSteps(sql: string, steps: readonly string[], bindings: readonly unknown[] = []): string[] {
  const own = new Set(steps.flatMap((step) => OWN.exec(step)?.[1] ?? []))
  for (const [, name] of sql.matchAll(
    /(?:\bWITH(?:\s+RECURSIVE)?|,)\s+["`]?(\w+)["`]?\s*(?:\([^()]*\)\s*)?AS\s*(?:MATERIALIZED\s*)?\(/gi,
  ))
    own.add(name!)
  const found = steps.filter((step) => {
    const [, what, name, index] = /^(SCAN|SEARCH) (\w+)(?:.*?\bINDEX (\w+))?/.exec(step) ?? []
    if (what === undefined || own.has(name!) || isSmall(name!, sql) || SMALL_INDEXES.has(index!)) return false
    // What a foreign key looks up is not in the text: the index behind it is another test's.
    if (!new RegExp(`\\b${name}\\b`).test(sql)) return false
    if (what === 'SCAN') {
      // How many rows fail a condition is not in the plan: a limit may never be reached.
      const isBounded = stopsEarly({ sql, bindings }, steps) && !/\bwhere\b/i.test(sql)
      return !/^SCAN (CONSTANT ROW|\d+-ROW VALUES|\w+ VIRTUAL TABLE)/.test(step) && !isBounded
    }
    if (stopsEarly({ sql, bindings }, steps)) return false
    return isWideSearch(/\(([^()]*)\)[^()]*$/.exec(step)?.[1] ?? '')
  })
  return found
}

/** Tells whether conditions such as `app_id=? AND id>?` leave a good part of a table. Ids between two bounds do not. */
function isWideSearch(conditions: string): boolean {
  // Places and ranges.
  if (/&&|@>/.test(conditions)) return false
  const all = [...conditions.matchAll(/\b(\w+)\)?(?:::\w+)?\s*(=|>=?|<=?|~~)/g)].map(([, column, sign]) => ({
    column: column!,
    sign: sign![0]!,
  }))
  const isId = (column: string) => /^(rowid|id)$/.test(column)
  const bounds = new Set(all.filter(({ column, sign }) => isId(column) && sign !== '=').map(({ sign }) => sign))
  return bounds.size < 2 && all.every(({ column, sign }) => WIDE.test(column) || (isId(column) && sign !== '='))
}

/** Tells whether a table is small, by the name in the plan, which may be an alias. */
function isSmall(name: string, sql: string): boolean {
  if (Object.hasOwn(SMALL_TABLES, name)) return true
  const table = new RegExp(`["\`]?(\\w+)["\`]?\\s+(?:as\\s+)?["\`]?${name}["\`]?(?!\\w)`, 'gi')
  const named = [...sql.matchAll(table)].map(([, before]) => before!)
  return named.some((before) => Object.hasOwn(SMALL_TABLES, before))
}

/** True when the rows come in the order that is asked for, and only the first few are wanted. */
function stopsEarly(statement: Statement, steps: readonly string[]): boolean {
  return !steps.some((step) => step.startsWith('USE TEMP B-TREE')) && hasLimit(statement)
}

/** More than a statement of a long read examines (domain/tables/read/slices.ts): not a limit any more. */
const MOST_ROWS = 50_000

/** Tells whether a statement has a limit, and no limit or offset of it is beyond `MOST_ROWS`. */
function hasLimit({ sql, bindings }: Pick<Statement, 'sql' | 'bindings'>): boolean {
  const all = [...sql.matchAll(/\b(limit|offset)\s+(?:\$?(\d+)|\+?\?)/gi)].map(
    ({ 0: text, 1: word, 2: number, index }) => ({
      word: word!.toLowerCase(),
      rows: text.endsWith('?')
        ? bindings[countOfBindings(sql.slice(0, index))]
        : text.includes('$')
          ? bindings[Number(number) - 1]
          : number,
    }),
  )
  return all.some(({ word }) => word === 'limit') && all.every(({ rows }) => !(Number(rows) > MOST_ROWS))
}

/** A node of a plan of PostgreSQL. */
export interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  Filter?: string
  Plans?: PlanNode[]
}

async function judgeOnPostgres(url: string): Promise<Judge> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ index: string; table: string }>(
    'SELECT indexrelid::regclass::text AS index, indrelid::regclass::text AS table FROM pg_index',
  )
  const tables = new Map(rows.map(({ index, table }) => [index, table]))
  const { rowCount } = await client.query('SELECT 1 FROM pg_statistic WHERE starelid = to_regclass($1)', ['installs'])
  const knows = { tables, hasStatistics: rowCount! > 0 }
  const { users, note } = createUsers()
  const explain = async (sql: string, bindings: readonly unknown[], how: string) => {
    const plan = await client.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
      `EXPLAIN (FORMAT JSON${how}) ${sql}`,
      bindings as unknown[],
    )
    const root = plan.rows[0]!['QUERY PLAN'][0]!.Plan
    note(sql, indexesIn(root))
    return growingNodes(root, { ...knows, hasLimit: hasLimit({ sql, bindings }) })
  }
  return {
    users,
    async judge({ sql, bindings, named }) {
      const found = await explain(sql, bindings, '')
      // After some runs the server may plan what is prepared for any values.
      if (named) found.push(...(await explain(sql, [], ', GENERIC_PLAN')))
      return found
    },
    close: () => client.end(),
  }
}

/** The factor by which the tables of the tests are imagined larger. */
const TIMES = 1000

/**
 * Makes the planner of PostgreSQL plan as for a large database: it takes the number of pages from the files, and that
 * of rows per page from its catalogue. SQLite needs nothing of the kind. `statistics`: of columns, as after an ANALYZE;
 * without, as after a restore.
 */
export async function imagineLarge(
  { kind, read }: Pick<Database, 'kind' | 'read'>,
  { statistics }: { statistics: boolean },
): Promise<void> {
  if (kind === 'sqlite') return
  // In any case, as it counts the rows of tables and indexes: an index that was made before its rows passes for empty.
  await read.raw('ANALYZE')
  if (!statistics) await read.raw('DELETE FROM pg_statistic')
  await read.raw(
    `UPDATE pg_class SET reltuples = reltuples * ${TIMES} WHERE relnamespace = 'public'::regnamespace AND reltuples > 0`,
  )
}

/** Facts that a plan does not give. */
interface Knows {
  /** Index -> table. */
  tables: ReadonlyMap<string, string>
  hasStatistics: boolean
  /** False for a statement with a limit that is none. */
  hasLimit: boolean
}

function indexesIn(node: PlanNode): string[] {
  return [node['Index Name'] ?? [], (node.Plans ?? []).flatMap(indexesIn)].flat()
}

/** Pure: the steps of a plan of PostgreSQL that grow. */
export function growingNodes(node: PlanNode, knows: Knows, isLimited = false): string[] {
  const found = growth(node, knows, isLimited)
  const limited = (node['Node Type'] === 'Limit' && knows.hasLimit) || (isLimited && !readsAll(node, knows))
  return [...(found ? [found] : []), ...(node.Plans ?? []).flatMap((child) => growingNodes(child, knows, limited))]
}

/**
 * Tells whether a node reads all of its input before its first row. Without statistics the planner takes the rows of an
 * app for few, and sorts where it will walk along the index once it has been told: that does not count.
 */
function readsAll({ 'Node Type': type }: PlanNode, { hasStatistics }: Knows): boolean {
  return /^(Aggregate|Hash|Group|Unique|WindowAgg)$/.test(type) || (hasStatistics && type === 'Sort')
}

function growth(node: PlanNode, knows: Knows, isLimited: boolean): string | undefined {
  const type = node['Node Type']
  const [index, condition] = [node['Index Name'], node['Index Cond']]
  const table = node['Relation Name'] ?? knows.tables.get(index ?? '')
  if (!/^(Seq Scan|Index Scan|Index Only Scan|Bitmap Index Scan)$/.test(type)) return undefined
  if (table !== undefined && Object.hasOwn(SMALL_TABLES, table)) return undefined
  if (index !== undefined && SMALL_INDEXES.has(index)) return undefined
  if ((isLimited && isMild(node.Filter)) || !isWideSearch(condition ?? '')) return undefined
  const filter = node.Filter ? `, then ${node.Filter}` : ''
  if (type === 'Seq Scan') return `Seq Scan on ${table}${filter}`
  return `${type} of ${index} by ${condition ?? 'nothing'}${filter}`
}

/** A filter that few rows fail, so that a limit is soon reached. */
function isMild(filter: string | undefined): boolean {
  if (filter === undefined) return true
  return [...filter.matchAll(/(\w+)(?:\)::\w+)? (?:=|>=?|<=?|<>|IS|~~) /g)].every(([, column]) => WIDE.test(column!))
}
