import type { Knex } from 'knex'

const KEY = 'FOREIGN KEY (app_id, channel_id) REFERENCES channels (app_id, id) ON DELETE CASCADE'

/** What refers to channels: PostgreSQL's name of the key, and how SQLite has it in the text of the table. */
const REFERRING = {
  channel_installs: { name: 'channel_installs_app_id_channel_id_fkey', text: `,\n    ${KEY}` },
  channel_users: { name: 'channel_users_app_id_channel_id_fkey', text: `,\n    ${KEY}` },
  channel_imports: {
    name: 'channel_imports_app_id_channel_id_foreign',
    text: ', foreign key(`app_id`, `channel_id`) references `channels`(`app_id`, `id`) on delete CASCADE',
  },
} as const
type Referring = keyof typeof REFERRING
const TABLES = Object.keys(REFERRING) as Referring[]

/**
 * A channel of a million subscribers goes at once, and its rows after it in slices, so that nobody waits. Nothing may refer to
 * the channel then. It also spares PostgreSQL to look the same channel up for every row of an import, a third of its time.
 */
export async function up(db: Knex): Promise<void> {
  for (const table of TABLES) {
    const { name, text } = REFERRING[table]
    if (isPostgres(db)) await db.raw('ALTER TABLE ?? DROP CONSTRAINT ??', [table, name])
    else await rebuild(db, table, (create) => create.replace(text, ''))
  }
  // Channels that are gone and whose rows are not. Of an app that is gone, too: it refers to nothing.
  await db.schema.createTable('deleted_channels', (t) => {
    t.bigInteger('channel_id').primary()
    t.bigInteger('app_id').notNullable()
  })
  await db.raw(
    "CREATE INDEX channel_imports_finished ON channel_imports (updated_at) WHERE state IN ('done', 'failed')",
  )
}

export async function down(db: Knex): Promise<void> {
  await db.raw('DROP INDEX channel_imports_finished')
  for (const table of TABLES) {
    const { name, text } = REFERRING[table]
    await db.raw('DELETE FROM ?? WHERE channel_id IN (SELECT channel_id FROM deleted_channels)', [table])
    if (isPostgres(db)) await db.raw(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${KEY}`)
    else await rebuild(db, table, (create) => create.replace(/(\s*\)( WITHOUT ROWID)?\s*)$/, `${text}$1`))
  }
  await db.schema.dropTable('deleted_channels')
}

const isPostgres = (db: Knex) => db.client.driverName === 'pg'

/** SQLite changes no keys of a table that it has: it is made anew, and its rows go out and in again. */
async function rebuild(db: Knex, table: Referring, change: (create: string) => string): Promise<void> {
  const parts: { type: string; sql: string }[] = await db('sqlite_schema')
    .where({ tbl_name: table })
    .whereNotNull('sql')
    .select('type', 'sql')
  // When a table is dropped, rows that refer to its rows go, too.
  const kept = table === 'channel_imports' ? [table, 'channel_import_unknowns'] : [table]
  for (const one of kept) await db.raw(`CREATE TEMPORARY TABLE kept_${one} AS SELECT * FROM ${one}`)
  await db.raw(`DROP TABLE ${table}`)
  await db.raw(change(parts.find(({ type }) => type === 'table')!.sql))
  for (const one of kept) {
    await db.raw(`INSERT INTO ${one} SELECT * FROM kept_${one}`)
    await db.raw(`DROP TABLE kept_${one}`)
  }
  for (const { type, sql } of parts) if (type === 'index') await db.raw(sql)
}
