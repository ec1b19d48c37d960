import type { Knex } from 'knex'
import { CLOSED } from './0112_notifications.ts'
import { countMore, HOUR_MS, KEY, OUTCOMES } from './0123_figures.ts'
import { noteClosedPages } from './0124_small_pages.ts'
import { isCounted } from './0147_test_sends.ts'
import { isPostgres, run, SHARD } from './dialect.ts'

/** Earlier programs find what they found before. */
export const compatible = true

/**
 * The triggers of pages on PostgreSQL join what a statement has changed with what it was, and plan that once, when a statement has changed one page:
 * row by row, so that 250 pages took 62 500 looks. Now those that were closed before are a list to look into, apps and lanes are asked once each
 * and not for every page, and one statement does it all.
 */
export async function up(db: Knex): Promise<void> {
  if (isPostgres(db)) await run(db, [note('note_added_pages', ''), note('note_closed_pages', NOT_BEFORE)])
}

const NOT_BEFORE = ` AND id NOT IN (SELECT id FROM was WHERE state IN ${CLOSED})`

/** The function of a trigger over `became`, the pages as they are now. `which`: a condition on those that are closed. */
const note = (name: string, which: string): string =>
  `CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NOT EXISTS (SELECT 1 FROM became WHERE state IN ${CLOSED}) THEN RETURN NULL; END IF;
    WITH closed AS MATERIALIZED (
      SELECT id, app_id, notification_id, lane_id, fence, total - moved AS recipients, updated_at, ${OUTCOMES.join(', ')}
      FROM became WHERE state IN ${CLOSED} AND total > moved${which}
    ), watched AS MATERIALIZED (
      SELECT id FROM apps WHERE id IN (SELECT app_id FROM closed)
        AND (logs_deliveries OR EXISTS (SELECT 1 FROM webhooks WHERE app_id = apps.id AND includes_deliveries))
    ), logged AS (
      INSERT INTO events (app_id, install_row, uuid, type, data, happened_at, received_at)
        SELECT app_id, 0, 'page-' || id || '-' || fence, '',
          '{"notificationId":' || notification_id || ',"pageId":' || id || ',"recipients":' || recipients || '}', updated_at, updated_at
        FROM closed WHERE app_id IN (SELECT id FROM watched)
        ORDER BY id
    ), served AS MATERIALIZED (
      SELECT id, platform FROM lanes WHERE id IN (SELECT lane_id FROM closed)
    )
    INSERT INTO push_hours (${KEY}, ${OUTCOMES.join(', ')})
      SELECT page.app_id, given.id, page.updated_at / ${HOUR_MS}, COALESCE(served.platform, 0), ${SHARD},
        ${OUTCOMES.map((outcome) => `SUM(page.${outcome})`).join(', ')}
      FROM closed AS page LEFT JOIN served ON served.id = page.lane_id,
        LATERAL (VALUES (CAST(0 AS bigint)), (page.notification_id)) AS given(id)
      WHERE ${isCounted('page')}
      GROUP BY 1, 2, 3, 4
      ORDER BY 1, 2, 3, 4
    ON CONFLICT (${KEY}) ${countMore};
    RETURN NULL; END $$`

export async function down(db: Knex): Promise<void> {
  if (isPostgres(db)) await run(db, noteClosedPages(` WHERE ${isCounted('page')}`))
}
