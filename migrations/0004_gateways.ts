import type { Knex } from 'knex'

export async function up(db: Knex): Promise<void> {
  await db.schema.createTable('gateway_configs', (t) => {
    t.bigIncrements('id')
    t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
    t.integer('platform').notNullable()
    t.text('sealed').notNullable()
    t.text('facts').notNullable()
    t.boolean('sendable').notNullable()
    // Grows with every change, so that threads notice a new credential.
    t.integer('version').notNullable()
    t.bigInteger('created_at').notNullable()
    t.bigInteger('updated_at').notNullable()
    t.unique(['app_id', 'platform'])
  })

  // One lane per (app, gateway, credential): what must slow down or stop together.
  await db.schema.createTable('lanes', (t) => {
    t.bigIncrements('id')
    t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
    t.integer('platform').notNullable()
    // Nothing is claimed before this time (ms); 0 is an open lane.
    t.bigInteger('held_until').notNullable().defaultTo(0)
    t.string('hold_kind', 32)
    t.text('hold_reason')
    t.integer('holds').notNullable().defaultTo(0)
    t.bigInteger('updated_at').notNullable()
    t.unique(['app_id', 'platform'])
  })
}

export async function down(db: Knex): Promise<void> {
  for (const table of ['lanes', 'gateway_configs']) await db.schema.dropTable(table)
}
