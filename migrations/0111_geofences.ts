import type { Knex } from 'knex'
import { clustered, dropFunctions, dropTables, dropTriggers, isPostgres, run, SHARD } from './dialect.ts'

/** First keys of the program's advisory locks on PostgreSQL: of the geofences of an app, and of who moves by user. */
const GEOFENCE_LOCK = 0x67656f66
const USER_LOCK = 0x67656f75

export const tables = {
  geofences: 'Geofences: a circle or polygon each.',
  geofence_tags: 'The tags of geofences, by which targets name them.',
  geofence_activations:
    'Entries and users inside, as sums of several rows a geofence: devices that enter it together need not wait for each other, and the row of the geofence, which can be long, is left alone. A single row may be negative.',
  install_positions: 'The last position of an install, and when the one before it was.',
  geofence_presence: 'Which installs are inside of which enabled geofence by that position.',
  geofence_users:
    'How many installs of a user are inside a geofence: users are counted, not installs. Triggers keep it, so it needs no foreign keys.',
  geofence_boxes: 'The boxes of the enabled geofences, as an R-tree. PostgreSQL has an index for them.',
}

export const triggers = {
  geofences_added: 'Puts the box of an enabled geofence into the tree.',
  geofences_moved: 'Takes the former box out of the tree, and puts the new one in if the geofence is enabled.',
  geofences_removed: 'Takes the box out of the tree.',
  geofence_presence_added: 'Counts the install for its user, and the user inside if it is the first of their installs.',
  geofence_presence_removed:
    'Takes the install off, and the user if it was the last of their installs. An install leaves in many ways, and most are cascades that the program does not see.',
  geofence_presence_of_user: 'Moves what an install is inside of to its new user.',
  geofence_presence_moved: 'Takes the install off the former user, and counts it for the new one.',
}

/** The range puts the app into the index without an extension: apps whose fences lie upon each other do not meet in it. */
const INDEX_OF_BOXES = [
  `CREATE INDEX geofences_by_place ON geofences
    USING gist (int8range(app_id, app_id, '[]'), box(point(west, south), point(east, north))) WHERE is_enabled`,
]

export const up = (db: Knex) =>
  run(db, [
    db.schema.createTable('geofences', (t) => {
      t.bigIncrements('id')
      t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
      t.string('name').notNullable()
      t.boolean('is_enabled').notNullable()
      t.string('kind', 16).notNullable()
      // The GeoJSON as it was given, and its digest: shapes that were read once are known by it.
      t.text('bounds').notNullable()
      t.string('digest', 64).notNullable()
      t.text('tags').notNullable()
      // Degrees. west is from -180 to 180, and east is to its right, past 180 when the fence crosses the antimeridian.
      t.double('west').notNullable()
      t.double('south').notNullable()
      t.double('east').notNullable()
      t.double('north').notNullable()
      // How far the installs that are there already have been placed, by latitude and row; null when all are.
      t.double('settled_lat')
      t.bigInteger('settled_row')
      t.bigInteger('created_at').notNullable()
      t.bigInteger('updated_at').notNullable()
      // What the tables below refer to: a geofence of one app can never hold installs of another.
      t.unique(['app_id', 'id'])
    }),
    'CREATE INDEX geofences_unsettled ON geofences (id) WHERE settled_row IS NOT NULL',
    ...(isPostgres(db) ? INDEX_OF_BOXES : treeOfBoxes()),

    `CREATE TABLE geofence_tags (
    app_id bigint NOT NULL,
    tag varchar(255) NOT NULL,
    geofence_id bigint NOT NULL,
    PRIMARY KEY (app_id, tag, geofence_id),
    FOREIGN KEY (app_id, geofence_id) REFERENCES geofences (app_id, id) ON DELETE CASCADE
  ) ${clustered(db)}`,
    'CREATE INDEX geofence_tags_by_fence ON geofence_tags (app_id, geofence_id)',

    `CREATE TABLE geofence_activations (
    geofence_id bigint NOT NULL REFERENCES geofences (id) ON DELETE CASCADE,
    shard integer NOT NULL,
    entries bigint NOT NULL,
    users bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (geofence_id, shard)
  ) ${clustered(db)}`,

    `CREATE TABLE install_positions (
    install_row bigint NOT NULL PRIMARY KEY REFERENCES installs (id) ON DELETE CASCADE,
    app_id bigint NOT NULL,
    lat double precision NOT NULL,
    lng double precision NOT NULL,
    position_at bigint NOT NULL,
    previous_at bigint
  ) ${clustered(db)}`,
    // Who is in a new fence already: a walk along the latitudes of its box.
    'CREATE INDEX install_positions_by_place ON install_positions (app_id, lat, install_row, lng)',
    'CREATE INDEX install_positions_by_age ON install_positions (position_at)',

    `CREATE TABLE geofence_presence (
    install_row bigint NOT NULL REFERENCES install_positions (install_row) ON DELETE CASCADE,
    geofence_id bigint NOT NULL,
    app_id bigint NOT NULL,
    entered_at bigint NOT NULL,
    -- The user of the install, as whom it is counted: what was added is taken away, even when the user changed meanwhile.
    user_id bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (install_row, geofence_id),
    FOREIGN KEY (app_id, geofence_id) REFERENCES geofences (app_id, id) ON DELETE CASCADE
  ) ${clustered(db)}`,
    'CREATE INDEX geofence_presence_by_fence ON geofence_presence (app_id, geofence_id, install_row)',

    `CREATE TABLE geofence_users (
    geofence_id bigint NOT NULL,
    user_id bigint NOT NULL,
    installs integer NOT NULL,
    PRIMARY KEY (geofence_id, user_id)
  ) ${clustered(db)}`,
    ...(isPostgres(db) ? countOnPostgres() : countOnSqlite()),
  ])

