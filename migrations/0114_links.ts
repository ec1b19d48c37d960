import type { Knex } from 'knex'
import { clustered, dropTables, run } from './dialect.ts'

export const tables = {
  link_settings: 'The settings of an app for deep links.',
  deep_links: 'Deep links.',
  deep_link_counts: 'What changes with every visitor, beside the links, whose rows can be long.',
  deleted_links:
    'Links that are gone. A link may have a million taps: it is out of the way at once, and its rows go after it in slices.',
  banners: 'The banners of an app on web pages.',
  link_taps: 'The last tap on a banner in each browser, and whether the app was installed after one.',
}

export const up = (db: Knex) =>
  run(db, [
    db.schema.createTable('link_settings', (t) => {
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
      // A data URL of at most 32 KiB.
      t.text('icon')
    }),

    db.schema.createTable('deep_links', (t) => {
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
      t.boolean('is_enabled').notNullable().defaultTo(true)
      t.unique(['app_id', 'slug'])
      t.unique(['app_id', 'id'])
    }),

    `CREATE TABLE deep_link_counts (
    link_id bigint NOT NULL PRIMARY KEY,
    app_id bigint NOT NULL,
    lookups bigint NOT NULL,
    clicks bigint NOT NULL,
    FOREIGN KEY (app_id, link_id) REFERENCES deep_links (app_id, id) ON DELETE CASCADE
  ) ${clustered(db)}`,
    'CREATE INDEX deep_link_counts_by_app ON deep_link_counts (app_id, link_id)',

    db.schema.createTable('deleted_links', (t) => {
      t.bigInteger('link_id').primary().references('deep_links.id').onDelete('CASCADE')
      t.bigInteger('app_id').notNullable()
    }),

    db.schema.createTable('banners', (t) => {
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
    }),

    db.schema.createTable('link_taps', (t) => {
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
    }),
    'CREATE INDEX link_taps_waiting ON link_taps (app_id, fingerprint) WHERE fingerprint IS NOT NULL',
    'CREATE INDEX link_taps_unseen ON link_taps (tapped_at) WHERE installed_at IS NULL',
  ])

export const down = (db: Knex) => dropTables(db, tables)
