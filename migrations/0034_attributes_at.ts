import type { Knex } from 'knex'

export async function up(db: Knex): Promise<void> {
  await db.schema.alterTable('users', (t) => {
    // When the attributes in force were written: the server's time of a call, the device's own time of an association.
    t.bigInteger('attributes_at').notNullable().defaultTo(0)
  })
}

export async function down(db: Knex): Promise<void> {
  // Not through Knex: on SQLite it copies the table and drops the old one.
  await db.raw('ALTER TABLE users DROP COLUMN attributes_at')
}
