import { randomBytes } from 'node:crypto'
import type { Worker } from 'node:worker_threads'
import Bree from 'bree'
import type { App } from '../app.ts'
import { countInto } from '../domain/notifications/delivery-parts.ts'
import { recoverPages } from '../domain/notifications/recover.ts'
import { threadPath } from '../platform/assets.ts'
import { settingsAsText } from '../platform/config.ts'
import { messageOf } from '../platform/errors.ts'
import { newClockWatchCell } from './clock-watch.ts'
import { type JobRow, jobTable } from './schedule.ts'
import type { ThreadData, ThreadMessage } from './thread.ts'

export interface RunningWorkers {
  /** Tells every loop that there may be work. */
  wake(): void
  /** Asks every thread to finish and waits; threads that do not are ended after `STOP_MS`. */
  close(): Promise<void>
}

export interface WorkerOptions {
  turnCell: SharedArrayBuffer
  /** True when nobody else can be working on this database (SQLite with the directory lock): then all claims are leftovers. */
  alone: boolean
}

/** Under the 25 s in which the program promises to stop. */
const STOP_MS = 20_000
/**
 * A thread works on a page at a time and keeps little: three times 4 MiB for what is young, where the default lets garbage grow
 * to tens of megabytes in each thread.
 */
const HEAP = { maxYoungGenerationSizeMb: 12, maxOldGenerationSizeMb: 256 }
const RESTART_FIRST_MS = 200
const RESTART_MOST_MS = 30_000

/**
 * Starts the worker threads and keeps them running: one that ends by itself is started again with growing pauses, after the
 * pages it had were taken back. Bree starts and stops them; what is due stands in the database.
 */
export async function startWorkers(app: App, { turnCell, alone }: WorkerOptions): Promise<RunningWorkers> {
  const { log, clock, config, ticks, outcomes } = app.kernel
  const node = randomBytes(6).toString('hex')
  const settings = settingsAsText(config)
  const clockCell = newClockWatchCell()
  const recovery = { inTransaction: app.inTransaction, clock, log, random: Math.random, count: countInto(outcomes) }
  if (alone) await recoverPages(recovery, { all: true })

  const owners = new Map<string, string>()
  const failures = new Map<string, number>()
  let stopping = false
  let starts = 0

  const bree = new Bree({
    root: false,
    doRootCheck: false,
    logger: false,
    outputWorkerMetadata: false,
    errorHandler: (error: unknown, { name }: { name: string }) => {
      if (!stopping) log.warn({ thread: name, error: messageOf(error) }, 'a worker thread failed')
    },
    workerMessageHandler: ({ name, message }: { name: string; message: ThreadMessage }) => hear(name, message),
    jobs: [],
  } as Bree.BreeOptions)

  function hear(name: string, message: ThreadMessage): void {
    if (message === 'wake') wake()
    else if (typeof message === 'object' && 'turned' in message) {
      ticks.set(message.turned, clock.monotonic())
      failures.delete(name)
    } else if (typeof message === 'object' && 'outcomes' in message) {
      for (const [outcome, count] of message.outcomes) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + count)
    } else if (typeof message === 'object') log.error({ thread: name, error: message.failed }, 'a worker thread failed')
  }

  function wake(): void {
    for (const worker of bree.workers.values()) worker.postMessage('wake')
  }

  async function start(row: JobRow): Promise<void> {
    const owner = `${node}/${row.name}/${++starts}`
    owners.set(row.name, owner)
    const workerData: ThreadData = { jobs: row.jobs, owner, settings, turnCell, clockCell }
    await bree.remove(row.name).catch(() => {})
    await bree.add({
      name: row.name,
      path: threadPath('workers/thread.ts'),
      worker: { workerData, resourceLimits: HEAP },
    })
    await bree.run(row.name)
    bree.workers.get(row.name)?.once('exit', (code) => void restart(row, code))
  }

  async function restart(row: JobRow, code: number): Promise<void> {
    if (stopping) return
    log.warn({ thread: row.name, code }, 'a worker thread ended unexpectedly; starting it again')
    const failed = failures.get(row.name) ?? 0
    failures.set(row.name, failed + 1)
    await clock.sleep(Math.min(RESTART_FIRST_MS * 2 ** failed, RESTART_MOST_MS))
    if (stopping) return
    await recoverPages(recovery, { name: owners.get(row.name)! }).catch((error: unknown) =>
      log.error({ err: error }, 'pages of an ended worker could not be taken back'),
    )
    await start(row)
  }

  for (const row of jobTable(config)) await start(row)

  return {
    wake,
    async close() {
      stopping = true
      const workers = [...bree.workers.values()]
      const stopped = Promise.all(workers.map((worker) => untilExit(worker)))
      // Bree asks with `cancel`, waits for `cancelled`, then terminates; it waits for ever for a thread that is stuck.
      void bree.stop().catch(() => {})
      const late = new AbortController()
      await Promise.race([stopped, clock.sleep(STOP_MS, late.signal)])
      late.abort()
      ticks.clear()
    },
  }
}

function untilExit(worker: Worker): Promise<void> {
  return new Promise((resolve) => worker.once('exit', () => resolve()))
}
