import type { Knex } from 'knex'

export async function up(db: Knex): Promise<void> {
  const isPostgres = db.client.driverName === 'pg'
  await db.schema.createTable('link_settings', (t) => {
    t.bigInteger('app_id').notNullable().primary().references('apps.id').onDelete('CASCADE')
    // The app's own host name; its label below links.domain is apps.link_host_label.
    t.string('domain').unique()
    t.string('ios_team_id', 16)
    t.text('ios_bundle_ids').notNullable()
    t.string('android_package')
    t.text('android_sha256').notNullable()
    t.text('app_store_url')
    t.text('play_store_url')
    t.integer('fingerprint_window').notNullable()
    t.boolean('offers_clipboard').notNullable()
    t.bigInteger('updated_at').notNullable()
  })
  await db.schema.createTable('deep_links', (t) => {
    t.bigIncrements('id')
    t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
    t.string('slug').notNullable()
    t.text('link_data').notNullable()
    t.text('title')
    t.text('description')
    t.text('desktop_web_fallback_url').notNullable()
    t.text('mobile_web_fallback_url').notNullable()
    t.text('reporting_meta')
    t.bigInteger('expires_at')
    t.bigInteger('lookup_limit')
    t.bigInteger('created_at').notNullable()
    t.bigInteger('updated_at').notNullable()
    t.unique(['app_id', 'slug'])
    t.unique(['app_id', 'id'])
  })

  // What changes with every visitor, beside the links, whose rows can be long.
  await db.raw(`CREATE TABLE deep_link_counts (
    link_id bigint NOT NULL PRIMARY KEY,
    app_id bigint NOT NULL,
    lookups bigint NOT NULL,
    clicks bigint NOT NULL,
    FOREIGN KEY (app_id, link_id) REFERENCES deep_links (app_id, id) ON DELETE CASCADE
  ) ${isPostgres ? '' : 'WITHOUT ROWID'}`)
  await db.raw('CREATE INDEX deep_link_counts_by_app ON deep_link_counts (app_id, link_id)')
}

export async function down(db: Knex): Promise<void> {
  for (const table of ['deep_link_counts', 'deep_links', 'link_settings']) await db.schema.dropTable(table)
}
