import type { Knex } from 'knex'
import { clustered, dropFunctions, dropTables, isPostgres, run, SHARD } from './dialect.ts'

export const tables = {
  users: 'Users, known and anonymous.',
  user_blocks:
    'How many listed users each block of ids holds: page n of the list is found by summing blocks, never by OFFSET over users.',
  installs: 'Installs: who uses it, its push token, and what the device reported.',
  retired_tokens: 'Tokens that a gateway refused for good, kept so that a wrong retirement can be undone.',
  user_signing_keys: 'Keys that sign tokens of users. Sealed, not digested: a check of a token needs the key itself.',
  test_devices: 'Installs that the console offers for test pushes.',
  active_hours: 'When users are active: per 30 days a count for each hour of the local day, newest first (JSON).',
  active_hour_counts: 'How many users have which preferred hour, as the sum of the rows of an hour. Triggers count.',
}

export const triggers = {
  active_hours_added: 'Counts the preferred hour of the user.',
  active_hours_removed: 'Takes the preferred hour of the user off the counts.',
  active_hours_counted: 'Counts the preferred hour of the user, or takes it off.',
  active_hours_changed: 'Takes the former hour off the counts, and counts the new one.',
}

export const up = (db: Knex) =>
  run(db, [
    db.schema.createTable('users', (t) => {
      t.bigIncrements('id')
      t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
      t.string('identifier').notNullable()
      // Made by us for an install that has no user yet, not by the app or a server.
      t.boolean('anonymous').notNullable()
      // What the contract's user list shows: known users, and anonymous ones that are the current user of an install.
      t.boolean('listed').notNullable()
      t.integer('install_count').notNullable().defaultTo(0)
      t.text('attributes').notNullable().defaultTo('{}')
      t.boolean('in_app_enabled').notNullable().defaultTo(false)
      // Event time of the consent in force: a late upload does not undo a newer one.
      t.bigInteger('in_app_at').notNullable().defaultTo(0)
      t.bigInteger('first_active').notNullable()
      t.bigInteger('last_active').notNullable()
      t.bigInteger('created_at').notNullable()
      t.bigInteger('updated_at').notNullable()
      // When the attributes in force were written: the server's time of a call, the device's own time of an association.
      t.bigInteger('attributes_at').notNullable().defaultTo(0)
      t.unique(['app_id', 'identifier'])
    }),
    'CREATE INDEX users_listed ON users (app_id, id) WHERE listed',
    // Whom a broadcast means: not the anonymous users that nobody is any more (they are not listed).
    'CREATE INDEX users_in_app ON users (app_id, id) WHERE in_app_enabled AND listed',
    // By bytes: only then the identifiers with one beginning are one range. SQLite compares bytes anyway.
    isPostgres(db) && 'CREATE INDEX users_by_name ON users (app_id, identifier COLLATE "C") WHERE listed',

    db.schema.createTable('user_blocks', (t) => {
      t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
      t.bigInteger('block').notNullable()
      t.integer('listed').notNullable()
      t.primary(['app_id', 'block'])
    }),

    db.schema.createTable('installs', (t) => {
      t.bigIncrements('id')
      t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
      t.string('install_id').notNullable()
      t.bigInteger('user_id').notNullable().references('users.id')
      // Event time of the association in force: a late upload does not undo a newer one.
      t.bigInteger('user_since').notNullable().defaultTo(0)
      t.integer('platform')
      t.text('token')
      t.text('token_keys')
      t.string('token_topic')
      t.string('token_environment', 16)
      // Event time of the registration or removal in force.
      t.bigInteger('token_at')
      t.integer('token_refusals').notNullable().defaultTo(0)
      t.boolean('notifications_enabled').notNullable().defaultTo(true)
      t.bigInteger('notifications_at').notNullable().defaultTo(0)
      // token present and notifications enabled: what sends look at.
      t.boolean('subscribed').notNullable().defaultTo(false)
      t.string('os')
      t.string('os_version')
      t.string('sdk_type')
      t.string('sdk_version')
      t.string('app_version')
      t.string('country_iso_code', 8)
      t.string('timezone')
      t.string('locale')
      t.text('device_model')
      t.text('device_name')
      t.bigInteger('details_at').notNullable().defaultTo(0)
      t.bigInteger('last_active').notNullable()
      t.bigInteger('created_at').notNullable()
      t.bigInteger('updated_at').notNullable()
      // The app version as text that sorts as versions do. Compared byte by byte, whatever the language of the database.
      t.specificType('app_version_key', isPostgres(db) ? 'text COLLATE "C"' : 'text')
      // When the zone or the preferred hour changed last (ms): between two runs of a notification nobody is met twice or missed.
      t.bigInteger('zone_changed_at').notNullable().defaultTo(0)
      // The hour of the local day in which the user is most often active; -1 = not known.
      t.integer('preferred_hour').notNullable().defaultTo(-1)
      // Null where the device never said: which build of the app it is, whether the device is a simulator, and whether iOS lets the app
      // interrupt a Focus.
      t.string('build_kind', 8)
      t.boolean('simulator')
      t.boolean('time_sensitive')
      t.unique(['app_id', 'install_id'])
      t.index(['app_id', 'user_id'])
      t.index(['user_id'])
    }),
    'CREATE INDEX installs_subscribed ON installs (app_id, platform, id) WHERE subscribed',
    'CREATE INDEX installs_token ON installs (app_id, token) WHERE token IS NOT NULL',
    // Zone by zone, so that the forty runs of a local time together walk the installs once; holds all that a walk reads.
    `CREATE INDEX installs_places ON installs (app_id, platform, timezone, preferred_hour, id, zone_changed_at)
     WHERE subscribed`,
    'CREATE INDEX installs_changed ON installs (app_id, zone_changed_at, id) WHERE subscribed',
    // Which zones and preferred hours installs have, subscribed to push or not: found by hopping, however many installs there are.
    // And who is there, so that all walks of a local time but the last go through everybody once, together.
    'CREATE INDEX installs_whereabouts ON installs (app_id, timezone, preferred_hour, user_id)',

    db.schema.createTable('retired_tokens', (t) => {
      t.bigIncrements('id')
      t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
      t.bigInteger('install_row').notNullable().references('installs.id').onDelete('CASCADE')
      t.integer('platform').notNullable()
      t.text('token').notNullable()
      t.text('token_keys')
      t.string('token_topic')
      t.string('token_environment', 16)
      t.bigInteger('token_at')
      t.string('app_version')
      t.string('reason').notNullable()
      t.bigInteger('retired_at').notNullable()
      // The install first, so that deleting an app finds them install by install.
      t.index(['install_row'])
    }),
    'CREATE INDEX retired_tokens_by_app ON retired_tokens (app_id, install_row)',

    db.schema.createTable('user_signing_keys', (t) => {
      t.bigIncrements('id')
      t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
      t.text('sealed').notNullable()
      t.string('hint', 16).notNullable()
      t.bigInteger('created_at').notNullable()
      // Set when the key was replaced.
      t.bigInteger('expires_at')
      t.index(['app_id'])
    }),

    db.schema.createTable('test_devices', (t) => {
      t.bigIncrements('id')
      t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
      t.string('name', 100).notNullable()
      t.bigInteger('install_row').notNullable().references('installs.id').onDelete('CASCADE')
      t.bigInteger('created_at').notNullable()
      t.unique(['app_id', 'install_row'])
      t.index(['install_row'])
    }),

    db.schema.createTable('active_hours', (t) => {
      t.bigInteger('user_id').primary().references('users.id').onDelete('CASCADE')
      t.bigInteger('app_id').notNullable()
      t.integer('period').notNullable()
      // The hour since the epoch that was counted last: an hour counts once.
      t.bigInteger('last_hour').notNullable()
      t.text('counts').notNullable()
      t.integer('preferred_hour').notNullable()
      t.index(['period'])
    }),

    `CREATE TABLE active_hour_counts (
    app_id bigint NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    preferred_hour integer NOT NULL,
    shard integer NOT NULL,
    users bigint NOT NULL,
    PRIMARY KEY (app_id, preferred_hour, shard)
  ) ${clustered(db)}`,
    ...(isPostgres(db) ? countHoursOnPostgres() : countHoursOnSqlite()),
  ])

