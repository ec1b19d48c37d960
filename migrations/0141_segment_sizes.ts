import type { Knex } from 'knex'
import { run } from './dialect.ts'

/** An earlier program that changes a filter leaves the size of the filter before, which has its time. */
export const compatible = true

export const up = (db: Knex) =>
  run(db, [
    db.schema.alterTable('segments', (t) => {
      // How many reachable installs matched when they were last counted. Null: never since the filter changed.
      t.integer('size')
      // Whether the size is estimated from a sample.
      t.boolean('size_estimated')
      // When they were counted (ms).
      t.bigInteger('sized_at')
    }),
  ])

// Knex would make the table anew on SQLite, and not quite the same.
export const down = (db: Knex) =>
  run(
    db,
    ['size', 'size_estimated', 'sized_at'].map((column) => `ALTER TABLE segments DROP COLUMN ${column}`),
  )
