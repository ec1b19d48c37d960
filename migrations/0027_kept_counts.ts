import type { Knex } from 'knex'

/** First keys of the program's advisory locks on PostgreSQL: of the geofences of an app, and of who moves by user. */
const GEOFENCE_LOCK = 0x67656f66
const USER_LOCK = 0x67656f75

/**
 * Who is inside a geofence, and at which hour users are most often active, counted as it changes. Triggers do it:
 * an install leaves a geofence in many ways (it moves, its position is forgotten, it is erased, its user or its app
 * is), and most of them are cascades that the program does not see.
 */
export async function up(db: Knex): Promise<void> {
  const isPostgres = db.client.driverName === 'pg'
  const clustered = isPostgres ? '' : 'WITHOUT ROWID'

  // The user of the install, as whom it is counted: what was added is taken away, even when the user changed meanwhile.
  await db.raw('ALTER TABLE geofence_presence ADD COLUMN user_id bigint NOT NULL DEFAULT 0')
  await db.raw(
    'UPDATE geofence_presence SET user_id = (SELECT user_id FROM installs WHERE id = geofence_presence.install_row)',
  )
  // How many installs of a user are inside: users are counted, not installs. No foreign keys: the triggers keep it.
  await db.raw(`CREATE TABLE geofence_users (
    geofence_id bigint NOT NULL,
    user_id bigint NOT NULL,
    installs integer NOT NULL,
    PRIMARY KEY (geofence_id, user_id)
  ) ${clustered}`)
  await db.raw(
    'INSERT INTO geofence_users SELECT geofence_id, user_id, COUNT(*) FROM geofence_presence GROUP BY geofence_id, user_id',
  )
  // Beside the entries: the users inside, as the sum of the rows of a geofence. A single row may be negative.
  await db.raw('ALTER TABLE geofence_activations ADD COLUMN users bigint NOT NULL DEFAULT 0')
  await db.raw(`INSERT INTO geofence_activations (geofence_id, shard, entries, users)
    SELECT geofence_id, 0, 0, COUNT(*) FROM geofence_users GROUP BY geofence_id
    ON CONFLICT (geofence_id, shard) DO UPDATE SET users = excluded.users`)

  await db.raw(`CREATE TABLE active_hour_counts (
    app_id bigint NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    preferred_hour integer NOT NULL,
    shard integer NOT NULL,
    users bigint NOT NULL,
    PRIMARY KEY (app_id, preferred_hour, shard)
  ) ${clustered}`)
  await db.raw(`INSERT INTO active_hour_counts
    SELECT app_id, preferred_hour, 0, COUNT(*) FROM active_hours GROUP BY app_id, preferred_hour`)
  await db.schema.alterTable('active_hours', (t) => t.dropIndex(['app_id', 'preferred_hour']))

  await (isPostgres ? countOnPostgres(db) : countOnSqlite(db))

  // Behind a foreign key stands a full index. Only messages are written here, one row for each.
  await db.raw('DROP INDEX in_app_messages_push')
  await db.raw('CREATE INDEX in_app_messages_by_notification ON in_app_messages (notification_id)')
}

