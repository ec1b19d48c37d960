import type { Knex } from 'knex'
import { dropTables, run } from './dialect.ts'

export const tables = {
  templates: 'Templates of in-app messages.',
  template_versions: 'The versions of a template.',
}

export const up = (db: Knex) =>
  run(db, [
    db.schema.createTable('templates', (t) => {
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

    db.schema.createTable('template_versions', (t) => {
      t.bigInteger('template_id').notNullable().references('templates.id').onDelete('CASCADE')
      t.integer('version').notNullable()
      // The document, its tags, and sample values of them (JSON).
      t.text('content').notNullable()
      t.text('tags').notNullable()
      t.text('sample').notNullable()
      t.bigInteger('created_at').notNullable()
      t.primary(['template_id', 'version'])
    }),
  ])

export const down = (db: Knex) => dropTables(db, tables)
