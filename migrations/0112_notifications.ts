import type { Knex } from 'knex'
import { clustered, dropTables, isPostgres, run } from './dialect.ts'

/** The columns of a page from which an index adds up a notification. */
const COUNTS = 'total, moved, accepted, failed, expired, cancelled, skipped, unknown, reasons'

/** The states of a page that is closed: nothing of it changes any more. */
export const CLOSED = "('done', 'buried')"

export const tables = {
  notifications: 'Pushes.',
  notification_user_meta: 'What a push says to single users.',
  runs: 'One run per due instant; those at which nobody is share one. Its cursor walks the audience; pages appear behind it.',
  pages: 'Up to 1000 recipients of one lane, packed; one outcome byte each. The ledger.',
  delivery_failures: "The vendors' exact words for recipients that were not reached.",
  failure_counts:
    'How many recipients failed for which reason. Several rows for a reason on PostgreSQL: connections that count at once need not wait for each other.',
  notification_opens: 'What a device told us about a notification it got; one row an install, the first time of each.',
  send_history: 'When an install got its latest notifications (ms, a JSON list), kept only for apps with a cap.',
  push_approvals: 'Pushes that wait for a second person, and what was decided.',
}

export const up = (db: Knex) =>
  run(db, [
    db.schema.createTable('notifications', (t) => {
      t.bigIncrements('id')
      t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
      t.integer('source').notNullable()
      t.integer('status').notNullable()
      t.text('status_reason')
      // The targeting as it is shown, and as it is walked (internal ids).
      t.text('filters').notNullable()
      t.text('target').notNullable()
      t.text('content').notNullable()
      t.text('reporting_meta')
      t.boolean('has_user_meta').notNullable().defaultTo(false)
      t.bigInteger('expires_at').notNullable()
      t.integer('delivered').notNullable().defaultTo(0)
      t.integer('opened').notNullable().defaultTo(0)
      t.integer('dismissed').notNullable().defaultTo(0)
      t.bigInteger('created_at').notNullable()
      t.bigInteger('updated_at').notNullable()
      // Wall time, strategy and what was decided when it was accepted (JSON); null = sent at once.
      t.text('schedule')
      t.integer('rate_limit')
      // Until when (µs) the limit's permits are used up.
      t.bigInteger('rate_at').notNullable().defaultTo(0)
      t.string('purpose')
      t.boolean('transactional').notNullable().defaultTo(false)
      // What its pages added up to (JSON), once they are being forgotten.
      t.text('counts')
      t.bigInteger('forgotten_at')
      // Each recipient is tried once (ttl 0).
      t.boolean('one_try').notNullable().defaultTo(false)
      t.index(['app_id', 'id'])
    }),
    // Those that are not over yet: scheduled, queued, sending.
    'CREATE INDEX notifications_open ON notifications (status, id) WHERE status < 3',
    'CREATE INDEX notifications_over ON notifications (expires_at, id) WHERE status >= 3 AND forgotten_at IS NULL',
    'CREATE INDEX notifications_by_age ON notifications (app_id, created_at, id)',
    'CREATE INDEX notifications_by_status ON notifications (app_id, status, created_at, id)',

    db.schema.createTable('notification_user_meta', (t) => {
      t.bigInteger('notification_id').notNullable().references('notifications.id').onDelete('CASCADE')
      t.bigInteger('app_id').notNullable()
      t.string('identifier').notNullable()
      t.text('meta').notNullable()
      t.primary(['notification_id', 'identifier'])
    }),
    'CREATE INDEX notification_user_meta_by_user ON notification_user_meta (app_id, identifier, notification_id)',

    db.schema.createTable('runs', (t) => {
      t.bigIncrements('id')
      t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
      t.bigInteger('notification_id').notNullable().references('notifications.id').onDelete('CASCADE')
      t.bigInteger('due_at').notNullable()
      t.string('state', 16).notNullable()
      t.text('cursor').notNullable()
      t.string('kind', 8).notNullable().defaultTo('now')
      // Where those are whom it is for (JSON); null = everywhere.
      t.text('within')
      t.bigInteger('begun_at')
      // Null = as the notification says.
      t.bigInteger('expires_at')
      // When it was due (ms) before the rules of its time zone changed.
      t.bigInteger('moved_from')
      t.index(['notification_id'])
    }),
    "CREATE INDEX runs_due ON runs (due_at) WHERE state = 'due'",
    'CREATE INDEX runs_by_app ON runs (app_id, notification_id)',

    db.schema.createTable('pages', (t) => {
      t.bigIncrements('id')
      t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
      t.bigInteger('notification_id').notNullable().references('notifications.id').onDelete('CASCADE')
      t.bigInteger('lane_id').references('lanes.id')
      t.string('state', 16).notNullable()
      t.bigInteger('not_before').notNullable()
      t.integer('attempt').notNullable().defaultTo(0)
      t.integer('resends').notNullable().defaultTo(0)
      t.string('owner')
      t.integer('fence').notNullable().defaultTo(0)
      t.bigInteger('lease_until')
      t.bigInteger('first_install').notNullable()
      t.bigInteger('last_install').notNullable()
      t.binary('recipients').notNullable()
      t.binary('outcomes').notNullable()
      t.integer('total').notNullable()
      t.integer('accepted').notNullable().defaultTo(0)
      t.integer('failed').notNullable().defaultTo(0)
      t.integer('expired').notNullable().defaultTo(0)
      t.integer('cancelled').notNullable().defaultTo(0)
      t.integer('skipped').notNullable().defaultTo(0)
      t.integer('unknown').notNullable().defaultTo(0)
      t.integer('moved').notNullable().defaultTo(0)
      // How many ended for which reason (JSON), as far as a slot's byte says it.
      t.text('reasons').notNullable().defaultTo('{}')
      t.bigInteger('created_at').notNullable()
      t.bigInteger('updated_at').notNullable()
      t.bigInteger('expires_at')
      // Its recipients were being sent to when their worker ended: they are sent to again, and no gateway has asked for that.
      t.boolean('after_crash').notNullable().defaultTo(false)
      // Its recipients were in quiet hours, and wait for their end.
      t.boolean('held').notNullable().defaultTo(false)
      // Its recipients are installs of certain users: whoever else uses one of them by then gets nothing.
      t.boolean('by_user').notNullable().defaultTo(false)
      t.index(['notification_id', 'state'])
    }),
    "CREATE INDEX pages_due ON pages (lane_id, not_before, id) WHERE state = 'queued'",
    "CREATE INDEX pages_claimed ON pages (owner, lease_until) WHERE state = 'claimed'",
    isPostgres(db) && 'CREATE INDEX pages_by_app ON pages (app_id, notification_id)',
    'CREATE INDEX pages_by_lane ON pages (lane_id)',
    // On SQLite the row of a page fills a page of the file with its recipients and outcomes. PostgreSQL keeps those apart, and
    // would have to write every index of a page at each change of its counts.
    !isPostgres(db) && `CREATE INDEX pages_by_app ON pages (app_id, notification_id, lane_id, ${COUNTS})`,

    db.schema.createTable('delivery_failures', (t) => {
      t.bigIncrements('id')
      t.bigInteger('app_id').notNullable()
      t.bigInteger('notification_id').notNullable().references('notifications.id').onDelete('CASCADE')
      t.bigInteger('install_row').notNullable()
      t.string('kind', 32).notNullable()
      t.string('reason').notNullable()
      t.bigInteger('happened_at').notNullable()
      t.index(['notification_id', 'install_row'])
    }),

    `CREATE TABLE failure_counts (
    notification_id bigint NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
    shard integer NOT NULL,
    kind varchar(32) NOT NULL,
    reason varchar(255) NOT NULL,
    app_id bigint NOT NULL,
    failures bigint NOT NULL,
    PRIMARY KEY (notification_id, kind, reason, shard)
  ) ${clustered(db)}`,

    db.schema.createTable('notification_opens', (t) => {
      t.bigInteger('notification_id').notNullable().references('notifications.id').onDelete('CASCADE')
      t.bigInteger('app_id').notNullable()
      t.bigInteger('install_row').notNullable().references('installs.id').onDelete('CASCADE')
      t.string('user_identifier').notNullable()
      t.bigInteger('delivered_at')
      t.bigInteger('opened_at')
      t.bigInteger('dismissed_at')
      t.primary(['notification_id', 'install_row'])
      t.index(['notification_id', 'user_identifier'])
      t.index(['install_row'])
    }),

    db.schema.createTable('send_history', (t) => {
      t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
      t.bigInteger('install_row').notNullable().references('installs.id').onDelete('CASCADE')
      t.text('sent').notNullable()
      t.primary(['app_id', 'install_row'])
      t.index(['install_row'])
    }),

    db.schema.createTable('push_approvals', (t) => {
      t.bigIncrements('id')
      t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
      t.string('state', 16).notNullable()
      // JSON: the body of the send. Null once it was decided.
      t.text('request')
      t.string('title', 255).notNullable()
      // Names are kept, because people may be removed.
      t.bigInteger('requested_by').notNullable()
      t.string('requested_name', 100).notNullable()
      t.bigInteger('requested_at').notNullable()
      t.string('decided_name', 100)
      t.bigInteger('decided_at')
      t.bigInteger('notification_id')
      t.index(['app_id', 'id'])
      t.index(['requested_at'])
    }),
  ])

export const down = (db: Knex) => dropTables(db, tables)