/** There is one writer, so each count is one row. */
async function countOnSqlite(db: Knex): Promise<void> {
  const user = (row: string) => `geofence_id = ${row}.geofence_id AND user_id = ${row}.user_id`
  await db.raw(`CREATE TRIGGER geofence_presence_added AFTER INSERT ON geofence_presence BEGIN
    INSERT INTO geofence_users VALUES (NEW.geofence_id, NEW.user_id, 1)
      ON CONFLICT (geofence_id, user_id) DO UPDATE SET installs = installs + 1;
    INSERT INTO geofence_activations (geofence_id, shard, entries, users)
      SELECT geofence_id, 0, 0, 1 FROM geofence_users WHERE ${user('NEW')} AND installs = 1
      ON CONFLICT (geofence_id, shard) DO UPDATE SET users = users + 1; END`)
  // Rows that a cascade has deleted already are not made again.
  await db.raw(`CREATE TRIGGER geofence_presence_removed AFTER DELETE ON geofence_presence BEGIN
    UPDATE geofence_users SET installs = installs - 1 WHERE ${user('OLD')};
    UPDATE geofence_activations SET users = users - 1 WHERE geofence_id = OLD.geofence_id AND shard = 0
      AND EXISTS (SELECT 1 FROM geofence_users WHERE ${user('OLD')} AND installs = 0);
    DELETE FROM geofence_users WHERE ${user('OLD')} AND installs = 0; END`)
  await db.raw(`CREATE TRIGGER geofence_presence_of_user AFTER UPDATE OF user_id ON installs
    WHEN OLD.user_id <> NEW.user_id BEGIN
    UPDATE geofence_presence SET user_id = NEW.user_id WHERE install_row = NEW.id; END`)
  await db.raw(`CREATE TRIGGER geofence_presence_moved AFTER UPDATE OF user_id ON geofence_presence BEGIN
    UPDATE geofence_users SET installs = installs - 1 WHERE ${user('OLD')};
    UPDATE geofence_activations SET users = users - 1 WHERE geofence_id = OLD.geofence_id AND shard = 0
      AND EXISTS (SELECT 1 FROM geofence_users WHERE ${user('OLD')} AND installs = 0);
    DELETE FROM geofence_users WHERE ${user('OLD')} AND installs = 0;
    INSERT INTO geofence_users VALUES (NEW.geofence_id, NEW.user_id, 1)
      ON CONFLICT (geofence_id, user_id) DO UPDATE SET installs = installs + 1;
    UPDATE geofence_activations SET users = users + 1 WHERE geofence_id = NEW.geofence_id AND shard = 0
      AND EXISTS (SELECT 1 FROM geofence_users WHERE ${user('NEW')} AND installs = 1); END`)

  const more = `INSERT INTO active_hour_counts VALUES (NEW.app_id, NEW.preferred_hour, 0, 1)
    ON CONFLICT (app_id, preferred_hour, shard) DO UPDATE SET users = users + 1`
  const fewer = `UPDATE active_hour_counts SET users = users - 1
    WHERE app_id = OLD.app_id AND preferred_hour = OLD.preferred_hour AND shard = 0`
  await db.raw(`CREATE TRIGGER active_hours_added AFTER INSERT ON active_hours BEGIN ${more}; END`)
  await db.raw(`CREATE TRIGGER active_hours_removed AFTER DELETE ON active_hours BEGIN ${fewer}; END`)
  await db.raw(`CREATE TRIGGER active_hours_changed AFTER UPDATE OF preferred_hour ON active_hours
    WHEN OLD.preferred_hour <> NEW.preferred_hour BEGIN ${fewer}; ${more}; END`)
}

/**
 * A connection counts in rows of its own: the shard comes from its process id, so two transactions rarely want the
 * same row and cannot deadlock over it in the order of their statements. Rows of `geofence_users` are shared by those
 * who move installs of one user; each statement locks them in the order of their key.
 */
