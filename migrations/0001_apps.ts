import type { Knex } from 'knex'

export async function up(db: Knex): Promise<void> {
  await db.schema.createTable('accounts', (t) => {
    t.bigIncrements('id')
    t.string('name').notNullable()
    t.bigInteger('created_at').notNullable()
  })
  await db.schema.createTable('apps', (t) => {
    t.bigIncrements('id')
    t.bigInteger('account_id').notNullable().references('accounts.id')
    t.string('name').notNullable()
    t.string('link_host_label').notNullable().unique()
    t.bigInteger('created_at').notNullable()
    t.bigInteger('updated_at').notNullable()
  })
  await db.schema.createTable('app_keys', (t) => {
    t.bigIncrements('id')
    t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
    t.string('kind', 16).notNullable()
    t.string('digest', 64).notNullable()
    t.string('hint', 16).notNullable()
    t.bigInteger('created_at').notNullable()
    t.bigInteger('expires_at')
    t.unique(['kind', 'digest'])
    t.index(['app_id', 'kind'])
  })
  await db.schema.createTable('idempotency_keys', (t) => {
    t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
    t.string('key').notNullable()
    t.string('fingerprint', 64).notNullable()
    t.integer('status')
    t.text('headers')
    t.text('body')
    t.bigInteger('created_at').notNullable()
    t.primary(['app_id', 'key'])
    t.index(['created_at'])
  })
}

export async function down(db: Knex): Promise<void> {
  for (const table of ['idempotency_keys', 'app_keys', 'apps', 'accounts']) await db.schema.dropTable(table)
}
