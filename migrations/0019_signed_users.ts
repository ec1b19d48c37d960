import type { Knex } from 'knex'

export async function up(db: Knex): Promise<void> {
  // What devices must show to speak for a user: off, optional or require.
  await db.schema.alterTable('apps', (t) => {
    t.string('signed_users', 8).notNullable().defaultTo('off')
  })
  // Keys that tokens of users are signed with. Sealed, not digested: whoever checks a token needs the key itself.
  await db.schema.createTable('user_signing_keys', (t) => {
    t.bigIncrements('id')
    t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
    t.text('sealed').notNullable()
    t.string('hint', 16).notNullable()
    t.bigInteger('created_at').notNullable()
    // Set when the key was replaced.
    t.bigInteger('expires_at')
    t.index(['app_id'])
  })
}

export async function down(db: Knex): Promise<void> {
  await db.schema.dropTable('user_signing_keys')
  // Knex would rebuild the table on SQLite, and all that refers to it would go with the old one.
  await db.raw('ALTER TABLE apps DROP COLUMN signed_users')
}
