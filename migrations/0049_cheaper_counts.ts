import type { Knex } from 'knex'

const COUNTS = 'total, moved, accepted, failed, expired, cancelled, skipped, unknown, reasons'

/**
 * What is counted costs less.
 *
 * On SQLite, what the pages of a notification add up to is read from an index: there a page's row fills a page of the file with its
 * recipients and outcomes. PostgreSQL keeps those apart, and would have to write every index of a page at each change of its counts.
 *
 * On PostgreSQL, installs that one statement adds or deletes are counted together. By row (0044), a transaction with many of them
 * changed one counter as often, and each change had to step over all before it.
 */
export async function up(db: Knex): Promise<void> {
  if (db.client.driverName === 'pg') return countTogether(db)
  await db.raw('DROP INDEX pages_by_app')
  await db.raw(`CREATE INDEX pages_by_app ON pages (app_id, notification_id, lane_id, ${COUNTS})`)
}

export async function down(db: Knex): Promise<void> {
  if (db.client.driverName === 'pg') return countByRow(db)
  await db.raw('DROP INDEX pages_by_app')
  await db.raw('CREATE INDEX pages_by_app ON pages (app_id, notification_id)')
}

async function countTogether(db: Knex): Promise<void> {
  await db.raw('DROP TRIGGER install_counts_kept ON installs')
  // In the order of the key, so that two connections that share a shard cannot deadlock. An app that goes away has nothing to count.
  await db.raw(`CREATE FUNCTION count_installs() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO install_counts (app_id, platform, state, shard, installs)
      SELECT found.app_id, found.platform, found.state, pg_backend_pid() % 32,
        CASE TG_OP WHEN 'DELETE' THEN - found.installs ELSE found.installs END
      FROM (SELECT app_id, COALESCE(platform, 0) AS platform,
              CASE WHEN subscribed THEN 1 WHEN NOT notifications_enabled THEN 2 ELSE 3 END AS state, COUNT(*) AS installs
            FROM changed GROUP BY 1, 2, 3) AS found
      JOIN apps ON apps.id = found.app_id
      ORDER BY found.app_id, found.platform, found.state
      FOR KEY SHARE OF apps
    ON CONFLICT (app_id, platform, state, shard) DO UPDATE SET installs = install_counts.installs + excluded.installs;
    RETURN NULL; END $$`)
  await db.raw(`CREATE TRIGGER install_counts_added AFTER INSERT ON installs REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_installs()`)
  await db.raw(`CREATE TRIGGER install_counts_removed AFTER DELETE ON installs REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_installs()`)
}

async function countByRow(db: Knex): Promise<void> {
  await db.raw('DROP FUNCTION count_installs CASCADE')
  await db.raw(`CREATE TRIGGER install_counts_kept AFTER INSERT OR DELETE ON installs
    FOR EACH ROW EXECUTE FUNCTION count_install()`)
}
