import type { Knex } from 'knex'

/**
 * What devices report about an install and no column held: which build of the app it is, whether the device is a
 * simulator, and whether iOS lets the app interrupt a Focus. Null where the device never said. Earlier installs say so
 * at the next start of their app; browsers, which report once, stay null.
 */
const COLUMNS = { build_kind: 'varchar(8)', simulator: 'boolean', time_sensitive: 'boolean' }

export async function up(db: Knex): Promise<void> {
  for (const [name, type] of Object.entries(COLUMNS)) await db.raw(`ALTER TABLE installs ADD COLUMN ${name} ${type}`)
}

export async function down(db: Knex): Promise<void> {
  // Not through Knex: on SQLite it copies the table and drops the old one, and everything that refers to it goes along.
  for (const name of Object.keys(COLUMNS)) await db.raw(`ALTER TABLE installs DROP COLUMN ${name}`)
}
