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

/**
 * Locks tables of PostgreSQL for a step that changes several: programs that go on lock them in one order or the other, so it does not wait for
 * long for one while it has another. Before any of them would be the victim of a deadlock it lets go of all, and tries again.
 */
export const lockTables = (...tables: readonly string[]): string => `DO $$ DECLARE
    usual text := current_setting('lock_timeout');
  BEGIN
    FOR attempt IN 1..30 LOOP
      BEGIN
        PERFORM set_config('lock_timeout', '200ms', true);
        LOCK TABLE ${tables.join(', ')} IN ACCESS EXCLUSIVE MODE;
        PERFORM set_config('lock_timeout', usual, true);
        RETURN;
      EXCEPTION WHEN lock_not_available OR deadlock_detected THEN PERFORM pg_sleep(0.1);
      END;
    END LOOP;
  END $$`

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
