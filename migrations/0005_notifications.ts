import type { Knex } from 'knex'

export async function up(db: Knex): Promise<void> {
  await db.schema.createTable('notifications', (t) => {
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
    t.index(['app_id', 'id'])
  })
  // Those that are not over yet: scheduled, queued, sending.
  await db.raw('CREATE INDEX notifications_open ON notifications (status, id) WHERE status < 3')
  await db.schema.createTable('notification_user_meta', (t) => {
    t.bigInteger('notification_id').notNullable().references('notifications.id').onDelete('CASCADE')
    t.bigInteger('app_id').notNullable()
    t.string('identifier').notNullable()
    t.text('meta').notNullable()
    t.primary(['notification_id', 'identifier'])
  })

  // One run per due instant. Its cursor walks the audience; pages appear behind it.
  await db.schema.createTable('runs', (t) => {
    t.bigIncrements('id')
    t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
    t.bigInteger('notification_id').notNullable().references('notifications.id').onDelete('CASCADE')
    t.bigInteger('due_at').notNullable()
    t.string('state', 16).notNullable()
    t.text('cursor').notNullable()
    t.index(['notification_id'])
  })
  await db.raw("CREATE INDEX runs_due ON runs (due_at) WHERE state = 'due'")

  // Up to 1000 recipients of one lane, packed; one outcome byte each. The ledger.
  await db.schema.createTable('pages', (t) => {
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
    t.index(['notification_id', 'state'])
  })
  await db.raw("CREATE INDEX pages_due ON pages (lane_id, not_before, id) WHERE state = 'queued'")
  await db.raw("CREATE INDEX pages_claimed ON pages (owner, lease_until) WHERE state = 'claimed'")

  // The vendors' exact words for recipients that were not reached.
  await db.schema.createTable('delivery_failures', (t) => {
    t.bigIncrements('id')
    t.bigInteger('app_id').notNullable()
    t.bigInteger('notification_id').notNullable().references('notifications.id').onDelete('CASCADE')
    t.bigInteger('install_row').notNullable()
    t.string('kind', 32).notNullable()
    t.string('reason').notNullable()
    t.bigInteger('happened_at').notNullable()
    t.index(['notification_id', 'install_row'])
  })

  // What a device told us about a notification it got; one row an install, the first time of each.
  await db.schema.createTable('notification_opens', (t) => {
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
  })
}

export async function down(db: Knex): Promise<void> {
  const tables = ['notification_opens', 'delivery_failures', 'pages', 'runs', 'notification_user_meta', 'notifications']
  for (const table of tables) await db.schema.dropTable(table)
}
