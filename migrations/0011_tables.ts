import type { Knex } from 'knex'

export async function up(db: Knex): Promise<void> {
  await db.schema.createTable('data_tables', (t) => {
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
  })
  // SQLite does not tell table names apart by case.
  await db.raw('CREATE UNIQUE INDEX data_tables_app_name ON data_tables (app_id, lower(name))')

  // How many records have an id in each block, and how often something changed there. The sum of the stripes counts: each
  // connection has one of its own, so that writers need not wait for each other.
  await db.schema.createTable('data_blocks', (t) => {
    t.bigInteger('table_id').notNullable().references('data_tables.id').onDelete('CASCADE')
    t.bigInteger('block').notNullable()
    t.integer('stripe').notNullable()
    t.bigInteger('row_count').notNullable()
    t.bigInteger('changes').notNullable()
    t.primary(['table_id', 'block', 'stripe'])
  })

  await db.schema.createTable('rest_keys', (t) => {
    t.bigIncrements('id')
    t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
    t.string('name').notNullable()
    t.string('digest', 64).notNullable().unique()
    t.string('hint', 16).notNullable()
    // Comma-separated: create, read, update, delete.
    t.string('permissions', 40).notNullable()
    t.bigInteger('created_at').notNullable()
    t.bigInteger('last_used_at')
    t.bigInteger('revoked_at')
    t.index(['app_id'])
  })
}

export async function down(db: Knex): Promise<void> {
  const isPostgres = db.client.driverName === 'pg'
  const tables: { alias: string }[] = await db('data_tables').select('alias')
  // They may refer to each other in a circle.
  if (!isPostgres) await db.raw('PRAGMA defer_foreign_keys = ON')
  for (const { alias } of tables) await db.raw(`DROP TABLE ??${isPostgres ? ' CASCADE' : ''}`, [`data_${alias}`])
  for (const table of ['rest_keys', 'data_blocks', 'data_tables']) await db.schema.dropTable(table)
}
