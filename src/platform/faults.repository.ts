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

/** A process that was killed cannot take its faults back: what nobody confirmed for so long is not believed. */
const BELIEVED_MS = 180_000

export type FaultsRepository = ReturnType<typeof faultsRepository>

/** What the processes on this database found wrong with themselves, for those who look from outside. */
export function faultsRepository(sql: Sql) {
  return {
    /** Replaces what a node said before. */
    async store(node: string, faults: readonly Fault[]): Promise<void> {
      await sql('faults').where({ node }).delete()
      if (faults.length === 0) return
      const now = sql.raw(databaseNow(sql))
      await sql('faults').insert(faults.map((fault) => ({ ...FAULTS.toRow(fault), node, seen_at: now })))
    },

    /** What is wrong now, the oldest first. */
    async list(): Promise<Fault[]> {
      const rows = await sql('faults')
        .whereRaw(`seen_at >= ${databaseNow(sql)} - ?`, [BELIEVED_MS])
        .orderBy(['since', 'kind', 'about'])
      return rows.map(FAULTS.fromRow)
    },

    /** Whether anything is stored, believed or not. */
    async isAny(): Promise<boolean> {
      return (await sql('faults').first('node')) !== undefined
    },

    /** Forgets what nobody confirms any more; `all`: nobody else can be there. */
    async forget(all: boolean): Promise<void> {
      await sql('faults')
        .modify((query) => {
          if (!all) void query.whereRaw(`seen_at < ${databaseNow(sql)} - ?`, [BELIEVED_MS])
        })
        .delete()
    },
  }
}
