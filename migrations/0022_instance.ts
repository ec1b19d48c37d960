import type { Knex } from 'knex'

export async function up(db: Knex): Promise<void> {
  // One row: what this database knows of itself.
  await db.schema.createTable('instance', (t) => {
    t.integer('id').primary()
    // What the master key makes of a constant; null until the first start.
    t.text('key_check')
    // Which file, or which database of PostgreSQL, it was when it was used last.
    t.text('identity')
    // What stands in the mark file beside an SQLite database, and what stood there before.
    t.text('mark')
    t.text('previous_mark')
    // Since when (ms) nothing is sent, and why; null = sending.
    t.bigInteger('held_at')
    t.text('held_reason')
  })
  await db('instance').insert({ id: 1 })
  // What is wrong with the processes that run on this database, for those who look from outside.
  await db.schema.createTable('faults', (t) => {
    t.text('node').notNullable()
    t.text('kind').notNullable()
    t.text('about').notNullable()
    t.text('sentence').notNullable()
    t.bigInteger('since').notNullable()
    t.bigInteger('seen_at').notNullable()
    t.primary(['node', 'kind', 'about'])
  })
}

export async function down(db: Knex): Promise<void> {
  await db.schema.dropTable('faults')
  await db.schema.dropTable('instance')
}
