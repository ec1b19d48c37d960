import type { Knex } from 'knex'

export async function up(db: Knex): Promise<void> {
  await db.schema.createTable('web_prompts', (t) => {
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
  })
}

export async function down(db: Knex): Promise<void> {
  await db.schema.dropTable('web_prompts')
}
