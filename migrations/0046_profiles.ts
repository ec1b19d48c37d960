import type { Knex } from 'knex'

/** What the console looks for: users whose identifier begins with something, and check-ins that are open. */
export async function up(db: Knex): Promise<void> {
  if (db.client.driverName === 'pg') {
    // By bytes: only then the identifiers with one beginning are one range. SQLite compares bytes anyway.
    await db.raw('CREATE INDEX users_by_name ON users (app_id, identifier COLLATE "C") WHERE listed')
  }
  await db.raw('CREATE INDEX checkins_open ON checkins (app_id, id) WHERE checked_out_at IS NULL')
}

export async function down(db: Knex): Promise<void> {
  await db.raw('DROP INDEX checkins_open')
  if (db.client.driverName === 'pg') await db.raw('DROP INDEX users_by_name')
}
