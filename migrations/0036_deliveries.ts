import type { Knex } from 'knex'

/** A page that is closed: nothing of it changes any more. */
const CLOSED = "('done', 'buried')"
/** Recipients that were moved to another page are counted there: a page of such ones only says nothing. */
const SAYS_SOMETHING = 'NEW.total > NEW.moved'

/**
 * Pages of notifications enter the event log as they close, when an app or one of its webhooks asked for them
 * (docs/decisions/0041-deliveries-in-the-log.md). A trigger does it: pages close in several places, and a page must
 * never close without its entry. The entry has numbers only; who reads it gets the recipients from the page.
 *
 * No sender of events can make such an entry: their types are not empty, and no install has the number 0.
 */
export async function up(db: Knex): Promise<void> {
  await db.schema.alterTable('apps', (t) => {
    t.boolean('logs_deliveries').notNullable().defaultTo(false)
  })
  await db.schema.alterTable('webhooks', (t) => {
    t.boolean('includes_deliveries').notNullable().defaultTo(false)
  })

  const insert = `INSERT INTO events (app_id, install_row, uuid, type, data, happened_at, received_at)
    SELECT NEW.app_id, 0, 'page-' || NEW.id || '-' || NEW.fence, '',
      '{"notificationId":' || NEW.notification_id || ',"pageId":' || NEW.id
        || ',"recipients":' || (NEW.total - NEW.moved) || '}',
      NEW.updated_at, NEW.updated_at
    WHERE EXISTS (SELECT 1 FROM apps WHERE id = NEW.app_id AND logs_deliveries)
      OR EXISTS (SELECT 1 FROM webhooks WHERE app_id = NEW.app_id AND includes_deliveries)`
  const added = `NEW.state IN ${CLOSED} AND ${SAYS_SOMETHING}`
  const closed = `OLD.state NOT IN ${CLOSED} AND NEW.state IN ${CLOSED} AND ${SAYS_SOMETHING}`

  if (db.client.driverName === 'pg') {
    await db.raw(
      `CREATE FUNCTION log_closed_page() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${insert}; RETURN NULL; END $$`,
    )
    await db.raw(`CREATE TRIGGER pages_added_closed AFTER INSERT ON pages
      FOR EACH ROW WHEN (${added}) EXECUTE FUNCTION log_closed_page()`)
    await db.raw(`CREATE TRIGGER pages_closed AFTER UPDATE OF state ON pages
      FOR EACH ROW WHEN (${closed}) EXECUTE FUNCTION log_closed_page()`)
    return
  }
  await db.raw(`CREATE TRIGGER pages_added_closed AFTER INSERT ON pages WHEN ${added} BEGIN ${insert}; END`)
  await db.raw(`CREATE TRIGGER pages_closed AFTER UPDATE OF state ON pages WHEN ${closed} BEGIN ${insert}; END`)
}

export async function down(db: Knex): Promise<void> {
  if (db.client.driverName === 'pg') await db.raw('DROP FUNCTION log_closed_page CASCADE')
  else for (const name of ['pages_closed', 'pages_added_closed']) await db.raw(`DROP TRIGGER ${name}`)
  // Readers of before know no such entries.
  await db.raw("DELETE FROM events WHERE type = ''")
  // Not through Knex: on SQLite it copies the table and drops the old one, and everything that refers to it goes along.
  await db.raw('ALTER TABLE webhooks DROP COLUMN includes_deliveries')
  await db.raw('ALTER TABLE apps DROP COLUMN logs_deliveries')
}
