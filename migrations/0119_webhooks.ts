import type { Knex } from 'knex'
import { CLOSED } from './0112_notifications.ts'
import { dropFunctions, dropTables, dropTriggers, isPostgres, run } from './dialect.ts'

/** Recipients that were moved to another page are counted there: a page of such ones only says nothing. */
const SAYS_SOMETHING = 'NEW.total > NEW.moved'

export const tables = {
  webhooks: 'Addresses to which events are sent.',
  webhook_cursors:
    'How far a webhook has got: two rows at most, one for what happens and one for a replay, and not a row for each event.',
  webhook_attempts: 'The latest deliveries of a webhook.',
}

const LOGS =
  'Enters the page into the event log as it closes, when the app or one of its webhooks asked for deliveries.'

export const triggers = { pages_added_closed: LOGS, pages_closed: LOGS }

export const up = (db: Knex) =>
  run(db, [
    db.schema.createTable('webhooks', (t) => {
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
      // Whether deliveries are among them (docs/decisions/0041-deliveries-in-the-log.md).
      t.boolean('includes_deliveries').notNullable().defaultTo(false)
      t.index(['app_id'])
    }),

    db.schema.createTable('webhook_cursors', (t) => {
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
    }),

    db.schema.createTable('webhook_attempts', (t) => {
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
    }),
    ...logClosedPages(db),
  ])

/**
 * Pages of notifications enter the event log as they close (docs/decisions/0041-deliveries-in-the-log.md). A trigger does it: pages close in
 * several places, and a page must never close without its entry. The entry has numbers only; who reads it gets the recipients from the page.
 *
 * No sender of events can make such an entry: their types are not empty, and no install has the number 0.
 */
export function logClosedPages(db: Knex): string[] {
  const insert = `INSERT INTO events (app_id, install_row, uuid, type, data, happened_at, received_at)
    SELECT NEW.app_id, 0, 'page-' || NEW.id || '-' || NEW.fence, '',
      '{"notificationId":' || NEW.notification_id || ',"pageId":' || NEW.id
        || ',"recipients":' || (NEW.total - NEW.moved) || '}',
      NEW.updated_at, NEW.updated_at
    WHERE EXISTS (SELECT 1 FROM apps WHERE id = NEW.app_id AND logs_deliveries)
      OR EXISTS (SELECT 1 FROM webhooks WHERE app_id = NEW.app_id AND includes_deliveries)`
  const added = `NEW.state IN ${CLOSED} AND ${SAYS_SOMETHING}`
  const closed = `OLD.state NOT IN ${CLOSED} AND NEW.state IN ${CLOSED} AND ${SAYS_SOMETHING}`
  if (!isPostgres(db)) {
    return [
      `CREATE TRIGGER pages_added_closed AFTER INSERT ON pages WHEN ${added} BEGIN ${insert}; END`,
      `CREATE TRIGGER pages_closed AFTER UPDATE OF state ON pages WHEN ${closed} BEGIN ${insert}; END`,
    ]
  }
  return [
    `CREATE FUNCTION log_closed_page() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${insert}; RETURN NULL; END $$`,
    `CREATE TRIGGER pages_added_closed AFTER INSERT ON pages
      FOR EACH ROW WHEN (${added}) EXECUTE FUNCTION log_closed_page()`,
    `CREATE TRIGGER pages_closed AFTER UPDATE OF state ON pages
      FOR EACH ROW WHEN (${closed}) EXECUTE FUNCTION log_closed_page()`,
  ]
}

export async function down(db: Knex): Promise<void> {
  await dropTriggers(db, 'pages_closed', 'pages_added_closed')
  await dropFunctions(db, 'log_closed_page')
  await dropTables(db, tables)
}
