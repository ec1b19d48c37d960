import type { Knex } from 'knex'

export async function up(db: Knex): Promise<void> {
  await db.schema.createTable('banners', (t) => {
    t.bigIncrements('id')
    t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
    t.string('uuid', 36).notNullable()
    t.bigInteger('link_id').notNullable()
    // How it looks and when it shows, as the browser gets it.
    t.text('design').notNullable()
    t.bigInteger('created_at').notNullable()
    t.bigInteger('updated_at').notNullable()
    t.unique(['app_id', 'uuid'])
    t.foreign(['app_id', 'link_id']).references(['app_id', 'id']).inTable('deep_links').onDelete('CASCADE')
    t.index(['app_id', 'link_id'])
  })

  // The last tap on a banner in each browser, and whether the app was installed after one.
  await db.schema.createTable('link_taps', (t) => {
    t.bigInteger('app_id').notNullable()
    t.string('web_install_id').notNullable()
    t.bigInteger('link_id').notNullable()
    // Digest of the device's marks; null once the tap was used, and when the person does not want to be recognised.
    t.string('fingerprint', 64)
    t.string('platform', 64)
    t.string('os_major', 64)
    t.bigInteger('tapped_at').notNullable()
    t.bigInteger('installed_at')
    t.primary(['app_id', 'web_install_id'])
    t.foreign(['app_id', 'link_id']).references(['app_id', 'id']).inTable('deep_links').onDelete('CASCADE')
    t.index(['app_id', 'link_id'])
  })
  await db.raw('CREATE INDEX link_taps_waiting ON link_taps (app_id, fingerprint) WHERE fingerprint IS NOT NULL')
  await db.raw('CREATE INDEX link_taps_by_age ON link_taps (tapped_at)')
}

export async function down(db: Knex): Promise<void> {
  for (const table of ['link_taps', 'banners']) await db.schema.dropTable(table)
}
