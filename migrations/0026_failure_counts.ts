import type { Knex } from 'knex'

/** As `REASONS_KEPT` and `OTHER_REASONS` of the program were when this step was released. */
const KEPT = 100
const OTHERS = 'other reasons'

/**
 * How many recipients of a notification failed for which reason, counted as they fail: a report reads these rows and
 * no longer groups every failure. The index that it grouped by goes, so that a failure costs one index entry less.
 */
export async function up(db: Knex): Promise<void> {
  const clustered = db.client.driverName === 'pg' ? '' : 'WITHOUT ROWID'
  // Several rows for a reason on PostgreSQL: connections that count at once need not wait for each other.
  await db.raw(`CREATE TABLE failure_counts (
    notification_id bigint NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
    shard integer NOT NULL,
    kind varchar(32) NOT NULL,
    reason varchar(255) NOT NULL,
    app_id bigint NOT NULL,
    failures bigint NOT NULL,
    PRIMARY KEY (notification_id, kind, reason, shard)
  ) ${clustered}`)
  // One walk along the index that goes afterwards.
  await db.raw(
    `INSERT INTO failure_counts (notification_id, shard, kind, reason, app_id, failures)
     SELECT notification_id, 0, kind, named, MIN(app_id), SUM(failures) FROM (
       SELECT notification_id, kind, app_id, failures, CASE WHEN row_number() OVER (
           PARTITION BY notification_id ORDER BY failures DESC, kind, reason) <= ${KEPT} THEN reason ELSE '${OTHERS}' END AS named
       FROM (SELECT notification_id, kind, reason, MIN(app_id) AS app_id, COUNT(*) AS failures
             FROM delivery_failures GROUP BY notification_id, kind, reason) AS counted) AS ranked
     GROUP BY notification_id, kind, named`,
  )
  await db.raw('DROP INDEX delivery_failures_by_reason')
}

export async function down(db: Knex): Promise<void> {
  await db.raw('CREATE INDEX delivery_failures_by_reason ON delivery_failures (notification_id, kind, reason, app_id)')
  await db.raw('DROP TABLE failure_counts')
}