/** Counts in one row each: SQLite has one writer. */
function countHoursOnSqlite(): string[] {
  const more = `INSERT INTO active_hour_counts VALUES (NEW.app_id, NEW.preferred_hour, 0, 1)
    ON CONFLICT (app_id, preferred_hour, shard) DO UPDATE SET users = users + 1`
  const fewer = `UPDATE active_hour_counts SET users = users - 1
    WHERE app_id = OLD.app_id AND preferred_hour = OLD.preferred_hour AND shard = 0`
  return [
    `CREATE TRIGGER active_hours_added AFTER INSERT ON active_hours BEGIN ${more}; END`,
    `CREATE TRIGGER active_hours_removed AFTER DELETE ON active_hours BEGIN ${fewer}; END`,
    `CREATE TRIGGER active_hours_changed AFTER UPDATE OF preferred_hour ON active_hours
    WHEN OLD.preferred_hour <> NEW.preferred_hour BEGIN ${fewer}; ${more}; END`,
  ]
}

function countHoursOnPostgres(): string[] {
  return [
    `CREATE FUNCTION count_active_hours() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF TG_OP <> 'INSERT' THEN
      INSERT INTO active_hour_counts SELECT id, OLD.preferred_hour, ${SHARD}, -1 FROM apps WHERE id = OLD.app_id FOR KEY SHARE
      ON CONFLICT (app_id, preferred_hour, shard) DO UPDATE SET users = active_hour_counts.users - 1;
    END IF;
    IF TG_OP <> 'DELETE' THEN
      INSERT INTO active_hour_counts VALUES (NEW.app_id, NEW.preferred_hour, ${SHARD}, 1)
      ON CONFLICT (app_id, preferred_hour, shard) DO UPDATE SET users = active_hour_counts.users + 1;
    END IF;
    RETURN NULL; END $$`,
    `CREATE TRIGGER active_hours_counted AFTER INSERT OR DELETE ON active_hours
    FOR EACH ROW EXECUTE FUNCTION count_active_hours()`,
    `CREATE TRIGGER active_hours_changed AFTER UPDATE OF preferred_hour ON active_hours
    FOR EACH ROW WHEN (OLD.preferred_hour <> NEW.preferred_hour) EXECUTE FUNCTION count_active_hours()`,
  ]
}

export async function down(db: Knex): Promise<void> {
  await dropTables(db, tables)
  await dropFunctions(db, 'count_active_hours')
}
