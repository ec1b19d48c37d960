import type { Knex } from 'knex'
import { dropTables, run } from './dialect.ts'

/** Earlier programs neither read nor write the tables and the column. */
export const compatible = true

export const tables = {
  pictures: 'Pictures that an app shows: what is known of each, without its bytes.',
  picture_bytes: 'The bytes of each picture, apart from what lists read.',
  picture_totals: 'Number and bytes of the pictures of each app, for its limits.',
  picture_uses: 'What names a picture by its address. Goes with the picture, and with what names it.',
}

/** The tables whose rows may name a picture, each with its column in `picture_uses`. */
const USERS = {
  push_template_id: 'push_templates',
  template_id: 'templates',
  notification_id: 'notifications',
  in_app_message_id: 'in_app_messages',
  push_approval_id: 'push_approvals',
  series_id: 'series',
  deep_link_id: 'deep_links',
}

export const up = (db: Knex) =>
  run(db, [
    db.schema.createTable('pictures', (t) => {
      t.bigIncrements('id')
      t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
      // A digest of the app and the bytes: the same picture is stored once. Part of the address.
      t.string('uid').notNullable().unique()
      // For people; the name of the first file with these bytes.
      t.string('name').notNullable()
      // png, jpeg, webp or gif
      t.string('kind').notNullable()
      // In pixels, as it is shown.
      t.integer('width').notNullable()
      t.integer('height').notNullable()
      // 1 unless it is animated.
      t.integer('frames').notNullable()
      t.integer('size').notNullable()
      t.bigInteger('created_at').notNullable()
      t.index(['app_id', 'id'])
    }),

    db.schema.createTable('picture_bytes', (t) => {
      t.bigInteger('picture_id').primary().references('pictures.id').onDelete('CASCADE')
      t.binary('bytes').notNullable()
    }),

    db.schema.createTable('picture_totals', (t) => {
      t.bigInteger('app_id').primary().references('apps.id').onDelete('CASCADE')
      t.integer('pictures').notNullable()
      t.bigInteger('size').notNullable()
    }),

    // One of the columns behind picture_id holds an id.
    db.schema.createTable('picture_uses', (t) => {
      t.bigIncrements('id')
      t.bigInteger('picture_id').notNullable().references('pictures.id').onDelete('CASCADE')
      for (const [column, table] of Object.entries(USERS)) {
        t.bigInteger(column).references(`${table}.id`).onDelete('CASCADE')
        t.unique([column, 'picture_id'])
      }
      t.index(['picture_id', 'id'])
    }),

    db.schema.alterTable('deep_links', (t) => {
      // The picture that chats show of the link.
      t.text('picture_url')
    }),
  ])

// Knex would make the table anew on SQLite, and not quite the same.
export async function down(db: Knex): Promise<void> {
  await dropTables(db, tables)
  await run(db, ['ALTER TABLE deep_links DROP COLUMN picture_url'])
}
