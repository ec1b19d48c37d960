import { setImmediate } from 'node:timers/promises'
import type BetterSqlite from 'better-sqlite3'
import type { Knex } from 'knex'
import { failpoint } from '../process/failpoints.ts'
import type { WriteOptions } from './database.ts'
import type { Flush } from './flush.ts'
import { prepared } from './prepared.ts'
import { openSession, type Session } from './session.ts'
import type { SqliteClient } from './sqlite-client.ts'
import { asUnavailable } from './unavailable.ts'
import type { WriteTurn } from './write-turn.ts'

type Work<T> = (trx: Knex.Transaction) => Promise<T>

interface Job {
  run: Work<unknown>
  isSingle: boolean
  shares: boolean
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** The time (ms) for which a transaction accepts further jobs. The lock is held for little more than this and one job. */
export const BOARDING_MS = 10

export interface GroupCommit {
  /** Runs `work` in a transaction with others; resolves when the commit is on disk. */
  write<T>(work: Work<T>, options?: WriteOptions): Promise<T>
  /** Runs `work` with the connection, between two transactions. */
  between<T>(work: (connection: BetterSqlite.Database) => T): Promise<T>
  /** Gives the connection back when nothing waits any more. */
  close(): Promise<void>
}

/**
 * Group commit: writes that arrive together share one transaction and one fsync. A failed write rolls back only itself, because each
 * but the first runs inside its own savepoint, or can run again (`WriteOptions.shares`); every promise settles after the commit is on disk. The next transaction may begin
 * while the log is still being flushed. A transaction accepts no further writes once it is `boardingMs` old (default 10). Zero gives every write a
 * transaction of its own.
 */
export function createGroupCommit(
  writer: Knex,
  turn: WriteTurn,
  { boardingMs = BOARDING_MS, flush }: { boardingMs?: number; flush?: Pick<Flush, 'settle'> } = {},
): GroupCommit {
  const queue: Job[] = []
  let draining: Promise<void> | undefined
  /** Work to do between transactions. */
  const intermissions: (() => Promise<void>)[] = []
  let session: Session | undefined
  /** The number of jobs that are committed and wait for the disk. */
  let unflushed = 0
  /** Lets the next transaction begin. */
  let goOn: (() => void) | undefined
  /** The last transaction was rolled back, so the first job of the next one gets a savepoint too: more may fail. */
  let hasFailed = false

  async function drain(): Promise<void> {
    while (queue.length > 0 || intermissions.length > 0) {
      for (const work of intermissions.splice(0)) await work()
      if (queue.length === 0) continue
      // The next flush begins when this one ends. So fewer jobs than wait for it gain nothing by a commit of their own now, and those who
      // are told come back: callers that wait for each other would fall into two halves.
      if (queue.length < unflushed) await new Promise<void>((resolve) => (goOn = resolve))
      else await commitTogether()
    }
    draining = undefined
  }

  async function inTransaction(work: (session: Session) => Promise<void>): Promise<void> {
    session ??= await openSession(writer)
    const { connection } = session
    await session.begin()
    try {
      await work(session)
    } catch (error) {
      try {
        session.rollback()
      } catch {
        // The first error says why.
      }
      if (connection.inTransaction) await replace()
      throw error
    }
    try {
      session.commit()
    } catch (error) {
      await replace()
      throw error
    }
  }

  /** Gives the next transaction another connection when this one is still in its transaction. */
  async function replace(): Promise<void> {
    const old = session!
    session = undefined
    await old.end()
  }

  /** Runs one transaction with every job that arrives in time, and settles those jobs. Never rejects. */
  async function commitTogether(): Promise<void> {
    const aboard: Job[] = []
    const settlements: (() => void)[] = []
    let end: (() => void) | undefined
    /** The number of jobs that waited when we tried to begin. Jobs that arrive after a failed BEGIN get a try of their own. */
    let waiting = Infinity
    try {
      end = await turn.take()
      waiting = queue.length
      await inTransaction(async (own) => {
        const { trx } = own
        const until = performance.now() + boardingMs
        let canRepeat = !hasFailed
        do {
          const job = queue.shift()!
          aboard.push(job)
          canRepeat &&= job.shares
          // When the first one fails, the transaction is rolled back, and the others take the next one. In a savepoint SQLite would
          // copy every page before it changes, into a file when there are more than 15: a third of what a batch of uploads costs.
          const isFirst = aboard.length === 1 && !hasFailed
          if (canRepeat) settlements.push(await runRepeatable(own, job))
          else if (job.isSingle) settlements.push(await runSingle(trx, job))
          else settlements.push(isFirst ? await runFirst(trx, job) : await runAlone(trx, job))
          // Let the event loop turn once before committing: requests that arrived in the meantime can then share this commit.
          if (queue.length === 0) await setImmediate()
        } while (queue.length > 0 && performance.now() < until)
      })
      hasFailed = false
      failpoint('write.committed')
      tellWhenKept(aboard, () => {
        for (const settle of settlements) settle()
      })
    } catch (error) {
      hasFailed = true
      const spoilt = error instanceof Spoilt ? error : undefined
      if (spoilt) queue.unshift(...aboard.filter((job) => job !== spoilt.job))
      // With no job aboard, BEGIN itself failed, so the waiting jobs fail too.
      const affected = spoilt ? [spoilt.job] : aboard.length > 0 ? aboard : queue.splice(0, waiting)
      const reason = asUnavailable(spoilt ? spoilt.cause : error)
      tellWhenKept(affected, () => {
        for (const job of affected) job.reject(reason)
      })
    } finally {
      end?.()
    }
  }

  /**
   * Tells these jobs what came of them when the disk has everything that they may have seen. Refusals wait, too: they can rest on what
   * somebody else committed just before.
   */
  function tellWhenKept(jobs: readonly Job[], tell: () => void): void {
    const flushed = flush?.settle()
    if (!flushed) return tell()
    unflushed += jobs.length
    const told = () => {
      unflushed -= jobs.length
      goOn?.()
    }
    flushed
      .then(tell, (error: unknown) => {
        for (const job of jobs) job.reject(error)
      })
      .finally(told)
  }

  function start(): void {
    draining ??= drain()
    if (queue.length >= unflushed || intermissions.length > 0) goOn?.()
  }

  return {
    write: <T>(run: Work<T>, { isSingle = false, shares = false }: WriteOptions = {}) =>
      new Promise<T>((resolve, reject) => {
        queue.push({ run, isSingle, shares, resolve, reject })
        start()
      }),

    between: <T>(work: (connection: BetterSqlite.Database) => T) =>
      new Promise<T>((resolve, reject) => {
        intermissions.push(async () => {
          try {
            session ??= await openSession(writer)
            resolve(work(session.connection))
          } catch (error) {
            reject(error)
          }
        })
        start()
      }),

    async close() {
      await draining
      if (session) await replace()
    },
  }
}

/** Runs the first job. Returns the function that settles it after the commit; throws when the transaction has to be rolled back. */
async function runFirst(trx: Knex.Transaction, job: Job): Promise<() => void> {
  const value = await job.run(trx)
  return () => job.resolve(value)
}

/** A transaction in which a job has failed after it had changed something. All others aboard may run again. */
class Spoilt extends Error {
  readonly job: Job

  constructor(job: Job, cause: unknown) {
    super('a job has failed without a savepoint', { cause })
    this.job = job
  }
}

/**
 * Runs a job that may run again, behind others that may, without a savepoint: refusals come before the first change. Returns the function
 * that settles it; throws `Spoilt` when the others have to run again, and anything else when the whole transaction is lost.
 */
async function runRepeatable({ trx, connection, changes }: Session, job: Job): Promise<() => void> {
  const before = changes()
  try {
    const value = await job.run(trx)
    return () => job.resolve(value)
  } catch (error) {
    if (!connection.inTransaction) throw error
    if (changes() !== before) throw new Spoilt(job, error)
    return () => job.reject(asUnavailable(error))
  }
}

/** Runs a job of one statement. Returns the function that settles it; throws when the whole transaction is lost. */
async function runSingle(trx: Knex.Transaction, job: Job): Promise<() => void> {
  try {
    const value = await job.run(trx)
    return () => job.resolve(value)
  } catch (error) {
    const { held } = trx.client as unknown as SqliteClient
    if (!held!.inTransaction) throw error
    return () => job.reject(asUnavailable(error))
  }
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
