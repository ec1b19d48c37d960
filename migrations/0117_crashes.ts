import type { Knex } from 'knex'
import { dropTables, run } from './dialect.ts'

export const tables = {
  crash_reports: 'Crash reports of devices.',
}

export const up = (db: Knex) =>
  run(db, [
    db.schema.createTable('crash_reports', (t) => {
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
    }),
    'CREATE INDEX crash_reports_by_install ON crash_reports (app_id, install_id, id)',
  ])

export const down = (db: Knex) => dropTables(db, tables)
