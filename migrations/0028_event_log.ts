import type { Knex } from 'knex'

/**
 * The events become a log that others read in the order of commit (docs/decisions/0031-the-event-log.md).
 *
 * On SQLite there is one writer, so `id` is that order, and the log needs no further index: only the one by age goes,
 * because who forgets walks the log from its start. On PostgreSQL numbers of a sequence become visible out of order, so
 * a row keeps the number of its transaction. Rows from before this migration share the number 0, which needs no rewrite
 * of the table.
 */
export async function up(db: Knex): Promise<void> {
  const isPostgres = db.client.driverName === 'pg'
  if (isPostgres) {
    await db.raw('ALTER TABLE events ADD COLUMN tx bigint NOT NULL DEFAULT 0')
    // The number that is added grows when the database is restored: then its transactions may have lower numbers again.
    await db.raw(`CREATE FUNCTION event_tx() RETURNS bigint LANGUAGE sql VOLATILE
      AS 'SELECT CAST(CAST(pg_current_xact_id() AS text) AS bigint) + 0'`)
    await db.raw(`CREATE FUNCTION event_horizon() RETURNS bigint LANGUAGE sql STABLE
      AS 'SELECT CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS bigint) + 0'`)
    await db.raw('ALTER TABLE events ALTER COLUMN tx SET DEFAULT event_tx()')
    await db.raw('CREATE INDEX events_in_order ON events (tx, id)')
    await db.raw('CREATE INDEX events_of_app_in_order ON events (app_id, tx, id)')
    await db.schema.alterTable('events', (t) => t.dropIndex(['app_id', 'id']))
  }
  await db.schema.alterTable('events', (t) => t.dropIndex(['received_at']))
  // The key of device events does not tell two nulls apart. Only events of servers have none; others cost nothing here.
  await db.raw('CREATE UNIQUE INDEX events_of_servers ON events (app_id, uuid) WHERE install_row IS NULL')

  // The last event of each app that was forgotten: a reader that stands before it has missed something.
  await db.schema.createTable('forgotten_events', (t) => {
    t.bigInteger('app_id').primary().references('apps.id').onDelete('CASCADE')
    t.bigInteger('tx').notNullable()
    t.bigInteger('event_id').notNullable()
  })

  await db.schema.createTable('followers', (t) => {
    t.string('name').primary()
    // Null for those that follow all apps.
    t.bigInteger('app_id').references('apps.id').onDelete('CASCADE').index()
    t.string('cursor').notNullable()
    t.string('owner')
    // Goes up whenever another worker takes the follower over.
    t.bigInteger('fence').notNullable().defaultTo(0)
    t.bigInteger('lease_until').notNullable().defaultTo(0)
    // When it was last found behind the retention of events (ms): some were forgotten before it had read them.
    t.bigInteger('missed_at')
  })
}

export async function down(db: Knex): Promise<void> {
  await db.schema.dropTable('followers')
  await db.schema.dropTable('forgotten_events')
  await db.raw('DROP INDEX events_of_servers')
  await db.schema.alterTable('events', (t) => t.index(['received_at']))
  if (db.client.driverName !== 'pg') return
  await db.schema.alterTable('events', (t) => t.index(['app_id', 'id']))
  await db.raw('DROP INDEX events_of_app_in_order')
  await db.raw('DROP INDEX events_in_order')
  await db.raw('ALTER TABLE events DROP COLUMN tx')
  await db.raw('DROP FUNCTION event_horizon()')
  await db.raw('DROP FUNCTION event_tx()')
}
