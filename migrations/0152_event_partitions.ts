import type { Knex } from 'knex'
import { isPostgres, run } from './dialect.ts'

/**
 * Earlier programs work on while `events` is one table. Dividing it (src/domain/events/partitions) marks this step as one with which they do
 * not: they delete by the address of a row, which is not unique among partitions.
 */
export const compatible = true

/** Changes nothing: a program that knows this step knows partitions of `events`. */
export const up = async (): Promise<void> => {}

/** Makes partitions one table again, as 0107_events has it. */
export async function down(db: Knex): Promise<void> {
  if (!isPostgres(db)) return
  const { rows } = await db.raw(`SELECT relkind::text FROM pg_class WHERE oid = to_regclass('events')`)
  if (rows[0]?.relkind !== 'p') return
  const { rows: indexes } = await db.raw(
    `SELECT c.relname AS name, pg_get_indexdef(indexrelid) AS text FROM pg_index JOIN pg_class AS c ON c.oid = indexrelid
     WHERE indrelid = to_regclass('events') AND NOT indisprimary`,
  )
  await run(db, [
    'SET LOCAL statement_timeout = 0',
    'ALTER TABLE events RENAME TO events_divided',
    'ALTER INDEX events_pkey RENAME TO events_divided_pkey',
    'CREATE TABLE events (LIKE events_divided INCLUDING DEFAULTS)',
    'INSERT INTO events SELECT * FROM events_divided ORDER BY id',
    // Partitions may have taken twice what a device sent whose clock was days ahead. The first one stays.
    `DELETE FROM events USING (
       SELECT app_id, install_row, uuid, min(id) AS id FROM events GROUP BY app_id, install_row, uuid HAVING count(*) > 1) AS first
     WHERE events.app_id = first.app_id AND events.install_row IS NOT DISTINCT FROM first.install_row
       AND events.uuid = first.uuid AND events.id > first.id`,
    'ALTER SEQUENCE events_id_seq OWNED BY events.id',
    'DROP TABLE events_divided',
    'ALTER TABLE events ADD CONSTRAINT events_pkey PRIMARY KEY (id)',
    'ALTER TABLE events ADD CONSTRAINT events_app_id_foreign FOREIGN KEY (app_id) REFERENCES apps (id) ON DELETE CASCADE',
    'ALTER TABLE events ADD CONSTRAINT events_app_id_install_row_uuid_unique UNIQUE (app_id, install_row, uuid)',
    'CREATE UNIQUE INDEX events_of_servers ON events (app_id, uuid) WHERE install_row IS NULL',
    ...(indexes as { name: string; text: string }[]).map(({ text }) => text.replace(' ON ONLY ', ' ON ')),
  ])
}
