import type { Sql } from '../db/connect.ts'
import { databaseNow } from '../db/dialect.ts'
import { integer, table, text } from '../db/table.ts'
import type { Fault, FaultKind } from './faults.ts'

const FAULTS = table('faults', {
  kind: text('kind').as<FaultKind>(),
  about: text('about'),
  sentence: text('sentence'),
  since: integer('since'),
})

/** Age after which an unconfirmed fault is ignored: a process that was killed cannot remove its faults. */
const VALID_MS = 180_000

/** The faults that the processes on this database report, for readers outside of them. Tables: docs/reference/schema.md#faults. */
export function faultsRepository(sql: Sql) {
  return {
    /** Replaces the faults that this node reported before. */
    async store(node: string, faults: readonly Fault[]): Promise<void> {
      await sql('faults').where({ node }).delete()
      if (faults.length === 0) return
      const now = sql.raw(databaseNow(sql))
      await sql('faults').insert(faults.map((fault) => ({ ...FAULTS.toRow(fault), node, seen_at: now })))
    },

    /** Current faults, the oldest first. */
    async list(): Promise<Fault[]> {
      const rows = await sql('faults')
        .whereRaw(`seen_at >= ${databaseNow(sql)} - ?`, [VALID_MS])
        .orderBy(['since', 'kind', 'about'])
      return rows.map(FAULTS.fromRow)
    },

    /** Tells whether any fault is stored, current or not. */
    async isAny(): Promise<boolean> {
      return (await sql('faults').first('node')) !== undefined
    },

    /** Deletes faults that are no longer confirmed; with `all`, every fault (no other process can be running). */
    async forget(all: boolean): Promise<void> {
      await sql('faults')
        .modify((query) => {
          if (!all) void query.whereRaw(`seen_at < ${databaseNow(sql)} - ?`, [VALID_MS])
        })
        .delete()
    },
  }
}
