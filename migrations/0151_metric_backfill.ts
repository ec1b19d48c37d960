import type { Knex } from 'knex'
import { run } from './dialect.ts'

/** Earlier programs count what is stored from now on, as before; what was begun goes on with the next one. */
export const compatible = true

/** Lets metrics count the events that were stored before they were made. */
export const up = (db: Knex) =>
  run(db, [
    db.schema.alterTable('metrics', (t) => {
      // When the first stored event that counts was received; null when those from before the metric do not count.
      t.bigInteger('stored_since')
      // When all events from before the metric had been read.
      t.bigInteger('backfilled_at')
    }),
  ])

/** Knex would make the table anew on SQLite, and not quite the same. */
export const down = (db: Knex) =>
  run(
    db,
    ['backfilled_at', 'stored_since'].map((column) => `ALTER TABLE metrics DROP COLUMN ${column}`),
  )
