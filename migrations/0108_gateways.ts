import type { Knex } from 'knex'
import { dropTables, run } from './dialect.ts'

export const tables = {
  gateway_configs: 'The credential of an app for a gateway, sealed, with what is known of it.',
  lanes: 'One lane for each app and gateway: what must slow down or stop together.',
  web_prompts: 'The prompts in which web pages ask for permission to push.',
}

export const up = (db: Knex) =>
  run(db, [
    db.schema.createTable('gateway_configs', (t) => {
      t.bigIncrements('id')
      t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
      t.integer('platform').notNullable()
      t.text('sealed').notNullable()
      t.text('facts').notNullable()
      t.boolean('sendable').notNullable()
      // Grows with every change, so that threads notice a new credential.
      t.integer('version').notNullable()
      t.bigInteger('created_at').notNullable()
      t.bigInteger('updated_at').notNullable()
      // When the credential ends (ms); null = never, as far as is known.
      t.bigInteger('not_after')
      // Of which term the operator was told last: 30, 14, 7 or 1 days before, 0 when it was over; null = of none.
      t.integer('expiry_notice')
      t.unique(['app_id', 'platform'])
    }),
    'CREATE INDEX gateway_configs_not_after ON gateway_configs (not_after) WHERE not_after IS NOT NULL',

    db.schema.createTable('lanes', (t) => {
      t.bigIncrements('id')
      t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
      t.integer('platform').notNullable()
      // Nothing is claimed before this time (ms); 0 is an open lane.
      t.bigInteger('held_until').notNullable().defaultTo(0)
      t.string('hold_kind', 32)
      t.text('hold_reason')
      t.integer('holds').notNullable().defaultTo(0)
      t.bigInteger('updated_at').notNullable()
      t.unique(['app_id', 'platform'])
    }),

    db.schema.createTable('web_prompts', (t) => {
      t.bigIncrements('id')
      t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
      // The operator's name for it; pages get their prompts by name.
      t.string('name', 64).notNullable()
      t.string('uuid', 36).notNullable()
      // What it says, how it looks and when it shows, as the browser gets it.
      t.text('design').notNullable()
      t.bigInteger('created_at').notNullable()
      t.bigInteger('updated_at').notNullable()
      t.unique(['app_id', 'name'])
    }),
  ])

export const down = (db: Knex) => dropTables(db, tables)
