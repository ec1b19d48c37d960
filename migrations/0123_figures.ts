import type { Knex } from 'knex'
import { CLOSED } from './0112_notifications.ts'
import { dropFunctions, dropTables, dropTriggers, isPostgres, run, SHARD } from './dialect.ts'

export const HOUR_MS = 3_600_000
export const OUTCOMES = ['accepted', 'failed', 'expired', 'cancelled', 'skipped', 'unknown'] as const
const REPORTS = ['delivered', 'opened', 'dismissed'] as const
const COUNTS = [...OUTCOMES, ...REPORTS]
export const KEY = 'app_id, notification_id, hour, platform, shard'

export const tables = {
  push_hours:
    'What became of pushes by hour and platform, for each notification and, under the number 0, for all of the app. Sums of several rows.',
  link_days: 'Clicks and matches of links by day.',
  install_counts: 'How many installs are in which state, as the sum of several rows. Triggers count.',
}

const PAGE =
  'Adds the outcomes of a page that is closed to its hour, for its notification and, unless that is a test, for the app.'
const INSTALL = 'Counts installs under their platform and state, or takes them off.'

export const triggers = {
  push_hours_page_added: PAGE,
  push_hours_page_closed: PAGE,
  install_counts_added: INSTALL,
  install_counts_removed: INSTALL,
  install_counts_changed: INSTALL,
}

export const up = (db: Knex) =>
  run(db, [
    db.schema.createTable('push_hours', (t) => {
      t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
      t.bigInteger('notification_id').notNullable()
      // Hours since 1970.
      t.integer('hour').notNullable()
      // As in lanes; 0: none.
      t.integer('platform').notNullable()
      t.integer('shard').notNullable()
      for (const name of COUNTS) t.bigInteger(name).notNullable().defaultTo(0)
      t.primary(['app_id', 'notification_id', 'hour', 'platform', 'shard'])
      t.index(['hour'])
    }),

    db.schema.createTable('link_days', (t) => {
      t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
      t.bigInteger('link_id').notNullable()
      // Days since 1970.
      t.integer('day').notNullable()
      t.string('platform', 16).notNullable()
      t.string('route', 16).notNullable()
      t.integer('shard').notNullable()
      t.bigInteger('clicks').notNullable().defaultTo(0)
      t.bigInteger('matches').notNullable().defaultTo(0)
      t.primary(['app_id', 'link_id', 'day', 'platform', 'route', 'shard'])
      t.index(['day'])
    }),

    db.schema.createTable('install_counts', (t) => {
      t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
      t.integer('platform').notNullable()
      // 1: pushes reach it. 2: notifications are off. 3: it has no token.
      t.integer('state').notNullable()
      t.integer('shard').notNullable()
      t.bigInteger('installs').notNullable()
      t.primary(['app_id', 'platform', 'state', 'shard'])
    }),
    ...(isPostgres(db) ? countOnPostgres() : countOnSqlite()),
  ])

const stateOf = (row: string) =>
  `CASE WHEN ${row}subscribed THEN 1 WHEN NOT ${row}notifications_enabled THEN 2 ELSE 3 END`

export const countMore = `DO UPDATE SET ${OUTCOMES.map((name) => `${name} = push_hours.${name} + excluded.${name}`).join(', ')}`
/** One row for the notification, and one for all of the app; `but`: a further condition on these. */
const countPage = (shard: string, but = '') => `INSERT INTO push_hours (${KEY}, ${OUTCOMES.join(', ')})
  SELECT NEW.app_id, given.id, NEW.updated_at / ${HOUR_MS}, COALESCE((SELECT platform FROM lanes WHERE id = NEW.lane_id), 0),
    ${shard}, ${OUTCOMES.map((name) => `NEW.${name}`).join(', ')}
  FROM (SELECT 0 AS id UNION ALL SELECT NEW.notification_id) AS given WHERE NEW.total > NEW.moved${but}
  ON CONFLICT (${KEY}) ${countMore}`
const closes = `OLD.state NOT IN ${CLOSED} AND NEW.state IN ${CLOSED}`
/** The triggers of pages on SQLite. `but` as of `countPage`. */
export const pageTriggers = (but = ''): string[] => [
  `CREATE TRIGGER push_hours_page_added AFTER INSERT ON pages WHEN NEW.state IN ${CLOSED}
    BEGIN ${countPage('0', but)}; END`,
  `CREATE TRIGGER push_hours_page_closed AFTER UPDATE OF state ON pages WHEN ${closes}
    BEGIN ${countPage('0', but)}; END`,
]
const INSTALL_KEY = 'app_id, platform, state, shard'
const WATCHED = 'platform, subscribed, notifications_enabled'

