import type { Knex } from 'knex'
import { run } from './dialect.ts'

/** Earlier programs neither read nor write the columns. */
export const compatible = true

export const up = (db: Knex) =>
  run(db, [
    db.schema.alterTable('link_settings', (t) => {
      // Colour of the app on its jump page, as #rrggbb; null = that of the service.
      t.string('color')
      // Computers get a page with a QR code of the link instead of a redirect.
      t.boolean('offers_code').notNullable().defaultTo(false)
    }),
  ])

// Knex would make the table anew on SQLite, and not quite the same.
export const down = (db: Knex) =>
  run(db, ['ALTER TABLE link_settings DROP COLUMN color', 'ALTER TABLE link_settings DROP COLUMN offers_code'])
