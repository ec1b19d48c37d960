import type { Knex } from 'knex'

/** Erasing a person, and forgetting old notifications. */
export async function up(db: Knex): Promise<void> {
  const isPostgres = db.client.driverName === 'pg'
  const clustered = isPostgres ? '' : 'WITHOUT ROWID'

  // The erasure list. It stays, so that a person who was erased is erased again when an older backup is restored.
  await db.schema.createTable('erasures', (t) => {
    t.string('id', 36).primary()
    t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
    // user or install.
    t.string('kind', 8).notNullable()
    // HMAC of the identifier.
    t.string('digest', 64).notNullable()
    t.string('state', 16).notNullable()
    // Whether there was such a user or install; null until somebody looked.
    t.boolean('found')
    // What has to be looked for (a JSON list): the identifier, and the ids of erased installs. Null when it is done, and while
    // only the digest is known.
    t.text('names')
    t.bigInteger('requested_at').notNullable()
    t.bigInteger('done_at')
    t.index(['app_id', 'digest'])
  })
  await db.raw('CREATE INDEX erasures_open ON erasures (requested_at) WHERE done_at IS NULL')

  // Which known users an install ever named. Its events mention them, whoever uses it now.
  await db.raw(`CREATE TABLE install_users (
    app_id bigint NOT NULL,
    identifier varchar(255) NOT NULL,
    install_row bigint NOT NULL REFERENCES installs (id) ON DELETE CASCADE,
    PRIMARY KEY (app_id, identifier, install_row)
  ) ${clustered}`)
  await db.raw('CREATE INDEX install_users_by_install ON install_users (install_row)')
  await fillInstallUsers(db, isPostgres)

  await db.raw('CREATE INDEX crash_reports_by_install ON crash_reports (app_id, install_id, id)')
  await db.raw(
    'CREATE INDEX notification_user_meta_by_user ON notification_user_meta (app_id, identifier, notification_id)',
  )
  await db.raw('CREATE INDEX channel_import_unknowns_by_name ON channel_import_unknowns (identifier, import_id, line)')
  await db.raw('CREATE INDEX events_by_user ON events (app_id, user_identifier, id) WHERE install_row IS NULL')
  await db.raw("CREATE INDEX events_of_erasures ON events (received_at) WHERE type = 'user.erased'")

  await db.schema.alterTable('notifications', (t) => {
    // What its pages added up to (JSON), once they are being forgotten.
    t.text('counts')
    t.bigInteger('forgotten_at')
  })
  await db.raw(
    'CREATE INDEX notifications_over ON notifications (expires_at, id) WHERE status >= 3 AND forgotten_at IS NULL',
  )
}

/** From what is known: current users, and those that events named. Anonymous users are named like their install. */
async function fillInstallUsers(db: Knex, isPostgres: boolean): Promise<void> {
  const add = (rows: string) => db.raw(`INSERT INTO install_users (app_id, identifier, install_row) ${rows}`)
  await add(`SELECT installs.app_id, users.identifier, installs.id FROM installs
    JOIN users ON users.id = installs.user_id WHERE users.identifier <> installs.install_id`)
  await add(`SELECT DISTINCT installs.app_id, events.user_identifier, installs.id FROM events
    JOIN installs ON installs.id = events.install_row
    WHERE events.user_identifier IS NOT NULL AND events.user_identifier <> installs.install_id
    ON CONFLICT DO NOTHING`)
  // PostgreSQL cannot read NUL, which no user has in their name.
  const named = isPostgres
    ? "CASE WHEN events.data NOT LIKE '%\\u0000%' THEN events.data::json ->> 'id' END"
    : "CAST(json_extract(events.data, '$.id') AS text)"
  await add(`SELECT DISTINCT app_id, named, install_row FROM (
      SELECT installs.app_id, ${named} AS named, installs.id AS install_row, installs.install_id FROM events
      JOIN installs ON installs.id = events.install_row WHERE events.type = 'k.stats.userAssociated') AS found
    WHERE named IS NOT NULL AND length(named) <= 255 AND named <> install_id ON CONFLICT DO NOTHING`)
}

export async function down(db: Knex): Promise<void> {
  await db.raw('DROP INDEX notifications_over')
  // Not through Knex: on SQLite it copies the table and drops the old one, and everything that refers to it goes along.
  for (const column of ['counts', 'forgotten_at']) await db.raw('ALTER TABLE notifications DROP COLUMN ??', [column])
  const indexes = ['crash_reports_by_install', 'notification_user_meta_by_user', 'channel_import_unknowns_by_name']
  for (const index of [...indexes, 'events_by_user', 'events_of_erasures']) await db.raw(`DROP INDEX ${index}`)
  for (const table of ['install_users', 'erasures']) await db.schema.dropTable(table)
}
