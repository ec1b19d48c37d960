import type { Knex } from 'knex'
import { run } from './dialect.ts'

/** Earlier programs neither read nor write the columns; they may delete a picture that is an icon. */
export const compatible = true

export const up = (db: Knex) =>
  run(db, [
    db.schema.alterTable('apps', (t) => {
      // IANA time zone in which people plan for the app and read its days; null = that of whoever looks.
      t.string('timezone')
    }),
    // The app whose icon the picture is. In SQL: Knex would make the table anew on SQLite.
    'ALTER TABLE picture_uses ADD COLUMN icon_app_id bigint REFERENCES apps (id) ON DELETE CASCADE',
    db.schema.alterTable('picture_uses', (t) => {
      t.unique(['icon_app_id'])
    }),
  ])

export const down = (db: Knex) =>
  run(db, [
    'DELETE FROM picture_uses WHERE icon_app_id IS NOT NULL',
    db.schema.alterTable('picture_uses', (t) => {
      t.dropUnique(['icon_app_id'])
    }),
    'ALTER TABLE picture_uses DROP COLUMN icon_app_id',
    'ALTER TABLE apps DROP COLUMN timezone',
  ])