/**
 * The app is a dimension of the tree: apps whose fences lie upon each other do not meet in it. Each is one wide, because boxes
 * without volume give the tree nothing to sort them by. Kept up to date by triggers.
 */
function treeOfBoxes(): string[] {
  const add = `INSERT INTO geofence_boxes
    SELECT NEW.id, NEW.app_id * 2, NEW.app_id * 2 + 1, NEW.west, NEW.east, NEW.south, NEW.north WHERE NEW.is_enabled`
  const remove = 'DELETE FROM geofence_boxes WHERE id = OLD.id'
  return [
    'CREATE VIRTUAL TABLE geofence_boxes USING rtree(id, first_app, last_app, west, east, south, north)',
    `CREATE TRIGGER geofences_added AFTER INSERT ON geofences BEGIN ${add}; END`,
    `CREATE TRIGGER geofences_moved AFTER UPDATE OF is_enabled, west, south, east, north ON geofences
    BEGIN ${remove}; ${add}; END`,
    `CREATE TRIGGER geofences_removed AFTER DELETE ON geofences BEGIN ${remove}; END`,
  ]
}

/** Counts in one row each: SQLite has one writer. */
function countOnSqlite(): string[] {
  const user = (row: string) => `geofence_id = ${row}.geofence_id AND user_id = ${row}.user_id`
  return [
    `CREATE TRIGGER geofence_presence_added AFTER INSERT ON geofence_presence BEGIN
    INSERT INTO geofence_users VALUES (NEW.geofence_id, NEW.user_id, 1)
      ON CONFLICT (geofence_id, user_id) DO UPDATE SET installs = installs + 1;
    INSERT INTO geofence_activations (geofence_id, shard, entries, users)
      SELECT geofence_id, 0, 0, 1 FROM geofence_users WHERE ${user('NEW')} AND installs = 1
      ON CONFLICT (geofence_id, shard) DO UPDATE SET users = users + 1; END`,
    // Rows that a cascade has deleted already are not made again.
    `CREATE TRIGGER geofence_presence_removed AFTER DELETE ON geofence_presence BEGIN
    UPDATE geofence_users SET installs = installs - 1 WHERE ${user('OLD')};
    UPDATE geofence_activations SET users = users - 1 WHERE geofence_id = OLD.geofence_id AND shard = 0
      AND EXISTS (SELECT 1 FROM geofence_users WHERE ${user('OLD')} AND installs = 0);
    DELETE FROM geofence_users WHERE ${user('OLD')} AND installs = 0; END`,
    `CREATE TRIGGER geofence_presence_of_user AFTER UPDATE OF user_id ON installs
    WHEN OLD.user_id <> NEW.user_id BEGIN
    UPDATE geofence_presence SET user_id = NEW.user_id WHERE install_row = NEW.id; END`,
    `CREATE TRIGGER geofence_presence_moved AFTER UPDATE OF user_id ON geofence_presence BEGIN
    UPDATE geofence_users SET installs = installs - 1 WHERE ${user('OLD')};
    UPDATE geofence_activations SET users = users - 1 WHERE geofence_id = OLD.geofence_id AND shard = 0
      AND EXISTS (SELECT 1 FROM geofence_users WHERE ${user('OLD')} AND installs = 0);
    DELETE FROM geofence_users WHERE ${user('OLD')} AND installs = 0;
    INSERT INTO geofence_users VALUES (NEW.geofence_id, NEW.user_id, 1)
      ON CONFLICT (geofence_id, user_id) DO UPDATE SET installs = installs + 1;
    UPDATE geofence_activations SET users = users + 1 WHERE geofence_id = NEW.geofence_id AND shard = 0
      AND EXISTS (SELECT 1 FROM geofence_users WHERE ${user('NEW')} AND installs = 1); END`,
  ]
}

