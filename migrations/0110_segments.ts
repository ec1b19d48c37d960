import type { Knex } from 'knex'
import { dropTables, run } from './dialect.ts'

export const tables = {
  segments: 'Named filters over installs and users.',
}

export const up = (db: Knex) =>
  run(db, [
    db.schema.createTable('segments', (t) => {
      t.bigIncrements('id')
      t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
      t.string('uuid', 36).notNullable()
      t.string('name').notNullable()
      t.text('filter').notNullable()
      t.bigInteger('created_at').notNullable()
      t.bigInteger('updated_at').notNullable()
      t.unique(['app_id', 'uuid'])
      t.index(['app_id', 'id'])
    }),
  ])

export const down = (db: Knex) => dropTables(db, tables)
