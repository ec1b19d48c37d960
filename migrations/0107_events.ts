import type { Knex } from 'knex'
import { dropFunctions, dropTables, isPostgres, run } from './dialect.ts'

export const tables = {
  events: 'The event log, in the order of commit (docs/decisions/0031-the-event-log.md).',
  forgotten_events:
    'The last event of each app that was forgotten: a reader that stands before it has missed something.',
  followers: 'Readers of the event log, and how far each has got.',
}

/** Numbers of a sequence become visible out of order, so an event keeps the number of its transaction. */
const NUMBER_TRANSACTIONS = [
  // The number that is added grows when the database is restored: then its transactions may have lower numbers again.
  `CREATE FUNCTION event_tx() RETURNS bigint LANGUAGE sql VOLATILE
    AS 'SELECT CAST(CAST(pg_current_xact_id() AS text) AS bigint) + 0'`,
  `CREATE FUNCTION event_horizon() RETURNS bigint LANGUAGE sql STABLE
    AS 'SELECT CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS bigint) + 0'`,
]

export const up = (db: Knex) =>
  run(db, [
    ...(isPostgres(db) ? NUMBER_TRANSACTIONS : []),
    db.schema.createTable('events', (t) => {
      t.bigIncrements('id')
      t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
      // The install's row; absent for events that no device made. No foreign key: installs go only together with their app, and
      // a key would make the database look for the events of each of them when an app is deleted.
      t.bigInteger('install_row')
      t.string('uuid').notNullable()
      t.string('type').notNullable()
      t.string('user_identifier')
      t.text('data')
      t.bigInteger('happened_at').notNullable()
      t.bigInteger('received_at').notNullable()
      // The number of the transaction, in whose order others read. On SQLite there is one writer, so the ids are in that order.
      if (isPostgres(db)) t.bigInteger('tx').notNullable().defaultTo(db.raw('event_tx()'))
      // The de-duplication key of the device protocol: an upload whose answer got lost comes again.
      t.unique(['app_id', 'install_row', 'uuid'])
      if (!isPostgres(db)) t.index(['app_id', 'id'])
    }),
    isPostgres(db) && 'CREATE INDEX events_in_order ON events (tx, id)',
    isPostgres(db) && 'CREATE INDEX events_of_app_in_order ON events (app_id, tx, id)',
    // The key of device events does not tell two nulls apart. Only events of servers have none; others cost nothing here.
    'CREATE UNIQUE INDEX events_of_servers ON events (app_id, uuid) WHERE install_row IS NULL',
    'CREATE INDEX events_by_user ON events (app_id, user_identifier, id) WHERE install_row IS NULL',
    "CREATE INDEX events_of_erasures ON events (received_at) WHERE type = 'user.erased'",

    db.schema.createTable('forgotten_events', (t) => {
      t.bigInteger('app_id').primary().references('apps.id').onDelete('CASCADE')
      t.bigInteger('tx').notNullable()
      t.bigInteger('event_id').notNullable()
    }),

    db.schema.createTable('followers', (t) => {
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
    }),
  ])

export async function down(db: Knex): Promise<void> {
  await dropTables(db, tables)
  await dropFunctions(db, 'event_horizon', 'event_tx')
}
