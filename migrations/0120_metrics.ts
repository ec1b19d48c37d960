import type { Knex } from 'knex'
import { dropTables, run } from './dialect.ts'

export const tables = {
  metrics: 'Which events are counted for each user.',
  metric_days:
    'What was counted for a user on a day. A metric of a million rows goes at once, and these after it in slices: no foreign key.',
  deleted_metrics: 'Metrics that are gone and whose days are not. Also of an app that is gone: no foreign key.',
}

export const up = (db: Knex) =>
  run(db, [
    db.schema.createTable('metrics', (t) => {
      t.bigIncrements('id')
      t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
      t.string('name', 64).notNullable()
      t.string('event').notNullable()
      // JSON: which events of the type; null for all of them.
      t.text('filter')
      // What is summed; null when events are counted.
      t.text('value_path')
      // It counts what comes behind this place of the log.
      t.string('from_cursor', 22).notNullable()
      t.bigInteger('created_at').notNullable()
      t.unique(['app_id', 'name'])
    }),

    db.schema.createTable('metric_days', (t) => {
      t.bigInteger('user_id').notNullable().references('users.id').onDelete('CASCADE')
      t.bigInteger('metric_id').notNullable()
      // UTC, as the number 20261123.
      t.integer('day').notNullable()
      t.bigInteger('app_id').notNullable()
      t.bigInteger('count').notNullable()
      t.bigInteger('sum_millionths').notNullable()
      t.primary(['user_id', 'metric_id', 'day'])
      t.index(['metric_id', 'day'])
    }),

    db.schema.createTable('deleted_metrics', (t) => {
      t.bigInteger('metric_id').primary()
      t.bigInteger('app_id').notNullable()
    }),
  ])

export const down = (db: Knex) => dropTables(db, tables)
