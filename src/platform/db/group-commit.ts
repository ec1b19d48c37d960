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

/** A transaction takes further work aboard for so long; the lock is never held much longer than this and one job. */
const BOARDING_MS = 10

/**
 * Group commit: writes that arrive together share one transaction and one fsync. Each runs inside its own savepoint, so one
 * that fails takes back only itself; every promise settles after the commit. Nobody boards once a transaction is `boardingMs`
 * old (10): zero gives every write a transaction of its own.
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

  /** One transaction with everything that boards in time. Settles those jobs; never rejects itself. */
  async function commitTogether(): Promise<void> {
    const aboard: Job[] = []
    const settlements: (() => void)[] = []
    let end: (() => void) | undefined
    /** Those who wait for this transaction to begin. Who comes while it cannot has a try of his own. */
    let waiting = Infinity
    try {
      end = await turn.take()
      waiting = queue.length
      await writer.transaction(async (trx) => {
        // Knex calls us even when its BEGIN failed, and reports that failure by itself.
        if (trx.isCompleted()) return
        const until = performance.now() + boardingMs
        do {
          const job = queue.shift()!
          aboard.push(job)
          settlements.push(await runAlone(trx, job))
          // The event loop turns once before the doors close: requests that came in meanwhile would pay for a commit each.
          if (queue.length === 0) await setImmediate()
        } while (queue.length > 0 && performance.now() < until)
      })
      for (const settle of settlements) settle()
    } catch (error) {
      // Nobody aboard: there is no transaction to be had, for those who wait neither.
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

/** Runs one job in its savepoint. Returns how to settle it once the commit is done; throws when the whole transaction is lost. */
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
      // A full disk makes SQLite roll back everything at once: the savepoint is gone, and the first error says why.
      throw error
    }
    return () => job.reject(asUnavailable(error))
  }
}
