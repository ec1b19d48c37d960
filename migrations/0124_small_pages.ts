import type { Knex } from 'knex'
import { CLOSED } from './0112_notifications.ts'
import { logClosedPages } from './0119_webhooks.ts'
import { countClosedPages, countMore, HOUR_MS, KEY, OUTCOMES } from './0123_figures.ts'
import { dropFunctions, isPostgres, run, SHARD } from './dialect.ts'

/** Earlier programs find what they found before. */
export const compatible = true

const NOTES =
  'Enters pages into the event log as they close, when the app or one of its webhooks asked for deliveries, and adds their outcomes to their hour.'

export const triggers = { closed_pages_added: NOTES, closed_pages_changed: NOTES }

/**
 * An index finds due pages with few recipients, so that they need not wait behind those of a broadcast. On PostgreSQL, pages that one
 * statement closes are logged and counted together. By row, each called two functions, and a transaction that closes many small ones
 * changed the hour of the app as often: each change had to step over all before it.
 */
export const up = async (db: Knex) => {
  await run(db, [
    "CREATE INDEX pages_due_small ON pages (lane_id, not_before, id) WHERE state = 'queued' AND total <= 100",
  ])
  if (!isPostgres(db)) return
  await dropFunctions(db, 'log_closed_page', 'count_closed_page')
  const [noteAdded, noteChanged] = noteClosedPages()
  await run(db, [
    noteAdded,
    `CREATE TRIGGER closed_pages_added AFTER INSERT ON pages REFERENCING NEW TABLE AS became
      FOR EACH STATEMENT EXECUTE FUNCTION note_added_pages()`,
    noteChanged,
    `CREATE TRIGGER closed_pages_changed AFTER UPDATE ON pages REFERENCING OLD TABLE AS was NEW TABLE AS became
      FOR EACH STATEMENT EXECUTE FUNCTION note_closed_pages()`,
  ])
}

/** The functions of the triggers. `counted`: which rows of the figures are counted, of a notification or of the app; all when empty. */
export function noteClosedPages(counted = ''): [added: string, changed: string] {
  const added = `(SELECT * FROM became WHERE state IN ${CLOSED} AND total > moved)`
  const closed = `(SELECT became.* FROM became JOIN was ON was.id = became.id
    WHERE became.state IN ${CLOSED} AND was.state NOT IN ${CLOSED} AND became.total > became.moved)`
  return [noteClosed('note_added_pages', added, counted), noteClosed('note_closed_pages', closed, counted)]
}

/** The function of a trigger over `became`, the pages as they are now. `closed`: those among them that have just been closed. */
function noteClosed(name: string, closed: string, counted: string): string {
  return `CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NOT EXISTS (SELECT 1 FROM became WHERE state IN ${CLOSED}) THEN RETURN NULL; END IF;
    INSERT INTO events (app_id, install_row, uuid, type, data, happened_at, received_at)
      SELECT page.app_id, 0, 'page-' || page.id || '-' || page.fence, '',
        '{"notificationId":' || page.notification_id || ',"pageId":' || page.id
          || ',"recipients":' || (page.total - page.moved) || '}',
        page.updated_at, page.updated_at
      FROM ${closed} AS page
      WHERE EXISTS (SELECT 1 FROM apps WHERE id = page.app_id AND logs_deliveries)
        OR EXISTS (SELECT 1 FROM webhooks WHERE app_id = page.app_id AND includes_deliveries)
      ORDER BY page.id;
    INSERT INTO push_hours (${KEY}, ${OUTCOMES.join(', ')})
      SELECT page.app_id, given.id, page.updated_at / ${HOUR_MS}, COALESCE(lanes.platform, 0), ${SHARD},
        ${OUTCOMES.map((outcome) => `SUM(page.${outcome})`).join(', ')}
      FROM ${closed} AS page LEFT JOIN lanes ON lanes.id = page.lane_id,
        LATERAL (VALUES (CAST(0 AS bigint)), (page.notification_id)) AS given(id)${counted}
      GROUP BY 1, 2, 3, 4
      ORDER BY 1, 2, 3, 4
    ON CONFLICT (${KEY}) ${countMore};
    RETURN NULL; END $$`
}

export async function down(db: Knex): Promise<void> {
  await run(db, ['DROP INDEX pages_due_small'])
  if (!isPostgres(db)) return
  await dropFunctions(db, 'note_added_pages', 'note_closed_pages')
  await run(db, [...logClosedPages(db), ...countClosedPages])
}
