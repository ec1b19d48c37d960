import type { Knex } from 'knex'

/** Earlier programs do not know the table and count in memory, as they did. */
export const compatible = true

/** Tries to sign in, counted for all processes together. `digest` hides who tried and from where. */
export async function up(db: Knex): Promise<void> {
  await db.schema.createTable('sign_in_tries', (t) => {
    t.string('digest', 64).primary()
    // When all tries are given back (ms), or until when the row counts.
    t.bigInteger('until').notNullable().index('sign_in_tries_until')
  })
}

export async function down(db: Knex): Promise<void> {
  await db.schema.dropTable('sign_in_tries')
}
