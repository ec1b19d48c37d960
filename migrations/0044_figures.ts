import type { Knex } from 'knex'

const HOUR_MS = 3_600_000
const OUTCOMES = ['accepted', 'failed', 'expired', 'cancelled', 'skipped', 'unknown'] as const
const REPORTS = ['delivered', 'opened', 'dismissed'] as const
const COUNTS = [...OUTCOMES, ...REPORTS]
const CLOSED = "('done', 'buried')"
const KEY = 'app_id, notification_id, hour, platform, shard'

/**
 * Counts of the console, kept as they happen: pushes by hour and platform, visits of links by day, installs by platform and
 * state (docs/decisions/0054-figures.md). Number 0 stands for all notifications, or all links, of an app.
 *
 * Triggers count what happens in several places: a page closes, an install changes. The program counts the rest.
 */
export async function up(db: Knex): Promise<void> {
  const isPostgres = db.client.driverName === 'pg'
  await db.schema.createTable('push_hours', (t) => {
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
  })
  await db.schema.createTable('link_days', (t) => {
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
  })
  await db.schema.createTable('install_counts', (t) => {
    t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
    t.integer('platform').notNullable()
    // 1: pushes reach it. 2: notifications are off. 3: it has no token.
    t.integer('state').notNullable()
    t.integer('shard').notNullable()
    t.bigInteger('installs').notNullable()
    t.primary(['app_id', 'platform', 'state', 'shard'])
  })
  await fill(db)
  if (isPostgres) await countOnPostgres(db)
  else await countOnSqlite(db)
}

const stateOf = (row: string) =>
  `CASE WHEN ${row}subscribed THEN 1 WHEN NOT ${row}notifications_enabled THEN 2 ELSE 3 END`

/** Counts what is there already. */
async function fill(db: Knex): Promise<void> {
  const none = (names: readonly string[]) => names.map((name) => `0 AS ${name}`).join(', ')
  const reports = REPORTS.map(
    (kind) =>
      `SELECT o.app_id, o.notification_id, o.${kind}_at / ${HOUR_MS} AS hour, COALESCE(i.platform, 0) AS platform,
        ${none(OUTCOMES)}, ${REPORTS.map((one) => `${one === kind ? 1 : 0} AS ${one}`).join(', ')}
       FROM notification_opens AS o JOIN installs AS i ON i.id = o.install_row WHERE o.${kind}_at IS NOT NULL`,
  )
  const pages = `SELECT p.app_id, p.notification_id, p.updated_at / ${HOUR_MS} AS hour, COALESCE(l.platform, 0) AS platform,
      ${OUTCOMES.map((name) => `p.${name}`).join(', ')}, ${none(REPORTS)}
    FROM pages AS p LEFT JOIN lanes AS l ON l.id = p.lane_id WHERE p.state IN ${CLOSED} AND p.total > p.moved`
  const sums = COUNTS.map((name) => `SUM(${name})`).join(', ')
  const names = COUNTS.join(', ')
  await db.raw(
    `INSERT INTO push_hours (${KEY}, ${names}) SELECT app_id, notification_id, hour, platform, 0, ${sums}
     FROM (${[pages, ...reports].join(' UNION ALL ')}) AS found GROUP BY app_id, notification_id, hour, platform`,
  )
  await db.raw(
    `INSERT INTO push_hours (${KEY}, ${names}) SELECT app_id, 0, hour, platform, 0, ${sums}
     FROM push_hours GROUP BY app_id, hour, platform`,
  )
  await db.raw(
    `INSERT INTO install_counts (app_id, platform, state, shard, installs)
     SELECT app_id, platform, state, 0, COUNT(*)
     FROM (SELECT app_id, COALESCE(platform, 0) AS platform, ${stateOf('')} AS state FROM installs) AS found
     GROUP BY app_id, platform, state`,
  )
}

const added = `DO UPDATE SET ${OUTCOMES.map((name) => `${name} = push_hours.${name} + excluded.${name}`).join(', ')}`
/** One row for the notification, and one for all of the app. */
const countPage = (shard: string) => `INSERT INTO push_hours (${KEY}, ${OUTCOMES.join(', ')})
  SELECT NEW.app_id, given.id, NEW.updated_at / ${HOUR_MS}, COALESCE((SELECT platform FROM lanes WHERE id = NEW.lane_id), 0),
    ${shard}, ${OUTCOMES.map((name) => `NEW.${name}`).join(', ')}
  FROM (SELECT 0 AS id UNION ALL SELECT NEW.notification_id) AS given WHERE NEW.total > NEW.moved
  ON CONFLICT (${KEY}) ${added}`
