import type { Knex } from 'knex'
import { dropTables, run } from './dialect.ts'

export const tables = {
  in_app_messages: 'In-app messages.',
  user_messages: 'Who has which message, and what became of it on their devices. A user gets a message once.',
  in_app_tallies:
    'Counts that could not be added to a message at once because another transaction was writing it; the sweep adds them.',
}

export const up = (db: Knex) =>
  run(db, [
    db.schema.createTable('in_app_messages', (t) => {
      t.bigIncrements('id')
      t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
      t.integer('source').notNullable()
      t.integer('status').notNullable()
      t.text('status_reason')
      // The targeting as it is shown, and as it is walked (internal ids).
      t.text('filters').notNullable()
      t.text('target').notNullable()
      // Which template it was made from; the rendered content below no longer depends on it.
      t.string('template').notNullable()
      t.integer('template_version').notNullable()
      // Values of the dynamic tags, and the linked push, as the caller gave them (JSON).
      t.text('tag_values').notNullable()
      t.text('notification')
      // What devices get (JSON).
      t.text('content').notNullable()
      t.text('data')
      t.text('inbox')
      t.string('presented_when', 16).notNullable()
      // From the moment a user gets it; null = never over.
      t.bigInteger('ttl_ms')
      t.text('schedule')
      // The linked push.
      t.bigInteger('notification_id').references('notifications.id')
      // When its next step is due (ms); null when all its recipients are found, or it was called off.
      t.bigInteger('next_at')
      // When the walk under way began (ms), and how far it came (JSON).
      t.bigInteger('walked_at')
      t.text('cursor').notNullable().defaultTo('{}')
      // Taken back: devices that have it drop it.
      t.bigInteger('withdrawn_at')
      t.integer('recipients').notNullable().defaultTo(0)
      t.integer('skipped').notNullable().defaultTo(0)
      t.integer('delivered').notNullable().defaultTo(0)
      t.integer('shown').notNullable().defaultTo(0)
      t.integer('dismissed').notNullable().defaultTo(0)
      t.integer('read').notNullable().defaultTo(0)
      t.integer('inbox_deleted').notNullable().defaultTo(0)
      // When the rows of its users were forgotten, because it had been over long enough.
      t.bigInteger('forgotten_at')
      t.bigInteger('created_at').notNullable()
      t.bigInteger('updated_at').notNullable()
      t.string('purpose')
      t.boolean('transactional').notNullable().defaultTo(false)
      // Parts of `skipped`.
      t.integer('not_wanted').notNullable().defaultTo(0)
      t.integer('on_suppression_list').notNullable().defaultTo(0)
      // Users who did not get it because each of their installs is excluded.
      t.integer('excluded').notNullable().defaultTo(0)
      t.index(['app_id', 'id'])
    }),
    'CREATE INDEX in_app_messages_due ON in_app_messages (next_at) WHERE next_at IS NOT NULL',
    'CREATE INDEX in_app_messages_withdrawn ON in_app_messages (app_id, withdrawn_at) WHERE withdrawn_at IS NOT NULL',
    'CREATE INDEX in_app_messages_kept ON in_app_messages (id, created_at) WHERE forgotten_at IS NULL',
    'CREATE INDEX in_app_messages_by_notification ON in_app_messages (notification_id)',

    db.schema.createTable('user_messages', (t) => {
      t.bigInteger('user_id').notNullable().references('users.id').onDelete('CASCADE')
      t.bigInteger('message_id').notNullable()
      t.bigInteger('app_id').notNullable()
      t.bigInteger('sent_at').notNullable()
      // Moves with every change that other devices of the user must learn of.
      t.bigInteger('updated_at').notNullable()
      t.bigInteger('delivered_at')
      t.bigInteger('shown_at')
      t.bigInteger('dismissed_at')
      t.bigInteger('read_at')
      t.bigInteger('inbox_deleted_at')
      t.primary(['user_id', 'message_id'])
      t.index(['user_id', 'updated_at'])
    }),
    'CREATE INDEX user_messages_by_age ON user_messages (message_id, sent_at)',

    db.schema.createTable('in_app_tallies', (t) => {
      t.bigIncrements('id')
      t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
      t.bigInteger('message_id').notNullable()
      t.integer('delivered').notNullable()
      t.integer('shown').notNullable()
      t.integer('dismissed').notNullable()
      t.integer('read').notNullable()
      t.integer('inbox_deleted').notNullable()
      t.index(['app_id'])
      t.index(['message_id'])
    }),
  ])

export const down = (db: Knex) => dropTables(db, tables)
