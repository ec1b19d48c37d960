import type { Sql } from './connect.ts'
import { isPostgres } from './dialect.ts'

/** The second keys of advisory locks have 32 bits. */
const KEYS = 2 ** 31

/** The key of an advisory lock for the row with this id. Two ids that share one only wait for each other. */
export const keyOf = (id: number): number => id % KEYS

/**
 * Takes an advisory lock until the commit, for what has no row that could be locked: of two transactions that take it at once the later one
 * sees what the other has written. Holders of a `shared` lock only keep others out. `what` says what is locked, a number that nothing else
 * uses; the key says which one. SQLite has a single writer and needs no locks.
 */
export async function lockUntilCommit(
  sql: Sql,
  what: number,
  key: number,
  mode: 'exclusive' | 'shared' = 'exclusive',
): Promise<void> {
  if (!isPostgres(sql)) return
  await sql.raw(`SELECT pg_advisory_xact_lock${mode === 'shared' ? '_shared' : ''}(?, ?)`, [what, key])
}

/** The locks of what is made once ("once"). */
const ONCE = 0x6f6e6365
/** Names of things that are looked for and made if they are not there, with their keys: no row could be locked before. */
const MADE_ONCE = { 'first account and names of apps': 1, 'first owner': 2 } as const

/** Locks what is made once until the commit. Call it before looking. */
export async function lockOnce(sql: Sql, what: keyof typeof MADE_ONCE): Promise<void> {
  await lockUntilCommit(sql, ONCE, MADE_ONCE[what])
}
