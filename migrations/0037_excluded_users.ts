import type { Knex } from 'knex'

export async function up(db: Knex): Promise<void> {
  await db.schema.alterTable('in_app_messages', (t) => {
    // Users who did not get it because each of their installs is excluded.
    t.integer('excluded').notNullable().defaultTo(0)
  })
}

export async function down(db: Knex): Promise<void> {
  // Not through Knex: on SQLite it copies the table and drops the old one.
  await db.raw('ALTER TABLE in_app_messages DROP COLUMN excluded')
}
