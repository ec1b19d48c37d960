import type { Knex } from 'knex'

export async function up(db: Knex): Promise<void> {
  await db.schema.alterTable('instance', (t) => {
    // What digests are keyed with, sealed under the master key; null while it comes from the master key itself.
    t.text('pepper')
  })
}

export async function down(db: Knex): Promise<void> {
  // After a rotation no digest of this database can be made without it, and versions of before do not know of it.
  const [row] = await db('instance').whereNotNull('pepper').select('id')
  if (row) throw new Error('the master key was rotated: versions before this step would refuse every access key')
  await db.raw('ALTER TABLE instance DROP COLUMN pepper')
}
