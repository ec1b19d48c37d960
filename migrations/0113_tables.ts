import type { Knex } from 'knex'
import { dropTables, isPostgres, run } from './dialect.ts'

export const tables = {
  data_tables: 'The data tables of an app. Each has a table of its own beside this row: data_ and its alias.',
  data_blocks:
    'How many records have an id in each block, and how often something changed there. The sum of the stripes counts: each connection has one of its own, so that writers need not wait for each other.',
}

export const up = (db: Knex) =>
  run(db, [
    db.schema.createTable('data_tables', (t) => {
      t.bigIncrements('id')
      // No cascade: the tables themselves must go first.
      t.bigInteger('app_id').notNullable().references('apps.id')
      t.string('name', 40).notNullable()
      t.string('alias', 64).notNullable().unique()
      // The columns as JSON, and the number that the next one gets.
      t.text('columns').notNullable()
      t.integer('next_column').notNullable()
      t.bigInteger('created_at').notNullable()
      t.bigInteger('updated_at').notNullable()
    }),
    // SQLite does not tell table names apart by case.
    'CREATE UNIQUE INDEX data_tables_app_name ON data_tables (app_id, lower(name))',

    db.schema.createTable('data_blocks', (t) => {
      t.bigInteger('table_id').notNullable().references('data_tables.id').onDelete('CASCADE')
      t.bigInteger('block').notNullable()
      t.integer('stripe').notNullable()
      t.bigInteger('row_count').notNullable()
      t.bigInteger('changes').notNullable()
      t.primary(['table_id', 'block', 'stripe'])
    }),
  ])

export async function down(db: Knex): Promise<void> {
  const tablesOfApps: { alias: string }[] = await db('data_tables').select('alias')
  // They may refer to each other in a circle.
  if (!isPostgres(db)) await db.raw('PRAGMA defer_foreign_keys = ON')
  for (const { alias } of tablesOfApps)
    await db.raw(`DROP TABLE ??${isPostgres(db) ? ' CASCADE' : ''}`, [`data_${alias}`])
  await dropTables(db, tables)
}
