import type { Knex } from 'knex'
import { dropTables, isPostgres, run } from './dialect.ts'

/** Earlier programs neither read nor write what is new: what they send has no labels. */
export const compatible = true

export const tables = {
  send_labels: 'Which pushes and in-app messages carry which label. The key lists them, newest first.',
}

export const up = (db: Knex) =>
  run(db, [
    `CREATE TABLE send_labels (
    app_id bigint NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    label text ${isPostgres(db) ? 'COLLATE "C" ' : ''}NOT NULL,
    -- push, or in-app.
    kind varchar(8) NOT NULL,
    created_at bigint NOT NULL,
    -- The notification or the in-app message.
    send_id bigint NOT NULL,
    PRIMARY KEY (app_id, label, kind, created_at, send_id)
  )`,
    // Its labels (JSON); null = none.
    'ALTER TABLE notifications ADD COLUMN labels text',
    'ALTER TABLE in_app_messages ADD COLUMN labels text',
  ])

export async function down(db: Knex): Promise<void> {
  // Knex would make the tables anew on SQLite, and not quite the same.
  await run(db, ['ALTER TABLE in_app_messages DROP COLUMN labels', 'ALTER TABLE notifications DROP COLUMN labels'])
  await dropTables(db, tables)
}
