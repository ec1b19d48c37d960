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
    // The first due time of its schedule (ms); null = it was due at once.
    'ALTER TABLE notifications ADD COLUMN due_at bigint',
    // When it began to be sent (ms); null = not yet, or at once, before this step.
    'ALTER TABLE notifications ADD COLUMN sent_at bigint',
    'ALTER TABLE in_app_messages ADD COLUMN sent_at bigint',
    `UPDATE notifications SET due_at = (SELECT MIN(due_at) FROM runs WHERE notification_id = notifications.id)
     WHERE status < 3 AND schedule IS NOT NULL`,
    `UPDATE notifications SET sent_at = (SELECT MIN(begun_at) FROM runs WHERE notification_id = notifications.id)
     WHERE status IN (2, 3) AND schedule IS NOT NULL`,
    // Lists by time.
    'CREATE INDEX notifications_by_due ON notifications (app_id, due_at, id) WHERE due_at IS NOT NULL AND status < 3',
    'CREATE INDEX notifications_by_sent ON notifications (app_id, COALESCE(sent_at, created_at), id) WHERE status IN (2, 3)',
    'CREATE INDEX in_app_messages_by_due ON in_app_messages (app_id, next_at, id) WHERE next_at IS NOT NULL',
    'CREATE INDEX in_app_messages_by_sent ON in_app_messages (app_id, COALESCE(sent_at, created_at), id) WHERE status IN (2, 3)',
    'CREATE INDEX series_by_due ON series (app_id, due_at, id) WHERE due_at IS NOT NULL',
  ])

export async function down(db: Knex): Promise<void> {
  // Knex would make the tables anew on SQLite, and not quite the same.
  await run(db, [
    'DROP INDEX series_by_due',
    'DROP INDEX in_app_messages_by_sent',
    'DROP INDEX in_app_messages_by_due',
    'DROP INDEX notifications_by_sent',
    'DROP INDEX notifications_by_due',
    'ALTER TABLE in_app_messages DROP COLUMN sent_at',
    'ALTER TABLE notifications DROP COLUMN sent_at',
    'ALTER TABLE notifications DROP COLUMN due_at',
    'ALTER TABLE in_app_messages DROP COLUMN labels',
    'ALTER TABLE notifications DROP COLUMN labels',
  ])
  await dropTables(db, tables)
}
