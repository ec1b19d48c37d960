import type pg from 'pg'
import { AppError } from '../errors.ts'
import { openClient } from './hosts.ts'

/**
 * The setting `database.pooler`. `transaction`: a pooler gives a connection of the server to each transaction, so that two statements of one
 * client may run on different ones, and what a statement sets or prepares is there for somebody else.
 */
export type Pooler = 'none' | 'transaction'

/** The kind of pooler between this program and PostgreSQL. `session`: each client has a connection of the server for itself. */
export type PoolerFound = 'none' | 'session' | 'transaction' | 'statement'

/** Rounds in which a pooler in transaction mode may hide, because other clients take the connections of the server. */
const ROUNDS = 10

/**
 * Finds the pooler before a PostgreSQL server. A pooler makes up the process id that a client is told (PostgreSQL protocol,
 * BackendKeyData), so it differs from `pg_backend_pid()`. Whether it gives connections to transactions is seen when one that a client has
 * used serves another one that is in a transaction, or when a client meets a second one. Throws what the driver throws.
 */
export async function findPooler(url: string): Promise<PoolerFound> {
  const open: pg.Client[] = []
  try {
    const one = await openClient(url)
    open.push(one)
    const first = await processOf(one)
    if (first === (one as unknown as { processID: number }).processID) return 'none'
    const other = await openClient(url)
    open.push(other)
    for (let round = 0; round < ROUNDS; round++) {
      const before = await processOf(one)
      // Asked twice: a pooler that takes its two connections in turns would otherwise give each client the same one in every round.
      const again = await processOf(one)
      await other.query('BEGIN')
      const held = await processOf(other)
      const after = await processOf(one)
      await other.query('ROLLBACK')
      if (held === again || [before, again, after].some((pid) => pid !== first)) return 'transaction'
    }
    return 'session'
  } catch (error) {
    if (error instanceof Error && /statement pooling/.test(error.message)) return 'statement'
    throw error
  } finally {
    for (const client of open) await client.end().catch(() => {})
  }
}

/** The remedy where a pooler in transaction mode is not expected. */
export const POOLER_REMEDY = 'set database.pooler: transaction'
/** The remedy for a pooler in statement mode. */
export const POOL_MODE_REMEDY = 'set pool_mode = transaction for this database in pgbouncer.ini'

/** Sentences for poolers with which this program cannot work. */
export const POOLER_PROBLEMS = {
  transaction:
    'database.url leads through a pooler in transaction mode, where prepared statements and settings of a session do not last',
  statement: 'database.url leads through a pooler in statement mode, where there are no transactions',
} as const

/** Throws `config` when the pooler before the server is one that `pooler` does not allow for. */
export async function refusePooler(url: string, pooler: Pooler): Promise<void> {
  // Whoever connects next says why that fails.
  const found = await findPooler(url).catch(() => 'none' as const)
  if (found === 'statement') throw new AppError('config', `${POOLER_PROBLEMS.statement}: ${POOL_MODE_REMEDY}`)
  if (found === 'transaction' && pooler === 'none') {
    throw new AppError('config', `${POOLER_PROBLEMS.transaction}: ${POOLER_REMEDY}`)
  }
}

/** The process of the server that runs the statements of a client now. */
async function processOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  return rows[0]!.pid
}
