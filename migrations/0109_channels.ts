import type { Knex } from 'knex'
import { clustered, dropTables, run } from './dialect.ts'

export const tables = {
  channels: 'Channels, public and private.',
  channel_installs:
    'The word of an install itself: subscribed, or explicitly not, which wins over what its user is subscribed to.',
  channel_users: 'Users who are subscribed to a channel, with all their installs.',
  channel_imports:
    'A file of subscribers on its way in. Place and counts move on together with the rows of each batch.',
  channel_import_unknowns: 'The first lines of a file that named nobody.',
  deleted_channels: 'Channels that are gone and whose rows are not. Also of an app that is gone: no foreign key.',
}

export const up = (db: Knex) =>
  run(db, [
    db.schema.createTable('channels', (t) => {
      t.bigIncrements('id')
      t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
      t.string('uuid').notNullable()
      // Without a name a channel is private: only its subscribers see it.
      t.string('name')
      t.boolean('show_in_portal').notNullable()
      t.text('meta')
      t.bigInteger('created_at').notNullable()
      t.bigInteger('updated_at').notNullable()
      // Then it is private, whatever its name, unless the app says otherwise.
      t.boolean('made_by_device').notNullable().defaultTo(false)
      t.unique(['app_id', 'uuid'])
      t.unique(['app_id', 'id'])
    }),
    'CREATE INDEX channels_public ON channels (app_id, id) WHERE name IS NOT NULL',
    // A device can make many channels: the list for everybody does not pass them.
    'CREATE INDEX channels_shown ON channels (app_id, id) WHERE name IS NOT NULL AND NOT made_by_device',

    // Millions of rows: the primary key serves the walk over a channel and the question of a send whether one install or user is
    // in it, the second index the channels of one device. No foreign keys: installs and users go only together with their app, a
    // channel goes at once and its rows after it in slices, and PostgreSQL checks a key row by row, a quarter of the time of an import.
    `CREATE TABLE channel_installs (
    app_id bigint NOT NULL,
    channel_id bigint NOT NULL,
    install_row bigint NOT NULL,
    subscribed boolean NOT NULL,
    PRIMARY KEY (app_id, channel_id, install_row)
  ) ${clustered(db)}`,
    'CREATE INDEX channel_installs_by_install ON channel_installs (install_row)',

    `CREATE TABLE channel_users (
    app_id bigint NOT NULL,
    channel_id bigint NOT NULL,
    user_id bigint NOT NULL,
    PRIMARY KEY (app_id, channel_id, user_id)
  ) ${clustered(db)}`,
    'CREATE INDEX channel_users_by_user ON channel_users (user_id)',

    db.schema.createTable('channel_imports', (t) => {
      t.bigIncrements('id')
      t.string('uuid', 36).notNullable().unique()
      t.bigInteger('app_id').notNullable()
      t.bigInteger('channel_id').notNullable()
      t.string('state', 16).notNullable()
      t.bigInteger('size').notNullable()
      t.bigInteger('place').notNullable().defaultTo(0)
      t.integer('line').notNullable().defaultTo(1)
      t.integer('total').notNullable()
      t.integer('applied').notNullable().defaultTo(0)
      t.integer('unknown').notNullable().defaultTo(0)
      t.text('error')
      t.bigInteger('created_at').notNullable()
      t.bigInteger('updated_at').notNullable()
      t.index(['app_id', 'channel_id', 'id'])
    }),
    "CREATE INDEX channel_imports_open ON channel_imports (id) WHERE state IN ('queued', 'running')",
    "CREATE INDEX channel_imports_finished ON channel_imports (updated_at) WHERE state IN ('done', 'failed')",

    db.schema.createTable('channel_import_unknowns', (t) => {
      t.bigInteger('import_id').notNullable().references('channel_imports.id').onDelete('CASCADE')
      t.integer('line').notNullable()
      t.string('identifier').notNullable()
      t.primary(['import_id', 'line'])
    }),
    'CREATE INDEX channel_import_unknowns_by_name ON channel_import_unknowns (identifier, import_id, line)',

    db.schema.createTable('deleted_channels', (t) => {
      t.bigInteger('channel_id').primary()
      t.bigInteger('app_id').notNullable()
    }),
  ])

export const down = (db: Knex) => dropTables(db, tables)
