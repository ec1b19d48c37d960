import type { Knex } from 'knex'

/**
 * Webhooks: addresses to which events are sent. How far each has got are two rows of `webhook_cursors` at most, one for
 * what happens and one for a replay, and not a row for each event.
 */
export async function up(db: Knex): Promise<void> {
  await db.schema.createTable('webhooks', (t) => {
    t.bigIncrements('id')
    t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
    t.string('url', 2048).notNullable()
    // JSON: names of event types; null for all of them.
    t.text('types')
    t.integer('batch_max').notNullable()
    t.integer('batch_wait_ms').notNullable()
    t.text('sealed').notNullable()
    t.string('hint', 16).notNullable()
    // The secret before the last rotation, which signs as well until then (ms).
    t.text('former_sealed')
    t.bigInteger('former_until')
    t.string('state', 8).notNullable()
    t.string('off_reason')
    // When the first of the failures that go on happened (ms).
    t.bigInteger('failing_since')
    t.integer('replays').notNullable().defaultTo(0)
    t.bigInteger('created_at').notNullable()
    t.bigInteger('updated_at').notNullable()
    t.index(['app_id'])
  })

  await db.schema.createTable('webhook_cursors', (t) => {
    t.bigInteger('webhook_id').notNullable().references('webhooks.id').onDelete('CASCADE')
    // live or replay.
    t.string('kind', 8).notNullable()
    t.bigInteger('app_id').notNullable()
    t.string('cursor', 22).notNullable()
    // JSON of a replay: where it ends, and which times it is for.
    t.text('span')
    // JSON: the message under way, with its id and where it ends. Stored before it is first sent.
    t.text('batch')
    t.integer('attempt').notNullable().defaultTo(0)
    t.bigInteger('not_before').notNullable()
    t.string('owner')
    t.bigInteger('fence').notNullable().defaultTo(0)
    t.bigInteger('lease_until').notNullable().defaultTo(0)
    t.primary(['webhook_id', 'kind'])
  })

  await db.schema.createTable('webhook_attempts', (t) => {
    t.bigIncrements('id')
    t.bigInteger('webhook_id').notNullable().references('webhooks.id').onDelete('CASCADE')
    t.bigInteger('app_id').notNullable()
    t.string('kind', 8).notNullable()
    t.string('message_id').notNullable()
    t.integer('attempt').notNullable()
    t.integer('events').notNullable()
    // Of the answer; null when there was none.
    t.integer('status')
    // Why it failed; null when it did not.
    t.string('reason')
    t.integer('took_ms').notNullable()
    t.bigInteger('happened_at').notNullable()
    t.index(['webhook_id', 'id'])
    t.index(['happened_at'])
  })
}

export async function down(db: Knex): Promise<void> {
  for (const table of ['webhook_attempts', 'webhook_cursors', 'webhooks']) await db.schema.dropTable(table)
}
