import type { Knex } from 'knex'

export async function up(db: Knex): Promise<void> {
  await db.schema.alterTable('apps', (t) => {
    // Quiet hours in minutes of the install's local day, from (inclusive) to (exclusive); null = none.
    t.integer('quiet_from')
    t.integer('quiet_to')
    // At most so many notifications an install in so many hours; null = no cap.
    t.integer('cap_count')
    t.integer('cap_hours')
  })
  await db.schema.alterTable('notifications', (t) => {
    t.integer('rate_limit')
    // Until when (µs) the limit's permits are used up.
    t.bigInteger('rate_at').notNullable().defaultTo(0)
  })

  // When an install got its latest notifications (ms, a JSON list), kept only for apps with a cap.
  await db.schema.createTable('send_history', (t) => {
    t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
    t.bigInteger('install_row').notNullable().references('installs.id').onDelete('CASCADE')
    t.text('sent').notNullable()
    t.primary(['app_id', 'install_row'])
    t.index(['install_row'])
  })
}

export async function down(db: Knex): Promise<void> {
  await db.schema.dropTable('send_history')
  // Not through Knex: on SQLite it copies the table and drops the old one, and everything that refers to it goes along.
  for (const column of ['rate_limit', 'rate_at']) await db.raw('ALTER TABLE notifications DROP COLUMN ??', [column])
  for (const column of ['quiet_from', 'quiet_to', 'cap_count', 'cap_hours']) {
    await db.raw('ALTER TABLE apps DROP COLUMN ??', [column])
  }
}
