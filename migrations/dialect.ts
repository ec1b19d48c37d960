import type { Knex } from 'knex'

/** Tells whether the step runs on PostgreSQL. */
export const isPostgres = (db: Knex): boolean => db.client.driverName === 'pg'

/**
 * Runs statements in their order, and skips what is `false`. They go to the database as one text: on PostgreSQL, each by itself would cost a
 * round trip.
 */
export async function run(db: Knex, statements: readonly (string | Knex.SchemaBuilder | false)[]): Promise<void> {
  const texts = statements.filter((one) => one !== false).map((one) => (typeof one === 'string' ? one : one.toQuery()))
  await db.raw(texts.join(';\n')).options({ isScript: true })
}

/** The end of a CREATE TABLE whose rows SQLite keeps in the primary key itself: one look-up finds a row, where two would be needed. */
export const clustered = (db: Knex): string => (isPostgres(db) ? '' : 'WITHOUT ROWID')

/**
 * The shard in which a connection to PostgreSQL counts: it comes from its process id, so two transactions rarely want the same row and cannot
 * deadlock over it in the order of their statements.
 */
export const SHARD = 'pg_backend_pid() % 32'

/** Drops tables, the last one first: a table refers only to those before it. Some are on one database only. */
export async function dropTables(db: Knex, tables: object): Promise<void> {
  for (const table of Object.keys(tables).reverse()) await db.schema.dropTableIfExists(table)
}

/** Drops functions with the triggers that call them. Does nothing on SQLite, which has none. */
export async function dropFunctions(db: Knex, ...names: string[]): Promise<void> {
  if (isPostgres(db)) for (const name of names) await db.raw('DROP FUNCTION ?? CASCADE', [name])
}

/** Drops triggers of SQLite on tables that stay; on PostgreSQL they go with their function. */
export async function dropTriggers(db: Knex, ...names: string[]): Promise<void> {
  if (!isPostgres(db)) for (const name of names) await db.raw('DROP TRIGGER ??', [name])
}
