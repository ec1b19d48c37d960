import type { Sql } from './db/connect.ts'
import { databaseNow } from './db/dialect.ts'
import type { Fault, FaultKind } from './faults.ts'

interface FaultRow {
  node: string
  kind: FaultKind
  about: string
  sentence: string
  since: number
  seen_at: number
}

/** A process that was killed cannot take its faults back: what nobody confirmed for so long is not believed. */
const BELIEVED_MS = 180_000

export type FaultsRepository = ReturnType<typeof faultsRepository>

/** What the processes on this database found wrong with themselves, for those who look from outside. */
export function faultsRepository(sql: Sql) {
  return {
    /** Replaces what a node said before. */
    async store(node: string, faults: readonly Fault[]): Promise<void> {
      await sql<FaultRow>('faults').where({ node }).delete()
      if (faults.length === 0) return
      const now = sql.raw(databaseNow(sql)) as unknown as number
      await sql<FaultRow>('faults').insert(
        faults.map(({ kind, about, sentence, since }) => ({ node, kind, about, sentence, since, seen_at: now })),
      )
    },

    /** What is wrong now, the oldest first. */
    async list(): Promise<Fault[]> {
      const rows = await sql<FaultRow>('faults')
        .whereRaw(`seen_at >= ${databaseNow(sql)} - ?`, [BELIEVED_MS])
        .orderBy(['since', 'kind', 'about'])
      return rows.map(({ kind, about, sentence, since }) => ({ kind, about, sentence, since }))
    },

    /** Whether anything is stored, believed or not. */
    async isAny(): Promise<boolean> {
      return (await sql('faults').first('node')) !== undefined
    },

    /** Forgets what nobody confirms any more; `all`: nobody else can be there. */
    async forget(all: boolean): Promise<void> {
      await sql<FaultRow>('faults')
        .modify((query) => {
          if (!all) void query.whereRaw(`seen_at < ${databaseNow(sql)} - ?`, [BELIEVED_MS])
        })
        .delete()
    },
  }
}
