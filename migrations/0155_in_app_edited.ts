import type { Knex } from 'knex'
import { run } from './dialect.ts'

// Not compatible: an earlier program would compute the due times of an edited message from when it was created.

export const up = (db: Knex) =>
  run(db, [
    db.schema.alterTable('in_app_messages', (t) => {
      // When it was edited last (ms): its due times are computed from then. Null = never.
      t.bigInteger('edited_at')
    }),
  ])

// Knex would make the table anew on SQLite, and not quite the same.
export const down = (db: Knex) => run(db, ['ALTER TABLE in_app_messages DROP COLUMN edited_at'])
