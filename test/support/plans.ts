import type { App } from '../../src/app.ts'
import type { Sql } from '../../src/platform/db/connect.ts'
import { isPostgres, rowsOf } from '../../src/platform/db/dialect.ts'
import type { Statement } from './statements.ts'

/**
 * What a statement would cost when tables are large, told from its plan alone: SQLite plans without statistics, as it does for our
 * users, and PostgreSQL is told never to read a whole table where there is another way. So a nearly empty database will do.
 */

/** Tables with few rows, whatever happens: what operators set up, and what is emptied all the time. */
const SMALL = [
  'in_app_tallies',
  'deleted_channels',
  'accounts',
  'apps',
  'app_keys',
  'issued_keys',
  'instance',
  'faults',
  'user_signing_keys',
  'lanes',
  'gateway_configs',
  'link_settings',
  'web_prompts',
  'banners',
  'segments',
  'templates',
  'template_versions',
  'data_tables',
]

/** What narrows a search to a good part of a table only. */
const WIDE = /^(app_id|platform|listed|subscribed)$/

/** The steps of a plan whose price grows with a table, of all of the statements; each with the text it belongs to. */
export async function growingSteps({ kernel }: App, statements: readonly Statement[]): Promise<string[]> {
  const { read } = kernel.db
  const grow = isPostgres(read) ? growingOnPostgres : growingOnSqlite
  const found: string[] = []
  for (const statement of statements) {
    for (const step of await grow(read, statement)) found.push(`${step}: ${statement.sql.replace(/\s+/g, ' ')}`)
  }
  return found
}

/** Names of the indexes by which a statement finds its rows; SQLite's own for a primary key is `INTEGER PRIMARY KEY`. */
export async function indexesOf({ kernel }: App, statement: Statement): Promise<string[]> {
  const { read } = kernel.db
  if (isPostgres(read)) return (await nodesOnPostgres(read, statement)).flatMap((node) => node['Index Name'] ?? [])
  const steps = await stepsOnSqlite(read, statement)
  return steps.flatMap((step) => /\b(?:INDEX (\w+)|INTEGER PRIMARY KEY)/.exec(step)?.slice(0, 2).at(-1) ?? [])
}

async function stepsOnSqlite(read: Sql, { sql, bindings }: Statement): Promise<string[]> {
  const plan = await read.raw(`EXPLAIN QUERY PLAN ${sql}`, bindings as never)
  return rowsOf<{ detail: string }>(plan).map(({ detail }) => detail)
}

