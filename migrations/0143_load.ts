import type { Knex } from 'knex'
import { dropTables, run } from './dialect.ts'

/** Earlier programs neither read nor write the table. */
export const compatible = true

export const tables = {
  load: 'Work and size of the server: a row for each minute of two days, and one for each hour of a month. All processes that serve the database add to the same row.',
}

export const up = (db: Knex) =>
  run(db, [
    db.schema.createTable('load', (t) => {
      // Seconds that the row is about: 60 or 3600.
      t.integer('span').notNullable()
      // The begin of that time (ms).
      t.bigInteger('at').notNullable()
      // How many reports of processes were added up.
      t.integer('reports').notNullable()
      // Answered requests with a server key, with a device key, and answers of 500 and above to anybody.
      t.bigInteger('server_calls').notNullable()
      t.bigInteger('device_calls').notNullable()
      t.bigInteger('errors').notNullable()
      // Recipients whom a gateway accepted, and refused for good.
      t.bigInteger('accepted').notNullable()
      t.bigInteger('failed').notNullable()
      // Processor time that was used, and that there was (ms).
      t.bigInteger('cpu_ms').notNullable()
      t.bigInteger('cpu_room_ms').notNullable()
      // The longest that a recipient had been due (ms).
      t.bigInteger('queue_ms').notNullable()
      // The largest of the processes.
      t.bigInteger('memory_bytes').notNullable()
      t.bigInteger('database_bytes').notNullable()
      // The least free space for the database; null = unknown, as on PostgreSQL.
      t.bigInteger('disk_free_bytes')
      t.primary(['span', 'at'])
    }),
  ])

export const down = (db: Knex) => dropTables(db, tables)
