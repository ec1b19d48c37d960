import type { Knex } from 'knex'

/** Metrics: which events are counted, and what was counted for each user and day. */
export async function up(db: Knex): Promise<void> {
  await db.schema.createTable('metrics', (t) => {
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
  })

  // A metric of a million rows goes at once, and these after it in slices: no key.
  await db.schema.createTable('metric_days', (t) => {
    t.bigInteger('user_id').notNullable().references('users.id').onDelete('CASCADE')
    t.bigInteger('metric_id').notNullable()
    // UTC, as the number 20261123.
    t.integer('day').notNullable()
    t.bigInteger('app_id').notNullable()
    t.bigInteger('count').notNullable()
    t.bigInteger('sum_millionths').notNullable()
    t.primary(['user_id', 'metric_id', 'day'])
    t.index(['metric_id', 'day'])
  })
  // Metrics that are gone and whose days are not. Of an app that is gone, too: it refers to nothing.
  await db.schema.createTable('deleted_metrics', (t) => {
    t.bigInteger('metric_id').primary()
    t.bigInteger('app_id').notNullable()
  })
}

export async function down(db: Knex): Promise<void> {
  for (const table of ['deleted_metrics', 'metric_days', 'metrics']) await db.schema.dropTable(table)
  await db('followers').where('name', 'like', 'metrics:%').delete()
}
