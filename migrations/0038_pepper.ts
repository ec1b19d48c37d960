import type { Knex } from 'knex'

export async function up(db: Knex): Promise<void> {
  await db.schema.alterTable('instance', (t) => {
    // What digests are keyed with, sealed under the master key; null while it comes from the master key itself.
    t.text('pepper')
  })
}

export async function down(db: Knex): Promise<void> {
  // Digests of a rotated database cannot be made without it, and versions of before know no other than that of the key.
  await db.raw('ALTER TABLE instance DROP COLUMN pepper')
}