async function growingOnSqlite(read: Sql, statement: Statement): Promise<string[]> {
  const { sql } = statement
  const steps = await stepsOnSqlite(read, statement)
  const partial = new Set(
    rowsOf<{ name: string }>(
      await read.raw(`SELECT name FROM sqlite_schema WHERE type = 'index' AND sql LIKE '% WHERE %'`),
    ).map(({ name }) => name),
  )
  /** Tables that the statement makes for itself. */
  const own = new Set(steps.flatMap((step) => /^(?:MATERIALIZE|CO-ROUTINE) (\w+)/.exec(step)?.[1] ?? []))
  const tables = new Map(
    [...sql.matchAll(/(\w+)[`"]?\s+as\s+[`"]?(\w+)/gi)].map(([, table, alias]) => [alias!, table!]),
  )
  return steps.filter((step) => {
    if (step === 'USE TEMP B-TREE FOR GROUP BY') return true
    const [, what, name, index] = /^(SCAN|SEARCH) (\w+)(?:.*?\bINDEX (\w+))?/.exec(step) ?? []
    if (
      !what ||
      own.has(name!) ||
      SMALL.includes(tables.get(name!) ?? name!) ||
      (index !== undefined && partial.has(index))
    )
      return false
    if (what === 'SCAN') return !/^SCAN (CONSTANT ROW|json_each|\w+ VIRTUAL TABLE)/.test(step)
    const columns = [...(/\(([^()]*)\)/.exec(step)?.[1] ?? '').matchAll(/(\w+)\s*(=|>|<)/g)]
    const isWide = columns.every(([, column, sign]) => WIDE.test(column!) || (column === 'rowid' && sign !== '='))
    // What goes along with a deleted row is looked up by its key: the index behind it is another test's.
    const isKey = /^\s*(delete|insert|replace)/i.test(sql) && !/app_id/.test(sql)
    return isWide && !isKey && !stopsEarly(sql, steps)
  })
}

/** True when an index has the rows in the order that is asked for, and only the first few are. */
function stopsEarly(sql: string, steps: readonly string[]): boolean {
  return /\blimit \d+/i.test(sql) && !steps.some((step) => step.startsWith('USE TEMP B-TREE'))
}

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  Filter?: string
  Plans?: PlanNode[]
}

function nodesOnPostgres(read: Sql, { sql, bindings }: Statement): Promise<PlanNode[]> {
  return read.transaction(async (trx) => {
    await trx.raw('SET LOCAL enable_seqscan = off')
    const explain = `EXPLAIN (FORMAT JSON) ${sql.replaceAll('?', '\\?').replace(/\$\d+/g, '?')}`
    const [row] = rowsOf<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(await trx.raw(explain, bindings as never))
    return nodesOf(row!['QUERY PLAN'][0]!.Plan)
  })
}

async function growingOnPostgres(read: Sql, statement: Statement): Promise<string[]> {
  const nodes = await nodesOnPostgres(read, statement)
  const partial = new Set(
    rowsOf<{ name: string }>(
      await read.raw('SELECT indexrelid::regclass::text AS name FROM pg_index WHERE indpred IS NOT NULL'),
    ).map(({ name }) => name),
  )
  const isLimited =
    nodes.some((node) => node['Node Type'] === 'Limit') && !nodes.some((node) => /Sort/.test(node['Node Type']))
  return nodes.flatMap((node) => {
    const type = node['Node Type']
    const [table, index] = [node['Relation Name'], node['Index Name']]
    if (table !== undefined && SMALL.includes(table)) return []
    if (type === 'Seq Scan') return [`Seq Scan on ${table}`]
    const readsAll = /^(Index|Index Only|Bitmap Index) Scan$/.test(type) && node['Index Cond'] === undefined
    if (!readsAll || partial.has(index!) || (isLimited && node.Filter === undefined)) return []
    return [`${type} of all of ${index}`]
  })
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

/** A foreign key and the table it is of. */
export interface ForeignKey {
  table: string
  columns: string
}

/** Foreign keys behind which no index holds every row that has one: to delete what they point to, whole tables are read. */
export async function unindexedKeys(read: Sql): Promise<ForeignKey[]> {
  const { keys, indexes } = isPostgres(read) ? POSTGRES_KEYS : SQLITE_KEYS
  const all = rowsOf<ForeignKey>(await read.raw(keys))
  if (all.length === 0) throw new Error('no foreign key was found')
  const known = rowsOf<ForeignKey & { predicate: string | null }>(await read.raw(indexes))
  return all.filter(
    ({ table, columns }) =>
      !known.some((index) => index.table === table && `${index.columns},`.startsWith(`${columns},`) && holdsAll(index)),
  )
}

/** All rows that have a key are in an index of those where its column is not null. */
function holdsAll({ columns, predicate }: { columns: string; predicate: string | null }): boolean {
  const [first] = columns.split(',')
  return predicate === null || predicate.replace(/[()]/g, '') === `${first} IS NOT NULL`
}

const SQLITE_KEYS = {
  keys: `SELECT name AS "table", group_concat("from") AS columns FROM (
     SELECT t.name, k.id, k."from" FROM sqlite_schema t, pragma_foreign_key_list(t.name) k
     WHERE t.type = 'table' ORDER BY t.name, k.id, k.seq)
   GROUP BY name, id`,
  indexes: `SELECT "table", name, group_concat(part) AS columns,
     (SELECT substr(sql, instr(sql, ' WHERE ') + 7) FROM sqlite_schema s WHERE s.name = found.name AND found.partial) AS predicate
   FROM (SELECT t.name AS "table", i.name, i.partial, c.name AS part
         FROM sqlite_schema t, pragma_index_list(t.name) i, pragma_index_info(i.name) c
         WHERE t.type = 'table' ORDER BY t.name, i.name, c.seqno) AS found
   GROUP BY "table", name
   UNION ALL
   SELECT t.name, t.name, c.name, NULL FROM sqlite_schema t, pragma_table_info(t.name) c
   WHERE t.type = 'table' AND c.pk = 1 AND (SELECT MAX(pk) FROM pragma_table_info(t.name)) = 1`,
}
const POSTGRES_KEYS = {
  keys: `SELECT conrelid::regclass::text AS "table", (
     SELECT string_agg(attname, ',' ORDER BY place) FROM unnest(conkey) WITH ORDINALITY AS k (number, place)
     JOIN pg_attribute ON attrelid = conrelid AND attnum = number) AS columns
   FROM pg_constraint WHERE contype = 'f'`,
  indexes: `SELECT indrelid::regclass::text AS "table", pg_get_expr(indpred, indrelid) AS predicate, (
     SELECT string_agg(attname, ',' ORDER BY place) FROM unnest(indkey::int[]) WITH ORDINALITY AS k (number, place)
     JOIN pg_attribute ON attrelid = indrelid AND attnum = number) AS columns
   FROM pg_index`,
}
