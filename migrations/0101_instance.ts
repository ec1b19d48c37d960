import type { Knex } from 'knex'
import { dropTables, run } from './dialect.ts'

export const tables = {
  instance: 'One row: what this database knows of itself.',
  faults: 'What is wrong with the processes that run on this database, for those who look from outside.',
  nodes: 'The processes that serve this database or work on it, and those that did until some days ago.',
}

export const up = (db: Knex) =>
  run(db, [
    db.schema.createTable('instance', (t) => {
      t.integer('id').primary()
      // What the master key makes of a constant; null until the first start.
      t.text('key_check')
      // Which file, or which database of PostgreSQL, it was when it was used last.
      t.text('identity')
      // What stands in the mark file beside an SQLite database, and what stood there before.
      t.text('mark')
      t.text('previous_mark')
      // Since when (ms) nothing is sent, and why; null = sending.
      t.bigInteger('held_at')
      t.text('held_reason')
      // What digests are keyed with, sealed under the master key; null while it comes from the master key itself.
      t.text('pepper')
      // The release of the time zone rules by which due times are planned; null before the first start that notes it.
      t.string('zone_rules', 32)
    }),
    'INSERT INTO instance (id) VALUES (1)',

    db.schema.createTable('faults', (t) => {
      t.text('node').notNullable()
      t.text('kind').notNullable()
      t.text('about').notNullable()
      t.text('sentence').notNullable()
      t.bigInteger('since').notNullable()
      t.bigInteger('seen_at').notNullable()
      t.primary(['node', 'kind', 'about'])
    }),

    db.schema.createTable('nodes', (t) => {
      // The part before the first `/` of the owners of claimed pages.
      t.text('id').primary()
      t.text('host').notNullable()
      t.integer('pid').notNullable()
      t.text('version').notNullable()
      // The newest schema step that it knows.
      t.text('schema_step').notNullable()
      // A short digest of the check value of its master key.
      t.text('key_print').notNullable()
      // What it does: http, workers, or both with a comma.
      t.text('roles').notNullable()
      // All times (ms) are of the clock of the database.
      t.bigInteger('started_at').notNullable()
      t.bigInteger('seen_at').notNullable()
      // How far its own clock was ahead at its last sign of life (ms).
      t.bigInteger('clock_ahead').notNullable()
      // When it stopped as asked; null for one that runs or was killed.
      t.bigInteger('stopped_at')
    }),
  ])

export const down = (db: Knex) => dropTables(db, tables)
