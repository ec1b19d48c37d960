import type { Worker } from 'node:worker_threads'
import Bree from 'bree'
import { countInto } from '../domain/notifications/deliver/delivery-parts.ts'
import { recoverPages } from '../domain/notifications/deliver/recover.ts'
import { createPulse } from '../platform/concurrency/pulse.ts'
import { settingsAsText } from '../platform/config/config.ts'
import { freeTurnOf } from '../platform/db/write-turn.ts'
import { messageOf } from '../platform/errors.ts'
import { threadPath } from '../platform/files/assets.ts'
import { lackOfFiles } from '../platform/files/open-files.ts'
import { restartPause } from '../platform/net/backoff.ts'
import { heapOf } from '../platform/threads/heaps.ts'
import { waitAtMost } from '../platform/time/clock.ts'
import type { Woken } from '../platform/wiring.ts'
import type { Program } from '../program.ts'
import { startBackups } from './backups.ts'
import { type JobRow, jobTable, loopName } from './schedule.ts'
import type { ThreadData, ThreadMessage } from './thread.ts'

export interface RunningWorkers {
  /** Tells every loop that there may be new work, or only those that send. */
  wake(whom?: Woken): void
  /** Asks every thread to finish and waits for them, at most `STOP_MS`. */
  close(): Promise<void>
}

export interface WorkerOptions {
  turnCell: SharedArrayBuffer
  soundnessCell: SharedArrayBuffer
  /** Shared by all threads of the process (platform/timekeeping/cell.ts). */
  clockCell: SharedArrayBuffer
  /** Shared by all threads of the process (platform/threads/changes.ts). */
  changesCell: SharedArrayBuffer
  /**
   * True when no other process can be using this database (SQLite with the directory lock). All claims in it are then
   * left over from an earlier process.
   */
  alone: boolean
  /** The node's id (platform/instance/nodes.ts), with which the owners of claimed pages begin. */
  node: string
}

/** Less than the 25 s within which the program is documented to stop. */
const STOP_MS = 20_000
/**
 * Threads are told of new work at most so often (ms). A look costs as much as some sends, and thousands may come in a second. Threads
 * that send look more often; whoever is busy finds what is new by itself.
 */
const SENDING_PULSE_MS = 2
const PULSE_MS = 25
/** Files that a thread opens: its event loop, three connections to the database, some to gateways. */
const FILES_OF_THREAD = 32

/**
 * Starts the worker threads and keeps them running. A thread that ends unexpectedly is restarted after an increasing
 * pause, once the pages that it had claimed are released. Bree starts and stops the threads; what is due is stored in
 * the database.
 */
