import type { Knex } from 'knex'

export async function up(db: Knex): Promise<void> {
  await db.schema.createTable('users', (t) => {
    t.bigIncrements('id')
    t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
    t.string('identifier').notNullable()
    // Made by us for an install that has no user yet, not by the app or a server.
    t.boolean('anonymous').notNullable()
    // What the contract's user list shows: known users, and anonymous ones that are the current user of an install.
    t.boolean('listed').notNullable()
    t.integer('install_count').notNullable().defaultTo(0)
    t.text('attributes').notNullable().defaultTo('{}')
    t.boolean('in_app_enabled').notNullable().defaultTo(false)
    // Event time of the consent in force: a late upload does not undo a newer one.
    t.bigInteger('in_app_at').notNullable().defaultTo(0)
    t.bigInteger('first_active').notNullable()
    t.bigInteger('last_active').notNullable()
    t.bigInteger('created_at').notNullable()
    t.bigInteger('updated_at').notNullable()
    t.unique(['app_id', 'identifier'])
  })
  await db.raw('CREATE INDEX users_listed ON users (app_id, id) WHERE listed')

  // How many listed users each block of ids holds: page n of the list is found by summing blocks, never by OFFSET over users.
  await db.schema.createTable('user_blocks', (t) => {
    t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
    t.bigInteger('block').notNullable()
    t.integer('listed').notNullable()
    t.primary(['app_id', 'block'])
  })

  await db.schema.createTable('installs', (t) => {
    t.bigIncrements('id')
    t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
    t.string('install_id').notNullable()
    t.bigInteger('user_id').notNullable().references('users.id')
    // Event time of the association in force: a late upload does not undo a newer one.
    t.bigInteger('user_since').notNullable().defaultTo(0)
    t.integer('platform')
    t.text('token')
    t.text('token_keys')
    t.string('token_topic')
    t.string('token_environment', 16)
    // Event time of the registration or removal in force.
    t.bigInteger('token_at')
    t.integer('token_refusals').notNullable().defaultTo(0)
    t.boolean('notifications_enabled').notNullable().defaultTo(true)
    t.bigInteger('notifications_at').notNullable().defaultTo(0)
    // token present and notifications enabled: what sends look at.
    t.boolean('subscribed').notNullable().defaultTo(false)
    t.string('os')
    t.string('os_version')
    t.string('sdk_type')
    t.string('sdk_version')
    t.string('app_version')
    t.string('country_iso_code', 8)
    t.string('timezone')
    t.string('locale')
    t.text('device_model')
    t.text('device_name')
    t.bigInteger('details_at').notNullable().defaultTo(0)
    t.bigInteger('last_active').notNullable()
    t.bigInteger('created_at').notNullable()
    t.bigInteger('updated_at').notNullable()
    t.unique(['app_id', 'install_id'])
    t.index(['app_id', 'user_id'])
    t.index(['user_id'])
  })
  await db.raw('CREATE INDEX installs_subscribed ON installs (app_id, platform, id) WHERE subscribed')
  await db.raw('CREATE INDEX installs_token ON installs (app_id, token) WHERE token IS NOT NULL')

  // Tokens that a gateway refused for good, kept so that a wrong retirement can be undone.
  await db.schema.createTable('retired_tokens', (t) => {
    t.bigIncrements('id')
    t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
    t.bigInteger('install_row').notNullable().references('installs.id').onDelete('CASCADE')
    t.integer('platform').notNullable()
    t.text('token').notNullable()
    t.text('token_keys')
    t.string('token_topic')
    t.string('token_environment', 16)
    t.bigInteger('token_at')
    t.string('app_version')
    t.string('reason').notNullable()
    t.bigInteger('retired_at').notNullable()
    // The install first, so that deleting an app finds them install by install.
    t.index(['install_row'])
  })
}

export async function down(db: Knex): Promise<void> {
  for (const table of ['retired_tokens', 'installs', 'user_blocks', 'users']) await db.schema.dropTable(table)
}
