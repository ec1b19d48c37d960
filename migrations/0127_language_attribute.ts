import type { Knex } from 'knex'
import { run } from './dialect.ts'

/** Earlier programs neither read nor write the column. */
export const compatible = true

export const up = (db: Knex) =>
  run(db, [
    db.schema.alterTable('apps', (t) => {
      // Path of the user attribute that says which language a person reads, such as profile.language; null = the install's locale says it.
      t.string('language_attribute')
    }),
  ])

// Knex would make the table anew on SQLite, and not quite the same.
export const down = (db: Knex) => run(db, ['ALTER TABLE apps DROP COLUMN language_attribute'])