export async function startWorkers(
  program: Program,
  options: WorkerOptions,
  path = threadPath('workers/thread.ts'),
): Promise<RunningWorkers> {
  const { turnCell, soundnessCell, clockCell, changesCell, alone, node } = options
  const { log, clock, config, ticks, breakdowns, silences, outcomes } = program.kernel
  const settings = settingsAsText(config)
  const recovery = { inTransaction: program.inTransaction, clock, log, random: Math.random, count: countInto(outcomes) }
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
      if (!stopping) breakDown(name, messageOf(error))
    },
    workerMessageHandler: ({ name, message }: { name: string; message: ThreadMessage }) => hear(name, message),
    jobs: [],
  } as Bree.BreeOptions)

  /** Logs a failure and keeps its reason. A thread that keeps failing becomes a fault (watch.ts). */
  function breakDown(name: string, reason: string): void {
    log.warn({ thread: name, error: reason }, 'a worker thread failed')
    const [sentence] = reason.split('\n')
    for (const loop of loopsOf(name)) breakdowns.set(loop, sentence!)
  }

  function hear(name: string, message: ThreadMessage): void {
    if (message === 'wake') wake()
    else if (typeof message === 'object' && 'turned' in message) {
      ticks.set(message.turned, clock.monotonic())
      breakdowns.delete(message.turned)
      failures.delete(name)
    } else if (typeof message === 'object' && 'silent' in message) {
      silences.set(name, message.silent)
    } else if (typeof message === 'object' && 'outcomes' in message) {
      for (const [outcome, count] of message.outcomes) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + count)
    } else if (typeof message === 'object') breakDown(name, message.failed)
  }

  const pulseOfThread = new Map<string, { pulse: () => void; isSending: boolean }>()
  function wake(whom: Woken = 'all'): void {
    for (const { pulse, isSending } of pulseOfThread.values()) if (whom === 'all' || isSending) pulse()
  }

  async function start(row: JobRow): Promise<void> {
    const lack = lackOfFiles(FILES_OF_THREAD)
    if (lack !== undefined) throw new Error(lack)
    const owner = `${node}/${row.name}/${++starts}`
    owners.set(row.name, owner)
    const keyCheck = program.kernel.vault.keyCheck()
    const workerData: ThreadData = {
      jobs: row.jobs,
      owner,
      settings,
      keyCheck,
      turnCell,
      soundnessCell,
      clockCell,
      changesCell,
    }
    await bree.remove(row.name).catch(() => {})
    await bree.add({
      name: row.name,
      path,
      // The name is what `top -H` and /proc show of the thread.
      worker: {
        name: row.name,
        workerData,
        resourceLimits: heapOf(row.jobs.includes('deliver') ? 'deliver' : 'background'),
      },
    })
    const isSending = row.jobs.includes('deliver')
    const tell = () => bree.workers.get(row.name)?.postMessage('wake')
    const pulse = createPulse(tell, isSending ? SENDING_PULSE_MS : PULSE_MS)
    pulseOfThread.set(row.name, { pulse, isSending })
    // `close` has already listed the running threads: one started now would outlive the database.
    if (stopping) return
    await bree.run(row.name)
    const worker = bree.workers.get(row.name)
    const { threadId } = worker ?? {}
    worker?.once('exit', (code) => {
      freeTurnOf(threadId!, turnCell)
      void restart(row, code)
    })
  }

  async function restart(row: JobRow, code: number): Promise<void> {
    if (stopping) return
    log.warn({ thread: row.name, code }, 'a worker thread ended unexpectedly; starting it again')
    silences.delete(row.name)
    await pause(row)
    if (stopping) return
    await recoverPages(recovery, { name: owners.get(row.name)! }).catch((error: unknown) =>
      log.warn({ err: error }, 'pages of an ended worker could not be released'),
    )
    await keepStarting(row)
  }

  async function pause({ name }: JobRow): Promise<void> {
    const failed = failures.get(name) ?? 0
    failures.set(name, failed + 1)
    await clock.sleep(restartPause(failed))
  }

  /** A thread that cannot be created (memory, open files) is retried like one that ended. */
  async function keepStarting(row: JobRow): Promise<void> {
    while (!stopping) {
      try {
        return await start(row)
      } catch (error) {
        breakDown(row.name, messageOf(error))
        await pause(row)
      }
    }
  }

  const table = jobTable(config)
  const loopsOf = (thread: string) =>
    table.filter(({ name }) => name === thread).flatMap((row) => row.jobs.map((job) => loopName(row, job)))
  // From now on every loop is expected to run: one that never starts counts as stuck, too.
  for (const { name } of table) for (const loop of loopsOf(name)) ticks.set(loop, clock.monotonic())
  // Threads start one after the other. One that cannot be created must not prevent the others from starting.
  for (const row of table)
    await start(row).catch((error: unknown) => {
      breakDown(row.name, messageOf(error))
      void pause(row).then(() => keepStarting(row))
    })

  const backups = startBackups(program, options)
  return {
    wake,
    async close() {
      stopping = true
      const workers = [...bree.workers.values()]
      const stopped = Promise.all([...workers.map((worker) => untilExit(worker)), backups.close()])
      // Bree sends `cancel`, waits for `cancelled`, then terminates the thread. It would wait for a stuck thread for
      // ever.
      void bree.stop().catch(() => {})
      await waitAtMost(clock, STOP_MS, stopped)
      ticks.clear()
      breakdowns.clear()
      silences.clear()
    },
  }
}

function untilExit(worker: Worker): Promise<void> {
  return new Promise((resolve) => worker.once('exit', () => resolve()))
}
