import type { Knex } from 'knex'

export async function up(db: Knex): Promise<void> {
  await db.schema.createTable('crash_reports', (t) => {
    t.bigIncrements('id')
    t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
    // As the path says it: nobody vouches for it.
    t.string('install_id').notNullable()
    // By which door it came: acra, kscrash or event.
    t.string('source', 16).notNullable()
    // Its own id, or a digest of the whole.
    t.string('report_id').notNullable()
    t.string('platform', 32).notNullable()
    // The same for reports of what looks like one fault.
    t.string('fingerprint', 16).notNullable()
    t.string('exception')
    t.text('message')
    t.string('app_version')
    t.string('os_version')
    t.string('device')
    t.text('frame')
    t.bigInteger('happened_at').notNullable()
    t.bigInteger('received_at').notNullable()
    // Bytes of the report below (JSON).
    t.integer('size').notNullable()
    t.text('report').notNullable()
    t.unique(['app_id', 'source', 'report_id'])
    // With the size, so that what is kept is added up without reading the reports.
    t.index(['app_id', 'source', 'id', 'size'])
    t.index(['app_id', 'id'])
    t.index(['received_at'])
  })

  await db.schema.createTable('checkins', (t) => {
    t.bigIncrements('id')
    t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
    t.string('user_identifier').notNullable()
    // Digest of the key that the device keeps.
    t.string('device_key', 64).notNullable()
    t.string('location').notNullable()
    t.integer('party_size').notNullable()
    t.string('timezone')
    t.bigInteger('checked_in_at').notNullable()
    t.bigInteger('checked_out_at')
    t.index(['app_id', 'user_identifier', 'id'])
    t.index(['app_id', 'id'])
    t.index(['checked_in_at'])
  })
  await db.schema.createTable('checkin_contacts', (t) => {
    t.bigIncrements('id')
    t.bigInteger('checkin_id').notNullable().references('checkins.id').onDelete('CASCADE')
    t.string('last_name').notNullable()
    t.string('first_name')
    t.string('email_address')
    t.string('sms_number')
    // Text by name (JSON).
    t.text('meta')
    t.bigInteger('checked_out_at')
    t.index(['checkin_id', 'id'])
  })
}

export async function down(db: Knex): Promise<void> {
  for (const table of ['checkin_contacts', 'checkins', 'crash_reports']) await db.schema.dropTable(table)
}
