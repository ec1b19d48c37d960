import type { Knex } from 'knex'

/** Exports of other services that are being imported: how far each is. A row goes when its import is finished. */
export async function up(db: Knex): Promise<void> {
  await db.schema.createTable('imports', (t) => {
    t.bigIncrements('id')
    t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
    t.string('source', 16).notNullable()
    // Of the contents of the files and of what the command was told: the same import is found again by it.
    t.string('digest', 64).notNullable()
    // Rows of the files that are done, stored with what they changed.
    t.bigInteger('place').notNullable()
    t.text('counts').notNullable()
    // Length of the file of refused rows at that place.
    t.bigInteger('errors_size').notNullable()
    t.bigInteger('created_at').notNullable()
    t.bigInteger('updated_at').notNullable()
    t.unique(['app_id', 'source', 'digest'])
  })
}

export async function down(db: Knex): Promise<void> {
  await db.schema.dropTable('imports')
}
