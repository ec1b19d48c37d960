import type { Knex } from 'knex'
import { dropTables, run } from './dialect.ts'

export const tables = {
  purposes: 'What people of an app allow or refuse.',
  user_purposes:
    'What a user said about a purpose. A purpose of a million choices goes at once, and these after it in slices: no foreign key.',
  deleted_purposes: 'Purposes that are gone and whose choices are not. Also of an app that is gone: no foreign key.',
  suppressions: 'Identifiers that get nothing, as digests: they stay when the user is erased.',
}

export const up = (db: Knex) =>
  run(db, [
    db.schema.createTable('purposes', (t) => {
      t.bigIncrements('id')
      t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
      t.string('uid').notNullable()
      t.string('name').notNullable()
      t.text('description')
      t.boolean('allowed_by_default').notNullable()
      t.boolean('required').notNullable()
      t.bigInteger('created_at').notNullable()
      t.bigInteger('updated_at').notNullable()
      t.unique(['app_id', 'uid'])
    }),

    db.schema.createTable('user_purposes', (t) => {
      t.bigInteger('user_id').notNullable().references('users.id').onDelete('CASCADE')
      t.bigInteger('purpose_id').notNullable()
      t.bigInteger('app_id').notNullable()
      t.boolean('allowed').notNullable()
      // device, page, server
      t.string('source', 8).notNullable()
      t.bigInteger('at').notNullable()
      t.primary(['user_id', 'purpose_id'])
      t.index(['purpose_id', 'user_id'])
    }),

    db.schema.createTable('deleted_purposes', (t) => {
      t.bigInteger('purpose_id').primary()
      t.bigInteger('app_id').notNullable()
    }),

    db.schema.createTable('suppressions', (t) => {
      t.bigIncrements('id')
      t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
      t.string('digest', 64).notNullable()
      t.string('reason')
      t.bigInteger('at').notNullable()
      t.unique(['app_id', 'digest'])
      t.index(['app_id', 'id'])
    }),
  ])

export const down = (db: Knex) => dropTables(db, tables)
