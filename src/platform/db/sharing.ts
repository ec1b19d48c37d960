import { AsyncLocalStorage } from 'node:async_hooks'
import type { Knex } from 'knex'
import { isAppError } from '../errors.ts'
import { asUnavailable, isDatabaseFault } from './unavailable.ts'

export type Work<T> = (trx: Knex.Transaction) => Promise<T>

/** Tasks in one transaction. More of them make each wait longer, and share its cost no better. */
const MOST_TASKS = 64
/** Transactions at a time, so that tasks that wait for a lock do not stop all others. */
const MOST_TRANSACTIONS = 3
/** A transaction that takes longer (ms) does not keep the waiting ones from theirs. */
const PATIENCE_MS = 20

interface Task {
  work: Work<unknown>
  /** True once it has asked for a change: nothing but a rollback takes that back. */
  hasWritten: boolean
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** The task whose code is running. */
const current = new AsyncLocalStorage<Task>()

/** Notes that the running task, if there is one, changes something. */
export function noteChange(): void {
  const task = current.getStore()
  if (task) task.hasWritten = true
}

/** The ways to run a transaction. */
export interface Transactions {
  /** For one task. */
  alone<T>(work: Work<T>): Promise<T>
  /** For tasks that run side by side. */
  together<T>(work: Work<T>): Promise<T>
}

/** Carries the reason for which a transaction is given up: some of its tasks failed. */
class SomeFailed extends Error {
  readonly failed: ReadonlySet<Task>

  constructor(failed: ReadonlySet<Task>) {
    super(`${failed.size} tasks of a shared transaction failed`)
    this.failed = failed
  }
}

/**
 * Lets tasks that come while a transaction is under way share the next one. Their statements are gathered (gathering.ts), and their
 * commit is one. A task that refuses before it has changed anything is told so behind the commit. One that fails otherwise, or waits too
 * long for a lock, does so alone: the transaction is rolled back, this task runs by itself, and the others run again. Nothing runs again
 * when the commit fails, which may have happened.
 */
export function createSharing({ alone, together }: Transactions): <T>(work: Work<T>) => Promise<T> {
  const waiting: Task[] = []
  let running = 0
  let timer: NodeJS.Timeout | undefined

  function begin(): void {
    clearTimeout(timer)
    timer = undefined
    if (waiting.length === 0 || running >= MOST_TRANSACTIONS) return
    running++
    void runAll(waiting.splice(0, MOST_TASKS)).finally(() => {
      running--
      begin()
    })
    lookLater()
  }

  function lookLater(): void {
    if (waiting.length > 0 && running < MOST_TRANSACTIONS) timer ??= setTimeout(begin, PATIENCE_MS)
  }

  /** Never rejects. */
  async function runAll(tasks: readonly Task[]): Promise<void> {
    if (tasks.length === 1) return runAlone(tasks[0]!)
    try {
      const ends = await together((trx) => sideBySide(tasks, trx))
      for (const [i, { resolve, reject }] of tasks.entries()) {
        const end = ends[i]!
        if (end.status === 'fulfilled') resolve(end.value)
        else reject(end.reason)
      }
    } catch (error) {
      if (error instanceof SomeFailed) {
        const others = tasks.filter((task) => !error.failed.has(task))
        await Promise.all([...[...error.failed].map(runAlone), ...(others.length > 0 ? [runAll(others)] : [])])
      } else {
        for (const { reject } of tasks) reject(asUnavailable(error))
      }
    }
  }

  const runAlone = ({ work, resolve, reject }: Task) => alone(work).then(resolve, reject)

  return <T>(work: Work<T>) =>
    new Promise<T>((resolve, reject) => {
      waiting.push({ work, hasWritten: false, resolve, reject })
      if (running === 0 && waiting.length === 1) setImmediate(() => running === 0 && begin())
      else lookLater()
    })
}

/** Runs the tasks. Throws when one has failed otherwise than by a refusal before it changed anything. */
async function sideBySide(tasks: readonly Task[], trx: Knex.Transaction): Promise<PromiseSettledResult<unknown>[]> {
  const ends = await Promise.allSettled(
    tasks.map((task) => {
      task.hasWritten = false
      return current.run(task, () => task.work(trx))
    }),
  )
  const failed = tasks.filter((task, i) => {
    const end = ends[i]!
    return end.status === 'rejected' && (task.hasWritten || !isRefusal(end.reason))
  })
  if (failed.length > 0) throw new SomeFailed(new Set(failed))
  return ends
}

const isRefusal = (error: unknown) => isAppError(error) && !isDatabaseFault(error)
