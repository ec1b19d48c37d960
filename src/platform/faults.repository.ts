import type { Sql } from './db/connect.ts'
import { databaseNow } from './db/dialect.ts'
import { integer, table, text } from './db/table.ts'
import type { Fault, FaultKind } from './faults.ts'

const FAULTS = table('faults', {
  kind: text('kind').as<FaultKind>(),
  about: text('about'),
  sentence: text('sentence'),
  since: integer('since'),
})

/** A fault that was not confirmed for this long is ignored: its process may have been killed. */
const BELIEVED_MS = 180_000

export type FaultsRepository = ReturnType<typeof faultsRepository>

/** The faults that the processes on this database report, for other processes to read. */
export function faultsRepository(sql: Sql) {
  return {
    /** Replaces the faults of a node. */
    async store(node: string, faults: readonly Fault[]): Promise<void> {
      await sql('faults').where({ node }).delete()
      if (faults.length === 0) return
      const now = sql.raw(databaseNow(sql))
      await sql('faults').insert(faults.map((fault) => ({ ...FAULTS.toRow(fault), node, seen_at: now })))
    },

    /** The current faults, oldest first. */
    async list(): Promise<Fault[]> {
      const rows = await sql('faults')
        .whereRaw(`seen_at >= ${databaseNow(sql)} - ?`, [BELIEVED_MS])
        .orderBy(['since', 'kind', 'about'])
      return rows.map(FAULTS.fromRow)
    },

    /** Whether any fault is stored, also outdated ones. */
    async isAny(): Promise<boolean> {
      return (await sql('faults').first('node')) !== undefined
    },

    /** Deletes outdated faults, or all when no other process can be running. */
    async forget(all: boolean): Promise<void> {
      await sql('faults')
        .modify((query) => {
          if (!all) void query.whereRaw(`seen_at < ${databaseNow(sql)} - ?`, [BELIEVED_MS])
        })
        .delete()
    },
  }
}
