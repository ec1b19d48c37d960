import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../errors.ts'

/** The name that our connections give themselves. */
export const APPLICATION = 'appsvc'

/** SQL that counts the other connections of our programs to this PostgreSQL database. */
export const COUNT_OTHERS = `SELECT count(*) AS count FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = '${APPLICATION}' AND pid <> pg_backend_pid()`

/** The server sees the end of a closed connection a moment later; a process that is just ending takes a little longer. */
const PATIENCE_MS = 3000
const LOOK_MS = 50

/** Waits until nobody else is connected, for `PATIENCE_MS`; then throws `unavailable`. Call it outside of a transaction. */
export async function refuseOthers(count: () => Promise<number>): Promise<void> {
  const until = performance.now() + PATIENCE_MS
  for (;;) {
    const others = await count()
    if (others === 0) return
    if (performance.now() >= until) throw inUse(others)
    await sleep(LOOK_MS)
  }
}

/** The error when others use the database. */
export function inUse(others: number): AppError {
  return new AppError(
    'unavailable',
    `${others} ${others === 1 ? 'connection' : 'connections'} of other appsvc processes use the database: stop every server, worker and command first`,
  )
}
