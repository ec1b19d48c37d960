import { setImmediate } from 'node:timers/promises'
import type { Knex } from 'knex'
import { asUnavailable } from './unavailable.ts'
import type { WriteTurn } from './write-turn.ts'

type Work<T> = (trx: Knex.Transaction) => Promise<T>

interface Job {
  run: Work<unknown>
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** How long a transaction accepts further jobs. The lock is held for little more than this and one job. */
const BOARDING_MS = 10

/**
 * Group commit: writes that arrive together share one transaction and one fsync. Each runs inside its own savepoint, so a failed
 * write rolls back only itself; every promise settles after the commit. A transaction accepts no further writes once it is
 * `boardingMs` old (default 10). Zero gives every write a transaction of its own.
 */
export function createGroupCommit(
  writer: Knex,
  turn: WriteTurn,
  { boardingMs = BOARDING_MS }: { boardingMs?: number } = {},
): <T>(work: Work<T>) => Promise<T> {
  const queue: Job[] = []
  let draining = false

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
          settlements.push(await runAlone(trx, job))
          // Let the event loop turn once before committing: requests that arrived in the meantime can then share this commit.
          if (queue.length === 0) await setImmediate()
        } while (queue.length > 0 && performance.now() < until)
      })
      for (const settle of settlements) settle()
    } catch (error) {
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

/** Runs one job in a savepoint. Returns the function that settles it after the commit; throws when the whole transaction is lost. */
async function runAlone(trx: Knex.Transaction, job: Job): Promise<() => void> {
  await trx.raw('SAVEPOINT job')
  try {
    const value = await job.run(trx)
    await trx.raw('RELEASE job')
    return () => job.resolve(value)
  } catch (error) {
    try {
      await trx.raw('ROLLBACK TO job')
      await trx.raw('RELEASE job')
    } catch {
      // On a full disk SQLite rolls back the whole transaction, and the savepoint is gone. The first error says why.
      throw error
    }
    return () => job.reject(asUnavailable(error))
  }
}
