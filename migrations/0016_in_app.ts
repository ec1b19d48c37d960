import type { Knex } from 'knex'

export async function up(db: Knex): Promise<void> {
  await db.schema.createTable('in_app_messages', (t) => {
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
    t.index(['app_id', 'id'])
  })
  await db.raw('CREATE INDEX in_app_messages_due ON in_app_messages (next_at) WHERE next_at IS NOT NULL')
  await db.raw(
    'CREATE INDEX in_app_messages_withdrawn ON in_app_messages (app_id, withdrawn_at) WHERE withdrawn_at IS NOT NULL',
  )
  // For the foreign key: a notification that is deleted looks for its message.
  await db.raw(
    'CREATE INDEX in_app_messages_push ON in_app_messages (notification_id) WHERE notification_id IS NOT NULL',
  )
  await db.raw('CREATE INDEX in_app_messages_kept ON in_app_messages (id, created_at) WHERE forgotten_at IS NULL')
  // Whom a broadcast means: not the anonymous users that nobody is any more (they are not listed).
  await db.raw('CREATE INDEX users_in_app ON users (app_id, id) WHERE in_app_enabled AND listed')
  // Which zones and preferred hours installs have, subscribed to push or not: found by hopping, however many installs there are.
  // And who is there, so that all walks of a local time but the last go through everybody once, together.
  await db.raw('CREATE INDEX installs_whereabouts ON installs (app_id, timezone, preferred_hour, user_id)')

  // Who has which message, and what became of it on their devices. A user gets a message once.
  await db.schema.createTable('user_messages', (t) => {
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
    // For forgetting messages that are over.
    t.index(['message_id', 'user_id'])
  })

  // Counts that could not be added to a message at once because somebody else was writing it; the sweep adds them.
  await db.schema.createTable('in_app_tallies', (t) => {
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
  })
}

export async function down(db: Knex): Promise<void> {
  await db.raw('DROP INDEX installs_whereabouts')
  await db.raw('DROP INDEX users_in_app')
  for (const table of ['in_app_tallies', 'user_messages', 'in_app_messages']) await db.schema.dropTable(table)
}
