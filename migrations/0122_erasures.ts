import type { Knex } from 'knex'
import { clustered, dropTables, run } from './dialect.ts'

export const tables = {
  erasures:
    'The erasure list. It stays, so that a person who was erased is erased again when an older backup is restored.',
  erased_devices: 'Devices that went with an erased person: an import must not bring them back.',
  install_users: 'Which known users an install ever named. Its events mention them, whoever uses it now.',
}

export const up = (db: Knex) =>
  run(db, [
    db.schema.createTable('erasures', (t) => {
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
    }),
    'CREATE INDEX erasures_open ON erasures (requested_at) WHERE done_at IS NULL',

    `CREATE TABLE erased_devices (
    app_id bigint NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    -- HMAC of the id of an install, or of its push token.
    digest varchar(64) NOT NULL,
    PRIMARY KEY (app_id, digest)
  ) ${clustered(db)}`,

    `CREATE TABLE install_users (
    app_id bigint NOT NULL,
    identifier varchar(255) NOT NULL,
    install_row bigint NOT NULL REFERENCES installs (id) ON DELETE CASCADE,
    PRIMARY KEY (app_id, identifier, install_row)
  ) ${clustered(db)}`,
    'CREATE INDEX install_users_by_install ON install_users (install_row)',
  ])

export const down = (db: Knex) => dropTables(db, tables)
