import type { Knex } from 'knex'
import { dropTables, isPostgres, run } from './dialect.ts'

/** Earlier programs neither read nor write the tables and the columns. They leave a file that is not on their disk to other nodes. */
export const compatible = true

export const tables = {
  subscriber_file_slices:
    'Bytes of subscriber files that wait to be applied, on PostgreSQL: any node can apply them. On SQLite a file waits on the disk of the server.',
  cap_uses:
    'What callers near a cap have used of it on all nodes. Unlogged on PostgreSQL, so it is empty after a crash; nothing is written on SQLite, or while there is one node.',
}

export const up = (db: Knex) =>
  run(db, [
    db.schema.createTable('subscriber_file_slices', (t) => {
      t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
      // The uuid of the import.
      t.string('file', 36).notNullable()
      // From 0. All slices but the last have the same size.
      t.integer('slice').notNullable()
      t.binary('bytes').notNullable()
      t.bigInteger('created_at').notNullable()
      t.primary(['app_id', 'file', 'slice'])
    }),
    // The bytes live for seconds: compressing them costs more than writing them.
    isPostgres(db) && 'ALTER TABLE subscriber_file_slices ALTER COLUMN bytes SET STORAGE EXTERNAL',

    db.schema.alterTable('channel_imports', (t) => {
      // The worker that applies the file, and the time until which others leave the file to that worker (ms, clock of the database).
      t.string('owner')
      t.bigInteger('lease_until').notNullable().defaultTo(0)
    }),

    db.schema.createTable('cap_uses', (t) => {
      // Of the cap and the caller.
      t.string('digest', 64).primary()
      // The time at which the whole cap is free again (ms, clock of the database).
      t.bigInteger('free_at').notNullable()
      t.index(['free_at'])
    }),
    isPostgres(db) && 'ALTER TABLE cap_uses SET UNLOGGED',
  ])

// Knex would make the table anew on SQLite, and not quite the same.
export async function down(db: Knex): Promise<void> {
  await dropTables(db, tables)
  await run(db, [
    'ALTER TABLE channel_imports DROP COLUMN owner',
    'ALTER TABLE channel_imports DROP COLUMN lease_until',
  ])
}
