import type { Knex } from 'knex'

export async function up(db: Knex): Promise<void> {
  // Keys that are made beside an app's own three: REST keys as before, and server keys that may do a part of what the app's may.
  // One table, so that an id names one key. A new one, because its rows are few and a renamed one keeps the names of its indexes.
  await db.schema.createTable('issued_keys', (t) => {
    keyColumns(t)
    // rest or server.
    t.string('kind', 8).notNullable()
  })
  await move(db, 'rest_keys', 'issued_keys', `'rest', `)
  await db.schema.alterTable('apps', (t) => {
    // A send to more recipients than this must say that it means it; null = none must.
    t.integer('confirm_above')
  })
}

export async function down(db: Knex): Promise<void> {
  await db.schema.createTable('rest_keys', keyColumns)
  // They would become keys of the data area.
  await db('issued_keys').where({ kind: 'server' }).delete()
  await move(db, 'issued_keys', 'rest_keys', '')
  // Not through Knex: on SQLite it copies the table and drops the old one, and everything that refers to it goes along.
  await db.raw('ALTER TABLE apps DROP COLUMN confirm_above')
}

function keyColumns(t: Knex.CreateTableBuilder): void {
  t.bigIncrements('id')
  t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
  t.string('name').notNullable()
  t.string('digest', 64).notNullable().unique()
  t.string('hint', 16).notNullable()
  // Comma-separated: create, read, update, delete of REST keys; send, read, crm, admin of server keys.
  t.string('permissions', 40).notNullable()
  t.bigInteger('created_at').notNullable()
  t.bigInteger('last_used_at')
  t.bigInteger('revoked_at')
  t.index(['app_id'])
}

/** All rows with their ids, and the next id behind them. `kind` is what stands before the other columns. */
async function move(db: Knex, from: string, to: string, kind: string): Promise<void> {
  const columns = 'id, app_id, name, digest, hint, permissions, created_at, last_used_at, revoked_at'
  await db.raw(`INSERT INTO ${to} (${kind && 'kind, '}${columns}) SELECT ${kind}${columns} FROM ${from}`)
  const isPostgres = db.client.driverName === 'pg'
  if (isPostgres)
    await db.raw(`SELECT setval(pg_get_serial_sequence('${to}', 'id'), COALESCE(MAX(id), 0) + 1, false) FROM ${to}`)
  await db.schema.dropTable(from)
}
