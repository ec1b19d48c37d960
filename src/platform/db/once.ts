import type { Sql } from './connect.ts'
import { isPostgres } from './dialect.ts'

/** First key of the advisory locks ("once"). */
const LOCK = 0x6f6e6365
/** Names of things that are looked for and made if they are not there: no row could be locked before. The number is the second key. */
const MADE_ONCE = { 'first account and names of apps': 1, 'first owner': 2 } as const

/**
 * Locks what is made once until the commit: of two transactions that look for it at once the later one sees what the other has made. Call it
 * before looking. SQLite has a single writer.
 */
export async function lockOnce(sql: Sql, what: keyof typeof MADE_ONCE): Promise<void> {
  if (isPostgres(sql)) await sql.raw('SELECT pg_advisory_xact_lock(?, ?)', [LOCK, MADE_ONCE[what]])
}
