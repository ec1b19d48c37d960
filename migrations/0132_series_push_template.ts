import type { Knex } from 'knex'
import { run } from './dialect.ts'

// Not compatible: an earlier program looks for the push template of a series in the column of templates.

export const up = (db: Knex) =>
  run(db, [
    db.schema.alterTable('series', (t) => {
      // The push template that the body names; of an in-app message, for the push that announces it.
      t.string('push_template')
    }),
    "UPDATE series SET push_template = template, template = NULL WHERE kind = 'push'",
  ])

// Knex would make the table anew on SQLite, and not quite the same.
export const down = (db: Knex) =>
  run(db, [
    "UPDATE series SET template = push_template WHERE kind = 'push'",
    'ALTER TABLE series DROP COLUMN push_template',
  ])
