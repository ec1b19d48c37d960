import type { Knex } from 'knex'

export async function up(db: Knex): Promise<void> {
  await keysByCaller(db)
  // Whether a channel that a device names is public; else only its subscribers see it.
  await db.schema.alterTable('apps', (t) => {
    t.boolean('device_channels_public').notNullable().defaultTo(false)
  })
  // Of the channels that are there nobody knows who made them: they stay what they are.
  await db.schema.alterTable('channels', (t) => {
    t.boolean('made_by_device').notNullable().defaultTo(false)
  })
  // A device can make many channels: the list for everybody does not pass them.
  await db.raw('CREATE INDEX channels_shown ON channels (app_id, id) WHERE name IS NOT NULL AND NOT made_by_device')
}

/**
 * Keys of servers, of REST keys and of devices are apart. Whose the present ones are is not known: their caller is empty. The caller
 * comes last in the key, so that one look finds the caller's row and one from before.
 */
async function keysByCaller(db: Knex): Promise<void> {
  if (db.client.driverName === 'pg') {
    await db.raw("ALTER TABLE idempotency_keys ADD COLUMN caller varchar(80) NOT NULL DEFAULT ''")
    await db.raw('ALTER TABLE idempotency_keys ALTER COLUMN caller DROP DEFAULT')
    await db.raw('ALTER TABLE idempotency_keys DROP CONSTRAINT idempotency_keys_pkey')
    await db.raw('ALTER TABLE idempotency_keys ADD PRIMARY KEY (app_id, key, caller)')
    return
  }
  await rebuild(db, 'caller')
}

export async function down(db: Knex): Promise<void> {
  await db.raw('DROP INDEX channels_shown')
  // Not through Knex: on SQLite it copies the table and drops the old one, and everything that refers to it goes along.
  await db.raw('ALTER TABLE channels DROP COLUMN made_by_device')
  await db.raw('ALTER TABLE apps DROP COLUMN device_channels_public')
  // One row a key: the server's before one of a REST key, before one whose caller is not known. Those of devices go.
  await db('idempotency_keys').whereLike('caller', 'device%').delete()
  await db.raw(
    `DELETE FROM idempotency_keys WHERE EXISTS (SELECT 1 FROM idempotency_keys AS other
       WHERE other.app_id = idempotency_keys.app_id AND other.key = idempotency_keys.key
         AND other.caller > idempotency_keys.caller)`,
  )
  if (db.client.driverName === 'pg') {
    await db.raw('ALTER TABLE idempotency_keys DROP COLUMN caller')
    await db.raw('ALTER TABLE idempotency_keys ADD PRIMARY KEY (app_id, key)')
    return
  }
  await rebuild(db)
}

/** SQLite cannot change a primary key: the table is made again, with the column or without it. Nothing refers to it. */
async function rebuild(db: Knex, caller?: 'caller'): Promise<void> {
  const columns = ['app_id', 'key', 'fingerprint', 'status', 'headers', 'body', 'created_at'].join(', ')
  await db.raw('DROP INDEX idempotency_keys_created_at_index')
  await db.raw('ALTER TABLE idempotency_keys RENAME TO idempotency_keys_before')
  await db.schema.createTable('idempotency_keys', (t) => {
    t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
    t.string('key').notNullable()
    if (caller) t.string(caller, 80).notNullable()
    t.string('fingerprint', 64).notNullable()
    t.integer('status')
    t.text('headers')
    t.text('body')
    t.bigInteger('created_at').notNullable()
    t.primary(['app_id', 'key', ...(caller ? [caller] : [])])
    t.index(['created_at'])
  })
  await db.raw(
    caller
      ? `INSERT INTO idempotency_keys (${columns}, caller) SELECT ${columns}, '' FROM idempotency_keys_before`
      : `INSERT INTO idempotency_keys (${columns}) SELECT ${columns} FROM idempotency_keys_before`,
  )
  await db.schema.dropTable('idempotency_keys_before')
}
