/** Statements with which a database is emptied for the next test: of one connection that stays (shared-database.ts), or when nobody has one any more (postgres-reuse.ts). */

/** Lists our tables on PostgreSQL, as `name`. */
export const POSTGRES_TABLES = `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname`

/** Asks which of some tables have rows, as `name`. */
export function filledAmong(tables: readonly string[]): string {
  return tables.map((table) => `SELECT '${table}' AS name WHERE EXISTS (SELECT 1 FROM "${table}")`).join(' UNION ALL ')
}

/** Restarts every automatic number at one, on PostgreSQL. */
export const POSTGRES_COUNTS_FROM_ONE = `SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, 1, false) FROM pg_sequences WHERE last_value IS NOT NULL`
