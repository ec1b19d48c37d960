import type { Program } from '../../src/program.ts'
import { hear, touchesRows } from './hear.ts'

/** A statement as it is run, with the values that are bound to it. */
export interface Statement {
  sql: string
  bindings: readonly unknown[]
}

/** Calls `hear` from now on for every statement that transactions of the app run, those of SQLite and of PostgreSQL alike. */
export function listenToWrites({ kernel }: Program, hear: (sql: string, bindings: readonly unknown[]) => void): void {
  const listen = ({ sql, bindings }: Statement) => hear(sql, bindings)
  const { db } = kernel
  kernel.db = {
    ...db,
    write: (work) =>
      db.write((trx) => {
        trx.on('query', listen)
        return work(trx).finally(() => trx.off('query', listen))
      }),
  }
}

/** The statements that the app runs for `work`, inside and outside of transactions, each text once. */
export async function statementsOf(program: Program, work: () => Promise<unknown>): Promise<Statement[]> {
  const heard = new Map<string, Statement>()
  const end = hear(program.kernel.db, ({ sql, bindings }) => {
    if (!heard.has(sql)) heard.set(sql, { sql, bindings })
  })
  try {
    await work()
  } finally {
    end()
  }
  return [...heard.values()].filter(touchesRows)
}
