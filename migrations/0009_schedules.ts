import type { Knex } from 'knex'

export async function up(db: Knex): Promise<void> {
  await db.schema.alterTable('installs', (t) => {
    // When the zone or the preferred hour changed last (ms): between two runs of a notification nobody is met twice or missed.
    t.bigInteger('zone_changed_at').notNullable().defaultTo(0)
    // The hour of the local day in which the user is most often active; -1 = not known.
    t.integer('preferred_hour').notNullable().defaultTo(-1)
  })
  // Zone by zone, so that the forty runs of a local time together walk the installs once; holds all that a walk reads.
  await db.raw(
    `CREATE INDEX installs_places ON installs (app_id, platform, timezone, preferred_hour, id, zone_changed_at)
     WHERE subscribed`,
  )
  await db.raw('CREATE INDEX installs_changed ON installs (app_id, zone_changed_at, id) WHERE subscribed')

  // When users are active: per 30 days a count for each hour of the local day, newest first (JSON).
  await db.schema.createTable('active_hours', (t) => {
    t.bigInteger('user_id').primary().references('users.id').onDelete('CASCADE')
    t.bigInteger('app_id').notNullable()
    t.integer('period').notNullable()
    // The hour since the epoch that was counted last: an hour counts once.
    t.bigInteger('last_hour').notNullable()
    t.text('counts').notNullable()
    t.integer('preferred_hour').notNullable()
    t.index(['app_id', 'preferred_hour'])
    t.index(['period'])
  })

  // Wall time, strategy and what was decided when it was accepted (JSON); null = sent at once.
  await db.schema.alterTable('notifications', (t) => {
    t.text('schedule')
  })
  await db.schema.alterTable('runs', (t) => {
    t.string('kind', 8).notNullable().defaultTo('now')
    // Where those are whom it is for (JSON); null = everywhere.
    t.text('within')
    t.bigInteger('begun_at')
    // Null = as the notification says.
    t.bigInteger('expires_at')
  })
  await db.schema.alterTable('pages', (t) => {
    t.bigInteger('expires_at')
  })
}

export async function down(db: Knex): Promise<void> {
  await dropColumns(db, 'pages', ['expires_at'])
  await dropColumns(db, 'runs', ['kind', 'within', 'begun_at', 'expires_at'])
  await dropColumns(db, 'notifications', ['schedule'])
  await db.schema.dropTable('active_hours')
  await db.raw('DROP INDEX installs_changed')
  await db.raw('DROP INDEX installs_places')
  await dropColumns(db, 'installs', ['zone_changed_at', 'preferred_hour'])
}

/** Not through Knex: on SQLite it copies the table and drops the old one, and everything that refers to it goes along. */
async function dropColumns(db: Knex, table: string, columns: string[]): Promise<void> {
  for (const column of columns) await db.raw('ALTER TABLE ?? DROP COLUMN ??', [table, column])
}
