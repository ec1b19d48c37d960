import type { Knex } from 'knex'

export async function up(db: Knex): Promise<void> {
  await db.schema.alterTable('pages', (t) => {
    // Its recipients were being sent to when their worker ended: they are sent to again, and no gateway has asked for that.
    t.boolean('after_crash').notNullable().defaultTo(false)
  })
}

export async function down(db: Knex): Promise<void> {
  // Not through Knex: on SQLite it copies the table and drops the old one.
  await db.raw('ALTER TABLE pages DROP COLUMN after_crash')
}
