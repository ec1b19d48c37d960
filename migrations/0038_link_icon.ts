import type { Knex } from 'knex'

export async function up(db: Knex): Promise<void> {
  await db.schema.alterTable('link_settings', (t) => {
    // A data URL of at most 32 KiB.
    t.text('icon')
  })
}

export async function down(db: Knex): Promise<void> {
  // Not through Knex: on SQLite it copies the table and drops the old one.
  await db.raw('ALTER TABLE link_settings DROP COLUMN icon')
}
