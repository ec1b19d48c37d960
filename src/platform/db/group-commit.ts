import { setImmediate } from 'node:timers/promises'
import type { Knex } from 'knex'
import { prepared } from './prepared.ts'
import { asUnavailable } from './unavailable.ts'
import type { WriteTurn } from './write-turn.ts'

type Work<T> = (trx: Knex.Transaction) => Promise<T>

interface Job {
  run: Work<unknown>
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** How long a transaction accepts further jobs. The lock is held for little more than this and one job. */
export const BOARDING_MS = 10

/**
 * Group commit: writes that arrive together share one transaction and one fsync. A failed write rolls back only itself, because each
 * but the first runs inside its own savepoint; every promise settles after the commit. A transaction accepts no further writes once it is
 * `boardingMs` old (default 10). Zero gives every write a transaction of its own.
 */
export function createGroupCommit(
  writer: Knex,
  turn: WriteTurn,
  { boardingMs = BOARDING_MS }: { boardingMs?: number } = {},
): <T>(work: Work<T>) => Promise<T> {
  const queue: Job[] = []
  let draining = false
  /** The last transaction was rolled back, so the first job of the next one gets a savepoint too: more may fail. */
  let hasFailed = false

  async function drain(): Promise<void> {
    while (queue.length > 0) await commitTogether()
    draining = false
  }

  /** Runs one transaction with every job that arrives in time, and settles those jobs. Never rejects. */
  async function commitTogether(): Promise<void> {
    const aboard: Job[] = []
    const settlements: (() => void)[] = []
    let end: (() => void) | undefined
    /** How many jobs waited when we tried to begin. Jobs that arrive after a failed BEGIN get a try of their own. */
    let waiting = Infinity
    try {
      end = await turn.take()
      waiting = queue.length
      await writer.transaction(async (trx) => {
        // Knex calls this function even when BEGIN failed, and then rejects with that error.
        if (trx.isCompleted()) return
        const until = performance.now() + boardingMs
        do {
          const job = queue.shift()!
          aboard.push(job)
          // When the first one fails, the transaction is rolled back, and the others take the next one. In a savepoint SQLite would
          // copy every page before it changes, into a file when there are more than 15: a third of what a batch of uploads costs.
          const isFirst = aboard.length === 1 && !hasFailed
          settlements.push(isFirst ? await runFirst(trx, job) : await runAlone(trx, job))
          // Let the event loop turn once before committing: requests that arrived in the meantime can then share this commit.
          if (queue.length === 0) await setImmediate()
        } while (queue.length > 0 && performance.now() < until)
      })
      hasFailed = false
      for (const settle of settlements) settle()
    } catch (error) {
      hasFailed = true
      // With no job aboard, BEGIN itself failed, so the waiting jobs fail too.
      const affected = aboard.length > 0 ? aboard : queue.splice(0, waiting)
      for (const job of affected) job.reject(asUnavailable(error))
    } finally {
      end?.()
    }
  }

  return (work) =>
    new Promise((resolve, reject) => {
      queue.push({ run: work, resolve: resolve, reject })
      if (draining) return
      draining = true
      void drain()
    })
}

/** Runs the first job. Returns the function that settles it after the commit; throws when the transaction has to be rolled back. */
async function runFirst(trx: Knex.Transaction, job: Job): Promise<() => void> {
  const value = await job.run(trx)
  return () => job.resolve(value)
}

const BEGIN_JOB = prepared('SAVEPOINT job')
const END_JOB = prepared('RELEASE job')
const UNDO_JOB = prepared('ROLLBACK TO job')

/** Runs one job in a savepoint. Returns the function that settles it after the commit; throws when the whole transaction is lost. */
async function runAlone(trx: Knex.Transaction, job: Job): Promise<() => void> {
  await BEGIN_JOB.run(trx, {})
  try {
    const value = await job.run(trx)
    await END_JOB.run(trx, {})
    return () => job.resolve(value)
  } catch (error) {
    try {
      await UNDO_JOB.run(trx, {})
      await END_JOB.run(trx, {})
    } catch {
      // On a full disk SQLite rolls back the whole transaction, and the savepoint is gone. The first error says why.
      throw error
    }
    return () => job.reject(asUnavailable(error))
  }
}
