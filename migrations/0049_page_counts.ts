import type { Knex } from 'knex'

const COUNTS = 'total, moved, accepted, failed, expired, cancelled, skipped, unknown, reasons'

/**
 * What the pages of a notification add up to is read from an index on SQLite: there a page's row fills a page of the file with its
 * recipients and outcomes. PostgreSQL keeps those apart, and would have to write every index of a page at each change of its counts.
 */
export async function up(db: Knex): Promise<void> {
  if (db.client.driverName === 'pg') return
  await db.raw('DROP INDEX pages_by_app')
  await db.raw(`CREATE INDEX pages_by_app ON pages (app_id, notification_id, lane_id, ${COUNTS})`)
}

export async function down(db: Knex): Promise<void> {
  if (db.client.driverName === 'pg') return
  await db.raw('DROP INDEX pages_by_app')
  await db.raw('CREATE INDEX pages_by_app ON pages (app_id, notification_id)')
}
