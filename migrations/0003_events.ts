import type { Knex } from 'knex'

export async function up(db: Knex): Promise<void> {
  await db.schema.createTable('events', (t) => {
    t.bigIncrements('id')
    t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
    // The install's row; absent for events that no device made. No foreign key: installs go only together with their app, and
    // a key would make the database look for the events of each of them when an app is deleted.
    t.bigInteger('install_row')
    t.string('uuid').notNullable()
    t.string('type').notNullable()
    t.string('user_identifier')
    t.text('data')
    t.bigInteger('happened_at').notNullable()
    t.bigInteger('received_at').notNullable()
    // The de-duplication key of the device protocol: an upload whose answer got lost comes again.
    t.unique(['app_id', 'install_row', 'uuid'])
    t.index(['app_id', 'id'])
    t.index(['received_at'])
  })
}

export async function down(db: Knex): Promise<void> {
  await db.schema.dropTable('events')
}
