import type { Knex } from 'knex'
import { dropTables, run } from './dialect.ts'

/** Earlier programs neither read nor write the tables. */
export const compatible = true

export const tables = {
  push_templates:
    'Stored content of pushes, which sends name. In-app messages have [templates](#templates) of their own.',
  push_template_versions: 'The versions of a push template; the newest hundred are kept.',
}

export const up = (db: Knex) =>
  run(db, [
    db.schema.createTable('push_templates', (t) => {
      t.bigIncrements('id')
      t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
      t.string('uid').notNullable()
      t.string('name').notNullable()
      // The newest version.
      t.integer('version').notNullable()
      t.bigInteger('created_at').notNullable()
      t.bigInteger('updated_at').notNullable()
      t.unique(['app_id', 'uid'])
      t.index(['app_id', 'id'])
    }),

    db.schema.createTable('push_template_versions', (t) => {
      t.bigInteger('push_template_id').notNullable().references('push_templates.id').onDelete('CASCADE')
      t.integer('version').notNullable()
      // What a push says (JSON), as the body of a send has it.
      t.text('body').notNullable()
      t.bigInteger('created_at').notNullable()
      t.primary(['push_template_id', 'version'])
    }),
  ])

export const down = (db: Knex) => dropTables(db, tables)
