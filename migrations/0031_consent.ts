import type { Knex } from 'knex'

/** What people allow, who must get nothing, sends that override restraint, and quiet hours that hold. */
export async function up(db: Knex): Promise<void> {
  await db.schema.createTable('purposes', (t) => {
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
  })

  // What a user said about a purpose. A purpose of a million choices goes at once, and these after it in slices: no key.
  await db.schema.createTable('user_purposes', (t) => {
    t.bigInteger('user_id').notNullable().references('users.id').onDelete('CASCADE')
    t.bigInteger('purpose_id').notNullable()
    t.bigInteger('app_id').notNullable()
    t.boolean('allowed').notNullable()
    // device, page, server
    t.string('source', 8).notNullable()
    t.bigInteger('at').notNullable()
    t.primary(['user_id', 'purpose_id'])
    t.index(['purpose_id', 'user_id'])
  })
  // Purposes that are gone and whose choices are not. Of an app that is gone, too: it refers to nothing.
  await db.schema.createTable('deleted_purposes', (t) => {
    t.bigInteger('purpose_id').primary()
    t.bigInteger('app_id').notNullable()
  })

  // Identifiers that get nothing, as digests: they stay when the user is erased.
  await db.schema.createTable('suppressions', (t) => {
    t.bigIncrements('id')
    t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
    t.string('digest', 64).notNullable()
    t.string('reason')
    t.bigInteger('at').notNullable()
    t.unique(['app_id', 'digest'])
    t.index(['app_id', 'id'])
  })

  await db.schema.alterTable('apps', (t) => {
    // What becomes of recipients in quiet hours: null = they are left out; hold = they get it afterwards.
    t.string('quiet_then', 8)
  })
  await db.schema.alterTable('notifications', (t) => {
    t.string('purpose')
    t.boolean('transactional').notNullable().defaultTo(false)
  })
  await db.schema.alterTable('in_app_messages', (t) => {
    t.string('purpose')
    t.boolean('transactional').notNullable().defaultTo(false)
    // Parts of `skipped`.
    t.integer('not_wanted').notNullable().defaultTo(0)
    t.integer('on_suppression_list').notNullable().defaultTo(0)
  })
  await db.schema.alterTable('pages', (t) => {
    // Its recipients were in quiet hours, and wait for their end.
    t.boolean('held').notNullable().defaultTo(false)
  })
}

const ADDED = {
  pages: ['held'],
  in_app_messages: ['purpose', 'transactional', 'not_wanted', 'on_suppression_list'],
  notifications: ['purpose', 'transactional'],
  apps: ['quiet_then'],
}

export async function down(db: Knex): Promise<void> {
  // Not through Knex: on SQLite it copies the table and drops the old one, and everything that refers to it goes along.
  for (const [table, columns] of Object.entries(ADDED)) {
    for (const column of columns) await db.raw('ALTER TABLE ?? DROP COLUMN ??', [table, column])
  }
  for (const table of ['suppressions', 'deleted_purposes', 'user_purposes', 'purposes']) {
    await db.schema.dropTable(table)
  }
}