/**
 * Installs that one statement adds or deletes are counted together: by row, a transaction with many of them would change one counter as
 * often, and each change would have to step over all before it.
 */
const COUNT_TOGETHER = [
  // In the order of the key, so that two connections that share a shard cannot deadlock. An app that goes away has nothing to count.
  `CREATE FUNCTION count_installs() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO install_counts (app_id, platform, state, shard, installs)
      SELECT found.app_id, found.platform, found.state, ${SHARD},
        CASE TG_OP WHEN 'DELETE' THEN - found.installs ELSE found.installs END
      FROM (SELECT app_id, COALESCE(platform, 0) AS platform,
              CASE WHEN subscribed THEN 1 WHEN NOT notifications_enabled THEN 2 ELSE 3 END AS state, COUNT(*) AS installs
            FROM changed GROUP BY 1, 2, 3) AS found
      JOIN apps ON apps.id = found.app_id
      ORDER BY found.app_id, found.platform, found.state
      FOR KEY SHARE OF apps
    ON CONFLICT (app_id, platform, state, shard) DO UPDATE SET installs = install_counts.installs + excluded.installs;
    RETURN NULL; END $$`,
  `CREATE TRIGGER install_counts_added AFTER INSERT ON installs REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_installs()`,
  `CREATE TRIGGER install_counts_removed AFTER DELETE ON installs REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_installs()`,
]

function countOnSqlite(): string[] {
  const more = `INSERT INTO install_counts VALUES (NEW.app_id, COALESCE(NEW.platform, 0), ${stateOf('NEW.')}, 0, 1)
    ON CONFLICT (${INSTALL_KEY}) DO UPDATE SET installs = installs + 1`
  const fewer = `UPDATE install_counts SET installs = installs - 1 WHERE app_id = OLD.app_id
    AND platform = COALESCE(OLD.platform, 0) AND state = ${stateOf('OLD.')} AND shard = 0`
  return [
    ...pageTriggers(),
    `CREATE TRIGGER install_counts_added AFTER INSERT ON installs BEGIN ${more}; END`,
    `CREATE TRIGGER install_counts_removed AFTER DELETE ON installs BEGIN ${fewer}; END`,
    `CREATE TRIGGER install_counts_changed AFTER UPDATE OF ${WATCHED} ON installs
    WHEN OLD.platform IS NOT NEW.platform OR ${stateOf('OLD.')} <> ${stateOf('NEW.')} BEGIN ${fewer}; ${more}; END`,
  ]
}

/** On PostgreSQL. */
export const countClosedPages = [
  `CREATE FUNCTION count_closed_page() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    ${countPage(SHARD)}; RETURN NULL; END $$`,
  `CREATE TRIGGER push_hours_page_added AFTER INSERT ON pages
    FOR EACH ROW WHEN (NEW.state IN ${CLOSED}) EXECUTE FUNCTION count_closed_page()`,
  `CREATE TRIGGER push_hours_page_closed AFTER UPDATE OF state ON pages
    FOR EACH ROW WHEN (${closes}) EXECUTE FUNCTION count_closed_page()`,
]

function countOnPostgres(): string[] {
  const count = (row: string, by: string) => `INSERT INTO install_counts (${INSTALL_KEY}, installs)
    SELECT id, COALESCE(${row}.platform, 0), ${stateOf(`${row}.`)}, ${SHARD}, ${by} FROM apps WHERE id = ${row}.app_id FOR KEY SHARE
    ON CONFLICT (${INSTALL_KEY}) DO UPDATE SET installs = install_counts.installs + (${by})`
  return [
    ...countClosedPages,
    `CREATE FUNCTION count_install() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF TG_OP <> 'INSERT' THEN ${count('OLD', '-1')}; END IF;
    IF TG_OP <> 'DELETE' THEN ${count('NEW', '1')}; END IF;
    RETURN NULL; END $$`,
    `CREATE TRIGGER install_counts_changed AFTER UPDATE OF ${WATCHED} ON installs
    FOR EACH ROW WHEN (OLD.platform IS DISTINCT FROM NEW.platform OR ${stateOf('OLD.')} <> ${stateOf('NEW.')})
    EXECUTE FUNCTION count_install()`,
    ...COUNT_TOGETHER,
  ]
}

export async function down(db: Knex): Promise<void> {
  const ofPages = ['push_hours_page_added', 'push_hours_page_closed']
  await dropTriggers(db, ...ofPages, 'install_counts_added', 'install_counts_removed', 'install_counts_changed')
  await dropFunctions(db, 'count_closed_page', 'count_install', 'count_installs')
  await dropTables(db, tables)
}