/** Rows of `geofence_users` are shared by those who move installs of one user; each statement locks them in the order of their key. */
function countOnPostgres(): string[] {
  return [
    `CREATE FUNCTION count_geofence_presence_added() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    WITH given AS (SELECT geofence_id, user_id, COUNT(*) AS installs FROM added GROUP BY 1, 2),
    counted AS (INSERT INTO geofence_users (geofence_id, user_id, installs) SELECT * FROM given ORDER BY 1, 2
      ON CONFLICT (geofence_id, user_id) DO UPDATE SET installs = geofence_users.installs + excluded.installs
      RETURNING geofence_id, user_id, installs)
    INSERT INTO geofence_activations (geofence_id, shard, entries, users)
      SELECT geofence_id, ${SHARD}, 0, COUNT(*) FROM counted JOIN given USING (geofence_id, user_id, installs)
      GROUP BY 1 ORDER BY 1
      ON CONFLICT (geofence_id, shard) DO UPDATE SET users = geofence_activations.users + excluded.users;
    RETURN NULL; END $$`,
    `CREATE TRIGGER geofence_presence_added AFTER INSERT ON geofence_presence
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_geofence_presence_added()`,
    // Statements of their own, each with a snapshot taken after the rows were locked. Geofences that are gone are left out.
    `CREATE FUNCTION count_geofence_presence_removed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM 1 FROM geofence_users AS inside
      JOIN (SELECT DISTINCT geofence_id, user_id FROM removed) AS gone USING (geofence_id, user_id)
      ORDER BY inside.geofence_id, inside.user_id FOR UPDATE OF inside;
    WITH gone AS (DELETE FROM geofence_users AS inside
      USING (SELECT geofence_id, user_id, COUNT(*) AS installs FROM removed GROUP BY 1, 2) AS less
      WHERE inside.geofence_id = less.geofence_id AND inside.user_id = less.user_id AND inside.installs <= less.installs
      RETURNING inside.geofence_id),
    there AS MATERIALIZED (SELECT id FROM geofences WHERE id IN (SELECT geofence_id FROM gone) ORDER BY id FOR KEY SHARE)
    INSERT INTO geofence_activations (geofence_id, shard, entries, users)
      SELECT geofence_id, ${SHARD}, 0, -COUNT(*) FROM gone JOIN there ON there.id = gone.geofence_id
      GROUP BY 1 ORDER BY 1
      ON CONFLICT (geofence_id, shard) DO UPDATE SET users = geofence_activations.users + excluded.users;
    UPDATE geofence_users AS inside SET installs = inside.installs - less.installs
      FROM (SELECT geofence_id, user_id, COUNT(*) AS installs FROM removed GROUP BY 1, 2) AS less
      WHERE inside.geofence_id = less.geofence_id AND inside.user_id = less.user_id;
    RETURN NULL; END $$`,
    `CREATE TRIGGER geofence_presence_removed AFTER DELETE ON geofence_presence
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_geofence_presence_removed()`,
    // Whoever moves the install has its row locked, and whoever fills a geofence holds the lock of the geofences.
    `CREATE FUNCTION move_geofence_presence() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NOT EXISTS (SELECT 1 FROM install_positions WHERE install_row = NEW.id) THEN RETURN NULL; END IF;
    PERFORM pg_advisory_xact_lock_shared(${GEOFENCE_LOCK}, (NEW.app_id % 2147483648)::int);
    PERFORM pg_advisory_xact_lock(${USER_LOCK}, (LEAST(OLD.user_id, NEW.user_id) % 2147483648)::int);
    PERFORM pg_advisory_xact_lock(${USER_LOCK}, (GREATEST(OLD.user_id, NEW.user_id) % 2147483648)::int);
    WITH gone AS (DELETE FROM geofence_presence WHERE install_row = NEW.id RETURNING *)
    INSERT INTO geofence_presence (install_row, geofence_id, app_id, entered_at, user_id)
      SELECT install_row, geofence_id, app_id, entered_at, NEW.user_id FROM gone;
    RETURN NULL; END $$`,
    `CREATE TRIGGER geofence_presence_of_user AFTER UPDATE OF user_id ON installs
    FOR EACH ROW WHEN (OLD.user_id <> NEW.user_id) EXECUTE FUNCTION move_geofence_presence()`,
  ]
}

export async function down(db: Knex): Promise<void> {
  await dropTriggers(db, 'geofence_presence_of_user')
  await dropTables(db, tables)
  await dropFunctions(db, 'count_geofence_presence_added', 'count_geofence_presence_removed', 'move_geofence_presence')
}
