import type { Sql } from '../../src/platform/db/connect.ts'
import { isPostgres, rowsOf } from '../../src/platform/db/dialect.ts'
import type { Program } from '../../src/program.ts'
import type { Statement } from './statements.ts'

/** Indexes: those that a statement uses, and those that are missing. */

/** Names of the indexes by which a statement finds its rows; SQLite's own for a primary key is `INTEGER PRIMARY KEY`. */
export async function indexesOf({ kernel }: Program, statement: Statement): Promise<string[]> {
  const { read } = kernel.db
  if (isPostgres(read)) return (await nodesOnPostgres(read, statement)).flatMap((node) => node['Index Name'] ?? [])
  const steps = await stepsOnSqlite(read, statement)
  return steps.flatMap((step) => /\b(?:INDEX (\w+)|INTEGER PRIMARY KEY)/.exec(step)?.slice(0, 2).at(-1) ?? [])
}

async function stepsOnSqlite(read: Sql, { sql, bindings }: Statement): Promise<string[]> {
  const plan = await read.raw(`EXPLAIN QUERY PLAN ${sql}`, bindings as never)
  return rowsOf<{ detail: string }>(plan).map(({ detail }) => detail)
}

interface PlanNode {
  'Node Type': string
  'Index Name'?: string
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

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

/** A foreign key and the table it is of. */
export interface ForeignKey {
  table: string
  columns: string
}

/**
 * Foreign keys behind which there is no full index that begins with their columns, in any order: a whole table is read
 * to delete the rows that they point to. A partial index does not count, nor does a column inside an expression.
 */
export async function unindexedKeys(read: Sql): Promise<ForeignKey[]> {
  const { keys, indexes } = isPostgres(read) ? POSTGRES_KEYS : SQLITE_KEYS
  const all = rowsOf<ForeignKey>(await read.raw(keys))
  if (all.length === 0) throw new Error('no foreign key was found')
  const known = rowsOf<ForeignKey>(await read.raw(indexes))
  const sorted = (columns: string, count: number) => columns.split(',').slice(0, count).sort().join()
  return all.filter(({ table, columns }) => {
    const count = columns.split(',').length
    return !known.some((index) => index.table === table && sorted(index.columns, count) === sorted(columns, count))
  })
}

const SQLITE_KEYS = {
  keys: `SELECT name AS "table", group_concat("from") AS columns FROM (
     SELECT t.name, k.id, k."from" FROM sqlite_schema t, pragma_foreign_key_list(t.name) k
     WHERE t.type = 'table' ORDER BY t.name, k.id, k.seq)
   GROUP BY name, id`,
  indexes: `SELECT "table", group_concat(part) AS columns
   FROM (SELECT t.name AS "table", i.name, coalesce(c.name, '(expression)') AS part
         FROM sqlite_schema t, pragma_index_list(t.name) i, pragma_index_xinfo(i.name) c
         WHERE t.type = 'table' AND NOT i.partial AND c.key ORDER BY t.name, i.name, c.seqno)
   GROUP BY "table", name
   UNION ALL
   SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c
   WHERE t.type = 'table' AND c.pk = 1 AND (SELECT MAX(pk) FROM pragma_table_info(t.name)) = 1`,
}
const POSTGRES_KEYS = {
  keys: `SELECT conrelid::regclass::text AS "table", (
     SELECT string_agg(attname, ',' ORDER BY place) FROM unnest(conkey) WITH ORDINALITY AS k (number, place)
     JOIN pg_attribute ON attrelid = conrelid AND attnum = number) AS columns
   FROM pg_constraint WHERE contype = 'f'`,
  indexes: `SELECT indrelid::regclass::text AS "table", (
     SELECT string_agg(coalesce(attname, '(expression)'), ',' ORDER BY place)
     FROM unnest(indkey::int[]) WITH ORDINALITY AS k (number, place)
     LEFT JOIN pg_attribute ON attrelid = indrelid AND attnum = number AND number <> 0
     WHERE place <= indnkeyatts) AS columns
   FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid JOIN pg_am ON pg_am.oid = relam
   WHERE indpred IS NULL AND indisvalid AND amname = 'btree'`,
}
