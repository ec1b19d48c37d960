import type { Knex } from 'knex'

export async function up(db: Knex): Promise<void> {
  const isPostgres = db.client.driverName === 'pg'
  await db.schema.createTable('geofences', (t) => {
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
    // What the tables below refer to: a fence of one app can never hold installs of another.
    t.unique(['app_id', 'id'])
  })
  await db.raw('CREATE INDEX geofences_unsettled ON geofences (id) WHERE settled_row IS NOT NULL')
  await (isPostgres ? indexBoxes(db) : treeOfBoxes(db))

  const clustered = isPostgres ? '' : 'WITHOUT ROWID'
  await db.raw(`CREATE TABLE geofence_tags (
    app_id bigint NOT NULL,
    tag varchar(255) NOT NULL,
    geofence_id bigint NOT NULL,
    PRIMARY KEY (app_id, tag, geofence_id),
    FOREIGN KEY (app_id, geofence_id) REFERENCES geofences (app_id, id) ON DELETE CASCADE
  ) ${clustered}`)
  await db.raw('CREATE INDEX geofence_tags_by_fence ON geofence_tags (app_id, geofence_id)')

  // Entries, in several rows a fence: devices that enter it together need not wait for each other, and the fence's own row,
  // which can be long, is left alone.
  await db.raw(`CREATE TABLE geofence_activations (
    geofence_id bigint NOT NULL REFERENCES geofences (id) ON DELETE CASCADE,
    shard integer NOT NULL,
    entries bigint NOT NULL,
    PRIMARY KEY (geofence_id, shard)
  ) ${clustered}`)

  // The last position of an install, and when the one before it was.
  await db.raw(`CREATE TABLE install_positions (
    install_row bigint NOT NULL PRIMARY KEY REFERENCES installs (id) ON DELETE CASCADE,
    app_id bigint NOT NULL,
    lat double precision NOT NULL,
    lng double precision NOT NULL,
    position_at bigint NOT NULL,
    previous_at bigint
  ) ${clustered}`)
  // Who is in a new fence already: a walk along the latitudes of its box.
  await db.raw('CREATE INDEX install_positions_by_place ON install_positions (app_id, lat, install_row, lng)')
  await db.raw('CREATE INDEX install_positions_by_age ON install_positions (position_at)')

  // Who is inside of which enabled fence by that position.
  await db.raw(`CREATE TABLE geofence_presence (
    install_row bigint NOT NULL REFERENCES install_positions (install_row) ON DELETE CASCADE,
    geofence_id bigint NOT NULL,
    app_id bigint NOT NULL,
    entered_at bigint NOT NULL,
    PRIMARY KEY (install_row, geofence_id),
    FOREIGN KEY (app_id, geofence_id) REFERENCES geofences (app_id, id) ON DELETE CASCADE
  ) ${clustered}`)
  await db.raw('CREATE INDEX geofence_presence_by_fence ON geofence_presence (app_id, geofence_id, install_row)')
}

/** The range puts the app into the index without an extension: apps whose fences lie upon each other do not meet in it. */
async function indexBoxes(db: Knex): Promise<void> {
  await db.raw(`CREATE INDEX geofences_by_place ON geofences
    USING gist (int8range(app_id, app_id, '[]'), box(point(west, south), point(east, north))) WHERE is_enabled`)
}

/**
 * The app is a dimension of the tree: apps whose fences lie upon each other do not meet in it. Each is one wide, because boxes
 * without volume give the tree nothing to sort them by. Kept up to date by triggers.
 */
async function treeOfBoxes(db: Knex): Promise<void> {
  await db.raw('CREATE VIRTUAL TABLE geofence_boxes USING rtree(id, first_app, last_app, west, east, south, north)')
  const add = `INSERT INTO geofence_boxes
    SELECT NEW.id, NEW.app_id * 2, NEW.app_id * 2 + 1, NEW.west, NEW.east, NEW.south, NEW.north WHERE NEW.is_enabled`
  const remove = 'DELETE FROM geofence_boxes WHERE id = OLD.id'
  await db.raw(`CREATE TRIGGER geofences_added AFTER INSERT ON geofences BEGIN ${add}; END`)
  await db.raw(`CREATE TRIGGER geofences_moved AFTER UPDATE OF is_enabled, west, south, east, north ON geofences
    BEGIN ${remove}; ${add}; END`)
  await db.raw(`CREATE TRIGGER geofences_removed AFTER DELETE ON geofences BEGIN ${remove}; END`)
}

export async function down(db: Knex): Promise<void> {
  const tables = ['geofence_presence', 'install_positions', 'geofence_activations', 'geofence_tags', 'geofences']
  for (const table of tables) await db.schema.dropTable(table)
  if (db.client.driverName !== 'pg') await db.raw('DROP TABLE geofence_boxes')
}
