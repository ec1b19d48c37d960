import type { Knex } from 'knex'

export async function up(db: Knex): Promise<void> {
  await db.schema.alterTable('pages', (t) => {
    // Its recipients are installs of certain users: whoever else uses one of them by then gets nothing.
    t.boolean('by_user').notNullable().defaultTo(false)
  })
  await db.schema.alterTable('notifications', (t) => {
    // Each recipient is tried once (ttl 0).
    t.boolean('one_try').notNullable().defaultTo(false)
  })
  await db.schema.alterTable('runs', (t) => {
    // When it was due (ms) before the rules of its time zone changed.
    t.bigInteger('moved_from')
  })
  await db.schema.alterTable('instance', (t) => {
    // The release of the time zone rules by which due times are planned; null before the first start that notes it.
    t.string('zone_rules', 32)
  })
}

export async function down(db: Knex): Promise<void> {
  // Not through Knex: on SQLite it copies the table and drops the old one.
  await db.raw('ALTER TABLE pages DROP COLUMN by_user')
  await db.raw('ALTER TABLE notifications DROP COLUMN one_try')
  await db.raw('ALTER TABLE runs DROP COLUMN moved_from')
  await db.raw('ALTER TABLE instance DROP COLUMN zone_rules')
}