async function countOnPostgres(db: Knex): Promise<void> {
  const shard = 'pg_backend_pid() % 32'
  await db.raw(`CREATE FUNCTION count_geofence_presence_added() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    WITH given AS (SELECT geofence_id, user_id, COUNT(*) AS installs FROM added GROUP BY 1, 2),
    counted AS (INSERT INTO geofence_users (geofence_id, user_id, installs) SELECT * FROM given ORDER BY 1, 2
      ON CONFLICT (geofence_id, user_id) DO UPDATE SET installs = geofence_users.installs + excluded.installs
      RETURNING geofence_id, user_id, installs)
    INSERT INTO geofence_activations (geofence_id, shard, entries, users)
      SELECT geofence_id, ${shard}, 0, COUNT(*) FROM counted JOIN given USING (geofence_id, user_id, installs)
      GROUP BY 1 ORDER BY 1
      ON CONFLICT (geofence_id, shard) DO UPDATE SET users = geofence_activations.users + excluded.users;
    RETURN NULL; END $$`)
  await db.raw(`CREATE TRIGGER geofence_presence_added AFTER INSERT ON geofence_presence
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_geofence_presence_added()`)
  // Statements of their own, each with a snapshot taken after the rows were locked. Geofences that are gone are left out.
  await db.raw(`CREATE FUNCTION count_geofence_presence_removed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM 1 FROM geofence_users AS inside
      JOIN (SELECT DISTINCT geofence_id, user_id FROM removed) AS gone USING (geofence_id, user_id)
      ORDER BY inside.geofence_id, inside.user_id FOR UPDATE OF inside;
    WITH gone AS (DELETE FROM geofence_users AS inside
      USING (SELECT geofence_id, user_id, COUNT(*) AS installs FROM removed GROUP BY 1, 2) AS less
      WHERE inside.geofence_id = less.geofence_id AND inside.user_id = less.user_id AND inside.installs <= less.installs
      RETURNING inside.geofence_id),
    there AS MATERIALIZED (SELECT id FROM geofences WHERE id IN (SELECT geofence_id FROM gone) ORDER BY id FOR KEY SHARE)
    INSERT INTO geofence_activations (geofence_id, shard, entries, users)
      SELECT geofence_id, ${shard}, 0, -COUNT(*) FROM gone JOIN there ON there.id = gone.geofence_id
      GROUP BY 1 ORDER BY 1
      ON CONFLICT (geofence_id, shard) DO UPDATE SET users = geofence_activations.users + excluded.users;
    UPDATE geofence_users AS inside SET installs = inside.installs - less.installs
      FROM (SELECT geofence_id, user_id, COUNT(*) AS installs FROM removed GROUP BY 1, 2) AS less
      WHERE inside.geofence_id = less.geofence_id AND inside.user_id = less.user_id;
    RETURN NULL; END $$`)
  await db.raw(`CREATE TRIGGER geofence_presence_removed AFTER DELETE ON geofence_presence
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_geofence_presence_removed()`)
  // Whoever moves the install has its row locked, and whoever fills a geofence holds the lock of the geofences.
  await db.raw(`CREATE FUNCTION move_geofence_presence() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NOT EXISTS (SELECT 1 FROM install_positions WHERE install_row = NEW.id) THEN RETURN NULL; END IF;
    PERFORM pg_advisory_xact_lock_shared(${GEOFENCE_LOCK}, (NEW.app_id % 2147483648)::int);
    PERFORM pg_advisory_xact_lock(${USER_LOCK}, (LEAST(OLD.user_id, NEW.user_id) % 2147483648)::int);
    PERFORM pg_advisory_xact_lock(${USER_LOCK}, (GREATEST(OLD.user_id, NEW.user_id) % 2147483648)::int);
    WITH gone AS (DELETE FROM geofence_presence WHERE install_row = NEW.id RETURNING *)
    INSERT INTO geofence_presence (install_row, geofence_id, app_id, entered_at, user_id)
      SELECT install_row, geofence_id, app_id, entered_at, NEW.user_id FROM gone;
    RETURN NULL; END $$`)
  await db.raw(`CREATE TRIGGER geofence_presence_of_user AFTER UPDATE OF user_id ON installs
    FOR EACH ROW WHEN (OLD.user_id <> NEW.user_id) EXECUTE FUNCTION move_geofence_presence()`)

  await db.raw(`CREATE FUNCTION count_active_hours() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF TG_OP <> 'INSERT' THEN
      INSERT INTO active_hour_counts SELECT id, OLD.preferred_hour, ${shard}, -1 FROM apps WHERE id = OLD.app_id FOR KEY SHARE
      ON CONFLICT (app_id, preferred_hour, shard) DO UPDATE SET users = active_hour_counts.users - 1;
    END IF;
    IF TG_OP <> 'DELETE' THEN
      INSERT INTO active_hour_counts VALUES (NEW.app_id, NEW.preferred_hour, ${shard}, 1)
      ON CONFLICT (app_id, preferred_hour, shard) DO UPDATE SET users = active_hour_counts.users + 1;
    END IF;
    RETURN NULL; END $$`)
  await db.raw(`CREATE TRIGGER active_hours_counted AFTER INSERT OR DELETE ON active_hours
    FOR EACH ROW EXECUTE FUNCTION count_active_hours()`)
  await db.raw(`CREATE TRIGGER active_hours_changed AFTER UPDATE OF preferred_hour ON active_hours
    FOR EACH ROW WHEN (OLD.preferred_hour <> NEW.preferred_hour) EXECUTE FUNCTION count_active_hours()`)
}

export async function down(db: Knex): Promise<void> {
  await db.raw('DROP INDEX in_app_messages_by_notification')
  await db.raw(
    'CREATE INDEX in_app_messages_push ON in_app_messages (notification_id) WHERE notification_id IS NOT NULL',
  )
  if (db.client.driverName === 'pg') {
    for (const name of ['added', 'removed']) {
      await db.raw(`DROP FUNCTION count_geofence_presence_${name} CASCADE`)
    }
    await db.raw('DROP FUNCTION move_geofence_presence CASCADE')
    await db.raw('DROP FUNCTION count_active_hours CASCADE')
  } else {
    const triggers = ['geofence_presence_added', 'geofence_presence_removed', 'geofence_presence_of_user']
    const others = ['geofence_presence_moved', 'active_hours_added', 'active_hours_removed', 'active_hours_changed']
    for (const name of [...triggers, ...others]) await db.raw(`DROP TRIGGER ${name}`)
  }
  await db.schema.alterTable('active_hours', (t) => t.index(['app_id', 'preferred_hour']))
  await db.raw('DROP TABLE active_hour_counts')
  await db.raw('ALTER TABLE geofence_activations DROP COLUMN users')
  await db.raw('DROP TABLE geofence_users')
  await db.raw('ALTER TABLE geofence_presence DROP COLUMN user_id')
}
