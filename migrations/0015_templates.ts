import type { Knex } from 'knex'

export async function up(db: Knex): Promise<void> {
  await db.schema.createTable('templates', (t) => {
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
  })
  await db.schema.createTable('template_versions', (t) => {
    t.bigInteger('template_id').notNullable().references('templates.id').onDelete('CASCADE')
    t.integer('version').notNullable()
    // The document, its tags, and sample values of them (JSON).
    t.text('content').notNullable()
    t.text('tags').notNullable()
    t.text('sample').notNullable()
    t.bigInteger('created_at').notNullable()
    t.primary(['template_id', 'version'])
  })
}

export async function down(db: Knex): Promise<void> {
  for (const table of ['template_versions', 'templates']) await db.schema.dropTable(table)
}
