import type { Knex } from 'knex'
import { dropTables, run } from './dialect.ts'

export const tables = {
  imports:
    'Exports of other services that are being imported: how far each is. A row goes when its import is finished.',
}

export const up = (db: Knex) =>
  run(db, [
    db.schema.createTable('imports', (t) => {
      t.bigIncrements('id')
      t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
      t.string('source', 16).notNullable()
      // Of the contents of the files and of what the command was told: the same import is found again by it.
      t.string('digest', 64).notNullable()
      // Rows of the files that are done, stored with what they changed.
      t.bigInteger('place').notNullable()
      t.text('counts').notNullable()
      // Length of the file of refused rows at that place.
      t.bigInteger('errors_size').notNullable()
      t.bigInteger('created_at').notNullable()
      t.bigInteger('updated_at').notNullable()
      t.unique(['app_id', 'source', 'digest'])
    }),
  ])

export const down = (db: Knex) => dropTables(db, tables)