const closes = `OLD.state NOT IN ${CLOSED} AND NEW.state IN ${CLOSED}`
const INSTALL_KEY = 'app_id, platform, state, shard'
const WATCHED = 'platform, subscribed, notifications_enabled'

async function countOnSqlite(db: Knex): Promise<void> {
  await db.raw(`CREATE TRIGGER push_hours_page_added AFTER INSERT ON pages WHEN NEW.state IN ${CLOSED}
    BEGIN ${countPage('0')}; END`)
  await db.raw(`CREATE TRIGGER push_hours_page_closed AFTER UPDATE OF state ON pages WHEN ${closes}
    BEGIN ${countPage('0')}; END`)
  const more = `INSERT INTO install_counts VALUES (NEW.app_id, COALESCE(NEW.platform, 0), ${stateOf('NEW.')}, 0, 1)
    ON CONFLICT (${INSTALL_KEY}) DO UPDATE SET installs = installs + 1`
  const fewer = `UPDATE install_counts SET installs = installs - 1 WHERE app_id = OLD.app_id
    AND platform = COALESCE(OLD.platform, 0) AND state = ${stateOf('OLD.')} AND shard = 0`
  await db.raw(`CREATE TRIGGER install_counts_added AFTER INSERT ON installs BEGIN ${more}; END`)
  await db.raw(`CREATE TRIGGER install_counts_removed AFTER DELETE ON installs BEGIN ${fewer}; END`)
  await db.raw(`CREATE TRIGGER install_counts_changed AFTER UPDATE OF ${WATCHED} ON installs
    WHEN OLD.platform IS NOT NEW.platform OR ${stateOf('OLD.')} <> ${stateOf('NEW.')} BEGIN ${fewer}; ${more}; END`)
}

/** As in 0027: a connection counts in rows of its own, and an app that goes away has nothing to count. */
async function countOnPostgres(db: Knex): Promise<void> {
  const shard = 'pg_backend_pid() % 32'
  await db.raw(`CREATE FUNCTION count_closed_page() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    ${countPage(shard)}; RETURN NULL; END $$`)
  await db.raw(`CREATE TRIGGER push_hours_page_added AFTER INSERT ON pages
    FOR EACH ROW WHEN (NEW.state IN ${CLOSED}) EXECUTE FUNCTION count_closed_page()`)
  await db.raw(`CREATE TRIGGER push_hours_page_closed AFTER UPDATE OF state ON pages
    FOR EACH ROW WHEN (${closes}) EXECUTE FUNCTION count_closed_page()`)
  const count = (row: string, by: string) => `INSERT INTO install_counts (${INSTALL_KEY}, installs)
    SELECT id, COALESCE(${row}.platform, 0), ${stateOf(`${row}.`)}, ${shard}, ${by} FROM apps WHERE id = ${row}.app_id FOR KEY SHARE
    ON CONFLICT (${INSTALL_KEY}) DO UPDATE SET installs = install_counts.installs + (${by})`
  await db.raw(`CREATE FUNCTION count_install() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF TG_OP <> 'INSERT' THEN ${count('OLD', '-1')}; END IF;
    IF TG_OP <> 'DELETE' THEN ${count('NEW', '1')}; END IF;
    RETURN NULL; END $$`)
  await db.raw(`CREATE TRIGGER install_counts_kept AFTER INSERT OR DELETE ON installs
    FOR EACH ROW EXECUTE FUNCTION count_install()`)
  await db.raw(`CREATE TRIGGER install_counts_changed AFTER UPDATE OF ${WATCHED} ON installs
    FOR EACH ROW WHEN (OLD.platform IS DISTINCT FROM NEW.platform OR ${stateOf('OLD.')} <> ${stateOf('NEW.')})
    EXECUTE FUNCTION count_install()`)
}

export async function down(db: Knex): Promise<void> {
  if (db.client.driverName === 'pg') {
    await db.raw('DROP FUNCTION count_closed_page CASCADE')
    await db.raw('DROP FUNCTION count_install CASCADE')
  } else {
    const triggers = ['push_hours_page_added', 'push_hours_page_closed', 'install_counts_added']
    for (const name of [...triggers, 'install_counts_removed', 'install_counts_changed']) {
      await db.raw(`DROP TRIGGER ${name}`)
    }
  }
  for (const table of ['install_counts', 'link_days', 'push_hours']) await db.raw(`DROP TABLE ${table}`)
}
