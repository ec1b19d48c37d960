import type { Knex } from 'knex'
import { isPostgres, lockTables, run } from './dialect.ts'

/** Earlier programs name neither the keys nor the indexes. */
export const compatible = true

/** A key that goes or comes locks the table that it names, too. */
const LOCK = lockTables('apps', 'lanes', 'pages')

/**
 * PostgreSQL checks each foreign key of each page with a statement of its own, which locks the row that it finds. A page goes with its
 * notification, which goes with the app; a lane goes only with the app. Without these keys nobody looks for the pages of a lane, and those of a
 * notification are found by (notification_id, state). SQLite checks keys in passing, and would have to make the table anew.
 */
export async function up(db: Knex): Promise<void> {
  if (!isPostgres(db)) return
  await run(db, [
    LOCK,
    'ALTER TABLE pages DROP CONSTRAINT pages_app_id_foreign, DROP CONSTRAINT pages_lane_id_foreign',
    'DROP INDEX pages_by_app, pages_by_lane',
  ])
}

export async function down(db: Knex): Promise<void> {
  if (!isPostgres(db)) return
  await run(db, [
    LOCK,
    'CREATE INDEX pages_by_lane ON pages (lane_id)',
    'CREATE INDEX pages_by_app ON pages (app_id, notification_id)',
    `ALTER TABLE pages
      ADD CONSTRAINT pages_app_id_foreign FOREIGN KEY (app_id) REFERENCES apps (id) ON DELETE CASCADE,
      ADD CONSTRAINT pages_lane_id_foreign FOREIGN KEY (lane_id) REFERENCES lanes (id)`,
  ])
}
