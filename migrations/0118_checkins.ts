import type { Knex } from 'knex'
import { dropTables, run } from './dialect.ts'

export const tables = {
  checkins: 'Check-ins of users at a location.',
  checkin_contacts: 'The people of a check-in.',
}

export const up = (db: Knex) =>
  run(db, [
    db.schema.createTable('checkins', (t) => {
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
    }),
    'CREATE INDEX checkins_open ON checkins (app_id, id) WHERE checked_out_at IS NULL',

    db.schema.createTable('checkin_contacts', (t) => {
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
    }),
  ])

export const down = (db: Knex) => dropTables(db, tables)
