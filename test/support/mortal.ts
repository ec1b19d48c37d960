import { AsyncLocalStorage } from 'node:async_hooks'
import { connect, type Database } from '../../src/platform/db/connect.ts'
import { silentLog } from '../../src/platform/log/log.ts'
import { type Failpoint, hearFailpoints } from '../../src/platform/process/failpoints.ts'
import type { Clock } from '../../src/platform/time/clock.ts'
import { createProgram, type Program } from '../../src/program.ts'
import { createWake, type Job } from '../../src/workers/jobs/job.ts'
import { placeOf } from './database-place.ts'
import { eventually } from './eventually.ts'
import { STATEMENT_MS, type TestProgram } from './program.ts'

/** The end of a life: the place, and how often it is passed before. `deliver.begun:2` is the second time. */
export type Death = `${Failpoint}:${number}`

const KILLED = 'this life is over'

/** The signal of each life, for everything that runs in it. Other programs of the process pass the same places. */
const lives = new AsyncLocalStorage<AbortSignal>()

/** A second program on the database of a test, with memory, connections and claims of its own. */
export interface Life {
  program: Program
  /** Aborted when it is over. */
  signal: AbortSignal
}

/**
 * A life on the database of `test` that ends at a failpoint. It leaves the same as kill -9: all memory is gone, the
 * open transactions are rolled back, and nothing is committed any more. Code that has to unwind, unwinds, but has no
 * way to write. Costs no process and no waiting, so there may be as many as a rule has places; tests with real programs
 * show that the signal itself does the same (test/workers/crash.test.ts). Rejects when `work` ends before it.
 */
export async function liveUntil(
  test: TestProgram,
  death: Death,
  work: (life: Life) => Promise<unknown>,
): Promise<void> {
  const [point, nth] = death.split(':') as [Failpoint, string]
  const over = new AbortController()
  const db = connect({
    file: '',
    ...placeOf(test.program.kernel.db),
    log: silentLog,
    pool: 4,
    statementMs: STATEMENT_MS,
  })
  const { config, clock, vault } = test.program.kernel
  const program = createProgram({
    config,
    clock: sleepingUntil(clock, over.signal),
    vault,
    log: silentLog,
    db: writingUntil(db, over.signal),
  })
  let left = Number(nth)
  const hearNoMore = hearFailpoints((name) => {
    if (lives.getStore() !== over.signal) return
    if (over.signal.aborted) throw new Error(KILLED)
    if (name !== point || --left > 0) return
    over.abort()
    throw new Error(KILLED)
  })
  try {
    const working = lives
      .run(over.signal, () => work({ program, signal: over.signal }))
      .catch((error: unknown) => {
        if (!over.signal.aborted) throw error
      })
    // Loops would look for work for ever.
    await Promise.race([working, eventually(() => over.signal.aborted, `${death} is reached`)])
    over.abort()
    await working
  } finally {
    over.abort()
    hearNoMore()
    await program.close()
  }
  if (left > 0) throw new Error(`${death} was not reached: ${left} more`)
}

/** `liveUntil` for loops of worker threads, side by side. */
export function workUntil(test: TestProgram, death: Death, jobs: readonly Job[], owner = 'killed'): Promise<void> {
  return liveUntil(test, death, ({ program, signal }) => work({ program, owner, signal }, jobs))
}

/** Runs loops of worker threads until the signal aborts. A commit of one of them wakes the others. */
export async function work(
  { program, owner, signal }: { program: Program; owner: string; signal: AbortSignal },
  jobs: readonly Job[],
): Promise<void> {
  const wakes = jobs.map(createWake)
  program.kernel.wake = () => {
    for (const wake of wakes) wake.ring()
  }
  await Promise.all(jobs.map((job, i) => job({ program, owner, signal, wake: wakes[i]!, tick() {} })))
}

/** Refuses commits after the signal aborts. */
function writingUntil(db: Database, signal: AbortSignal): Database {
  return {
    ...db,
    async write(work, options) {
      signal.throwIfAborted()
      return db.write(async (trx) => {
        const result = await work(trx)
        signal.throwIfAborted()
        return result
      }, options)
    },
  }
}

/**
 * Ends the waits that no signal ends with the life. A loop that repeats a write until the database accepts it would
 * repeat it for ever: nothing is accepted any more.
 */
function sleepingUntil(clock: Clock, over: AbortSignal): Clock {
  const ended = Promise.withResolvers<never>()
  ended.promise.catch(() => {})
  over.addEventListener('abort', () => ended.reject(new Error(KILLED)), { once: true })
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    sinceBoot: () => clock.sinceBoot(),
    doubt: () => clock.doubt(),
    sleep: (ms, signal) => (signal ? clock.sleep(ms, signal) : Promise.race([clock.sleep(ms), ended.promise])),
  }
}

/** The address of a test's database. */
