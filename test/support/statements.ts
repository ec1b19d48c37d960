import type { App } from '../../src/app.ts'

/** From now on `hear` is told the SQL of every statement that transactions of the app run, those of SQLite and of PostgreSQL alike. */
export function listenToWrites({ kernel }: App, hear: (sql: string) => void): void {
  const listen = ({ sql }: { sql: string }) => hear(sql)
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
