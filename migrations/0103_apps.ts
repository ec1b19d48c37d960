import type { Knex } from 'knex'
import { dropTables, run } from './dialect.ts'

export const tables = {
  accounts: 'The owners of apps.',
  apps: 'An app with its settings.',
  app_keys: 'The three keys of an app, and those they replaced until they expire.',
  issued_keys:
    'Keys beside these three: REST keys, and server keys with some of the rights of the app. One table, so that an id names one key.',
  idempotency_keys: 'Requests with an idempotency key and what was answered, for as long as they may be repeated.',
}

export const up = (db: Knex) =>
  run(db, [
    db.schema.createTable('accounts', (t) => {
      t.bigIncrements('id')
      t.string('name').notNullable()
      t.bigInteger('created_at').notNullable()
    }),

    db.schema.createTable('apps', (t) => {
      t.bigIncrements('id')
      t.bigInteger('account_id').notNullable().references('accounts.id')
      t.string('name').notNullable()
      t.string('link_host_label').notNullable().unique()
      t.bigInteger('created_at').notNullable()
      t.bigInteger('updated_at').notNullable()
      // Quiet hours in minutes of the install's local day, from (inclusive) to (exclusive); null = none.
      t.integer('quiet_from')
      t.integer('quiet_to')
      // At most so many notifications an install in so many hours; null = no cap.
      t.integer('cap_count')
      t.integer('cap_hours')
      // What devices must show to speak for a user: off, optional or require.
      t.string('signed_users', 8).notNullable().defaultTo('off')
      // Whether a channel that a device names is public; else only its subscribers see it.
      t.boolean('device_channels_public').notNullable().defaultTo(false)
      // A send to more recipients than this must say that it means it; null = none must.
      t.integer('confirm_above')
      // What becomes of recipients in quiet hours: null = they are left out; hold = they get it afterwards.
      t.string('quiet_then', 8)
      // Whether deliveries enter the event log (docs/decisions/0041-deliveries-in-the-log.md).
      t.boolean('logs_deliveries').notNullable().defaultTo(false)
      // Whether a push that a person composed waits until another one approves it.
      t.boolean('second_person').notNullable().defaultTo(false)
    }),
    'CREATE INDEX apps_by_account ON apps (account_id)',

    db.schema.createTable('app_keys', (t) => {
      t.bigIncrements('id')
      t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
      t.string('kind', 16).notNullable()
      t.string('digest', 64).notNullable()
      t.string('hint', 16).notNullable()
      t.bigInteger('created_at').notNullable()
      t.bigInteger('expires_at')
      // Of API keys only, which are public. Null for keys of early versions, which are known by their digest alone.
      t.string('value', 64)
      t.unique(['kind', 'digest'])
      t.index(['app_id', 'kind'])
    }),

    db.schema.createTable('issued_keys', (t) => {
      t.bigIncrements('id')
      t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
      t.string('name').notNullable()
      t.string('digest', 64).notNullable().unique()
      t.string('hint', 16).notNullable()
      // Comma-separated: create, read, update, delete of REST keys; send, read, crm, admin of server keys.
      t.string('permissions', 40).notNullable()
      t.bigInteger('created_at').notNullable()
      t.bigInteger('last_used_at')
      t.bigInteger('revoked_at')
      // rest or server.
      t.string('kind', 8).notNullable()
      t.index(['app_id'])
    }),

    db.schema.createTable('idempotency_keys', (t) => {
      t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
      t.string('key').notNullable()
      // The server, a REST key or a device: their keys are apart.
      t.string('caller', 80).notNullable()
      t.string('fingerprint', 64).notNullable()
      t.integer('status')
      t.text('headers')
      t.text('body')
      t.bigInteger('created_at').notNullable()
      t.primary(['app_id', 'key', 'caller'])
      t.index(['created_at'])
    }),
  ])

export const down = (db: Knex) => dropTables(db, tables)
