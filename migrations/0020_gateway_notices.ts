import type { Knex } from 'knex'

export async function up(db: Knex): Promise<void> {
  await db.schema.alterTable('gateway_configs', (t) => {
    // When the credential ends (ms); null = never, as far as is known.
    t.bigInteger('not_after')
    // Of which term the operator was told last: 30, 14, 7 or 1 days before, 0 when it was over; null = of none.
    t.integer('expiry_notice')
  })
  const rows: { id: number; facts: string }[] = await db('gateway_configs').select('id', 'facts')
  for (const { id, facts } of rows) {
    const { notAfter } = JSON.parse(facts) as { notAfter?: unknown }
    if (typeof notAfter === 'number') await db('gateway_configs').where({ id }).update({ not_after: notAfter })
  }
  await db.raw('CREATE INDEX gateway_configs_not_after ON gateway_configs (not_after) WHERE not_after IS NOT NULL')
}

export async function down(db: Knex): Promise<void> {
  await db.raw('DROP INDEX gateway_configs_not_after')
  // Not through Knex: on SQLite it copies the table and drops the old one, and everything that refers to it goes along.
  for (const column of ['not_after', 'expiry_notice']) {
    await db.raw('ALTER TABLE gateway_configs DROP COLUMN ??', [column])
  }
}
