import type { Knex } from 'knex'

/** What composing a push in the console needs: devices for tests, and pushes that wait for a second person. */
export async function up(db: Knex): Promise<void> {
  await db.schema.alterTable('apps', (t) => {
    // Whether a push that a person composed waits until another one approves it.
    t.boolean('second_person').notNullable().defaultTo(false)
  })

  await db.schema.createTable('test_devices', (t) => {
    t.bigIncrements('id')
    t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
    t.string('name', 100).notNullable()
    t.bigInteger('install_row').notNullable().references('installs.id').onDelete('CASCADE')
    t.bigInteger('created_at').notNullable()
    t.unique(['app_id', 'install_row'])
    t.index(['install_row'])
  })

  await db.schema.createTable('push_approvals', (t) => {
    t.bigIncrements('id')
    t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
    t.string('state', 16).notNullable()
    // JSON: the body of the send. Null once it was decided.
    t.text('request')
    t.string('title', 255).notNullable()
    // Names are kept, because people may be removed.
    t.bigInteger('requested_by').notNullable()
    t.string('requested_name', 100).notNullable()
    t.bigInteger('requested_at').notNullable()
    t.string('decided_name', 100)
    t.bigInteger('decided_at')
    t.bigInteger('notification_id')
    t.index(['app_id', 'id'])
    t.index(['requested_at'])
  })
}

export async function down(db: Knex): Promise<void> {
  await db.schema.dropTable('push_approvals')
  await db.schema.dropTable('test_devices')
  // Knex would make the table anew on SQLite, and its triggers and references with it.
  await db.raw('ALTER TABLE apps DROP COLUMN second_person')
}
