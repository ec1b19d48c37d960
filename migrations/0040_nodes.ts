import type { Knex } from 'knex'

export async function up(db: Knex): Promise<void> {
  // The processes that serve this database or work on it, and those that did until some days ago.
  await db.schema.createTable('nodes', (t) => {
    // The part before the first `/` of the owners of claimed pages.
    t.text('id').primary()
    t.text('host').notNullable()
    t.integer('pid').notNullable()
    t.text('version').notNullable()
    // The newest schema step that it knows.
    t.text('schema_step').notNullable()
    // A short digest of the check value of its master key.
    t.text('key_print').notNullable()
    // What it does: http, workers, or both with a comma.
    t.text('roles').notNullable()
    // All times (ms) are of the clock of the database.
    t.bigInteger('started_at').notNullable()
    t.bigInteger('seen_at').notNullable()
    // How far its own clock was ahead at its last sign of life (ms).
    t.bigInteger('clock_ahead').notNullable()
    // When it stopped as asked; null for one that runs or was killed.
    t.bigInteger('stopped_at')
  })
}

export async function down(db: Knex): Promise<void> {
  await db.schema.dropTable('nodes')
}
