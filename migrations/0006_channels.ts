import type { Knex } from 'knex'

export async function up(db: Knex): Promise<void> {
  await db.schema.createTable('channels', (t) => {
    t.bigIncrements('id')
    t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
    t.string('uuid').notNullable()
    // Without a name a channel is private: only its subscribers see it.
    t.string('name')
    t.boolean('show_in_portal').notNullable()
    t.text('meta')
    t.bigInteger('created_at').notNullable()
    t.bigInteger('updated_at').notNullable()
    t.unique(['app_id', 'uuid'])
    // What the lists below refer to: a channel of one app can never hold subscribers under another.
    t.unique(['app_id', 'id'])
  })
  await db.raw('CREATE INDEX channels_public ON channels (app_id, id) WHERE name IS NOT NULL')

  // Millions of rows: the primary key serves the walk over a channel and the question of a send whether one install or user is
  // in it, the second index the channels of one device. SQLite keeps the rows in the key itself. No foreign keys to installs and
  // users: those go only together with their app, and PostgreSQL checks a key row by row, a quarter of the time of an import.
  const clustered = db.client.driverName === 'pg' ? '' : 'WITHOUT ROWID'
  // An install's own word: subscribed, or explicitly not, which wins over what its user is subscribed to.
  await db.raw(`CREATE TABLE channel_installs (
    app_id bigint NOT NULL,
    channel_id bigint NOT NULL,
    install_row bigint NOT NULL,
    subscribed boolean NOT NULL,
    PRIMARY KEY (app_id, channel_id, install_row),
    FOREIGN KEY (app_id, channel_id) REFERENCES channels (app_id, id) ON DELETE CASCADE
  ) ${clustered}`)
  await db.raw('CREATE INDEX channel_installs_by_install ON channel_installs (install_row)')
  await db.raw(`CREATE TABLE channel_users (
    app_id bigint NOT NULL,
    channel_id bigint NOT NULL,
    user_id bigint NOT NULL,
    PRIMARY KEY (app_id, channel_id, user_id),
    FOREIGN KEY (app_id, channel_id) REFERENCES channels (app_id, id) ON DELETE CASCADE
  ) ${clustered}`)
  await db.raw('CREATE INDEX channel_users_by_user ON channel_users (user_id)')

  // A file of subscribers on its way in. Place and counts move on together with the rows of each batch.
  await db.schema.createTable('channel_imports', (t) => {
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
    t.foreign(['app_id', 'channel_id']).references(['app_id', 'id']).inTable('channels').onDelete('CASCADE')
    t.index(['app_id', 'channel_id', 'id'])
  })
  await db.raw("CREATE INDEX channel_imports_open ON channel_imports (id) WHERE state IN ('queued', 'running')")

  // The first lines of a file that named nobody.
  await db.schema.createTable('channel_import_unknowns', (t) => {
    t.bigInteger('import_id').notNullable().references('channel_imports.id').onDelete('CASCADE')
    t.integer('line').notNullable()
    t.string('identifier').notNullable()
    t.primary(['import_id', 'line'])
  })
}

export async function down(db: Knex): Promise<void> {
  const tables = ['channel_import_unknowns', 'channel_imports', 'channel_users', 'channel_installs', 'channels']
  for (const table of tables) await db.schema.dropTable(table)
}
