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
import { isSendingThread, type JobRow, jobTable, loopName } from './schedule.ts'
import { createSendingThreads } from './sending-threads.ts'
import type { ThreadData, ThreadMessage, ToThread } from './thread.ts'

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

/** Bree without jobs. It starts and stops threads, and hands on what they say. */
function createBree(
  hear: (thread: string, message: ThreadMessage) => void,
  fail: (thread: string, error: unknown) => void,
): Bree {
  return new Bree({
    root: false,
    doRootCheck: false,
    logger: false,
    outputWorkerMetadata: false,
    errorHandler: (error: unknown, { name }: { name: string }) => fail(name, error),
    workerMessageHandler: ({ name, message }: { name: string; message: ThreadMessage }) => hear(name, message),
    jobs: [],
  } as Bree.BreeOptions)
}

/** The parts with which pages of ended threads are released. */
const recoveryOf = ({ inTransaction, kernel: { clock, log, outcomes } }: Program) => ({
  inTransaction,
  clock,
  log,
  random: Math.random,
  count: countInto(outcomes),
})

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
  if (options.alone) await recoverPages(recoveryOf(program), { all: true })
  const threads = createThreads(program, options, path)
  await threads.start()
  const backups = startBackups(program, options)
  return { wake: threads.wake, close: () => threads.close([backups.close()]) }
}

/** Tells threads of work, each at most so often. `sends`: whether a thread sends now. */
function createWakes(sends: (thread: string) => boolean) {
  /** Ways to tell a thread: all its loops, and the one that sends, if it has any. */
  const pulses = new Map<string, { all: () => void; senders: (() => void) | undefined }>()
  return {
    wake(whom: Woken = 'all'): void {
      for (const [name, { all, senders }] of pulses) {
        if (whom === 'all') all()
        else if (sends(name)) senders?.()
      }
    },

    /** Lets a thread that starts be told. */
    willWake(row: JobRow, tell: (row: JobRow, message: ToThread) => void): void {
      const maySend = row.jobs.includes('deliver')
      pulses.set(row.name, {
        all: createPulse(() => tell(row, 'wake'), isSendingThread(row.jobs) ? SENDING_PULSE_MS : PULSE_MS),
        senders: maySend ? createPulse(() => tell(row, 'send'), SENDING_PULSE_MS) : undefined,
      })
    },
  }
}

function createThreads(program: Program, options: WorkerOptions, path: string) {
  const { turnCell, soundnessCell, clockCell, changesCell, node } = options
  const { log, clock, config, ticks, breakdowns, silences, outcomes } = program.kernel
  const owners = new Map<string, string>()
  const failures = new Map<string, number>()
  let stopping = false
  let starts = 0

  const bree = createBree(hear, (name, error) => {
    if (!stopping) breakDown(name, messageOf(error))
  })

  /** Logs a failure and keeps its reason. A thread that keeps failing becomes a fault (watch.ts). */
  function breakDown(name: string, reason: string): void {
    log.warn({ thread: name, error: reason }, 'a worker thread failed')
    const [sentence] = reason.split('\n')
    for (const loop of loopsOf(name)) breakdowns.set(loop, sentence!)
  }

  function hear(name: string, message: ThreadMessage): void {
    if (message === 'wake') wake()
    else if (message === 'busy') sending.busy()
    else if (typeof message === 'object' && 'turned' in message) {
      ticks.set(message.turned, clock.monotonic())
      breakdowns.delete(message.turned)
      failures.delete(name)
      if (isSender(name)) sending.turned()
    } else if (typeof message === 'object' && 'silent' in message) {
      silences.set(name, message.silent)
    } else if (typeof message === 'object' && 'lettingGo' in message) {
      if (!isSender(name)) sending.lettingGo(message.lettingGo)
    } else if (typeof message === 'object' && 'outcomes' in message) {
      for (const [outcome, count] of message.outcomes) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + count)
    } else if (typeof message === 'object') breakDown(name, message.failed)
  }

  const { wake, willWake } = createWakes((name) => isSender(name) || sending.isBackgroundSending)

  async function start(row: JobRow): Promise<void> {
    const lack = lackOfFiles(FILES_OF_THREAD)
    if (lack !== undefined) throw new Error(lack)
    const owner = `${node}/${row.name}/${++starts}`
    owners.set(row.name, owner)
    const keyCheck = program.kernel.vault.keyCheck()
    const workerData: ThreadData = {
      jobs: row.jobs,
      owner,
      settings: settingsAsText(config),
      keyCheck,
      turnCell,
      soundnessCell,
      clockCell,
      changesCell,
      order: isSendingThread(row.jobs) ? sending.order : { sends: sending.isBackgroundSending, except: [] },
    }
    await bree.remove(row.name).catch(() => {})
    await bree.add({
      name: row.name,
      path,
      // The name is what `top -H` and /proc show of the thread.
      worker: {
        name: row.name,
        workerData,
        resourceLimits: heapOf(isSendingThread(row.jobs) ? 'deliver' : 'background'),
      },
    })
    willWake(row, tell)
    // `close` has already listed the running threads: one started now would outlive the database.
    if (!isWanted(row)) return
    await bree.run(row.name)
    const worker = bree.workers.get(row.name)
    const { threadId } = worker ?? {}
    worker?.once('exit', (code) => {
      freeTurnOf(threadId!, turnCell)
      void restart(row, owner, code)
    })
  }

  const tell = ({ name }: JobRow, message: ToThread) => bree.workers.get(name)?.postMessage(message)
  const tellAll = (rows: JobRow[], message: ToThread) => {
    for (const row of rows) tell(row, message)
  }
  const isWanted = ({ jobs }: JobRow) => !stopping && (!isSendingThread(jobs) || sending.areWanted)

  /** Starts a thread again that was `owner`, unless another of its name was started meanwhile: the two would end each other. */
  async function restart(row: JobRow, owner: string, code: number): Promise<void> {
    silences.delete(row.name)
    if (!isWanted(row)) return
    log.warn({ thread: row.name, code }, 'a worker thread ended unexpectedly; starting it again')
    await pause(row)
    if (stopping) return
    await recoverPages(recoveryOf(program), { name: owner }).catch((error: unknown) =>
      log.warn({ err: error }, 'pages of an ended worker could not be released'),
    )
    await keepStarting(row, owner)
  }

  async function pause({ name }: JobRow): Promise<void> {
    const failed = failures.get(name) ?? 0
    failures.set(name, failed + 1)
    await clock.sleep(restartPause(failed))
  }

  /** A thread that cannot be created (memory, open files) is retried like one that ended. `last`: its owner before. */
  async function keepStarting(row: JobRow, last: string | undefined): Promise<void> {
    while (isWanted(row) && owners.get(row.name) === last) {
      try {
        return await start(row)
      } catch (error) {
        last = owners.get(row.name)
        breakDown(row.name, messageOf(error))
        await pause(row)
      }
    }
  }

  const table = jobTable(config)
  const loopsOf = (thread: string) =>
    table.filter(({ name }) => name === thread).flatMap((row) => row.jobs.map((job) => loopName(row, job)))
  const sendingRows = table.filter(({ jobs }) => isSendingThread(jobs))
  const others = table.filter((row) => !sendingRows.includes(row))
  const sending = createSendingThreads({
    clock,
    start: () => void startAll(sendingRows),
    end: () => endAll(sendingRows),
    tellBackground: (order) => tellAll(others, order),
    tellThreads: (order) => tellAll(sendingRows, order),
  })
  const isSender = (thread: string) => sendingRows.some(({ name }) => name === thread)

  async function startAll(rows: JobRow[]): Promise<void> {
    // From now on every loop is expected to run: one that never starts counts as stuck, too.
    for (const { name } of rows) for (const loop of loopsOf(name)) ticks.set(loop, clock.monotonic())
    // Threads start one after the other. One that cannot be created must not prevent the others from starting.
    for (const row of rows)
      await start(row).catch((error: unknown) => {
        const last = owners.get(row.name)
        breakDown(row.name, messageOf(error))
        void pause(row).then(() => keepStarting(row, last))
      })
  }

  async function endAll(rows: JobRow[]): Promise<void> {
    const running = rows.flatMap(({ name }) => bree.workers.get(name) ?? [])
    const ended = Promise.all(running.map(untilExit))
    tellAll(rows, 'cancel')
    await waitAtMost(clock, STOP_MS, ended)
    for (const { name } of rows) for (const loop of loopsOf(name)) forget(loop)
  }

  function forget(loop: string): void {
    ticks.delete(loop)
    breakdowns.delete(loop)
  }

  return {
    start: () => startAll(others),
    wake,

    /** Ends all threads, and waits for what `besides` them ends, too. */
    async close(besides: Promise<void>[]): Promise<void> {
      stopping = true
      const ended = [...bree.workers.values()].map(untilExit)
      // Bree sends `cancel`, waits for `cancelled`, then terminates the thread. It would wait for a stuck thread for
      // ever.
      void bree.stop().catch(() => {})
      await waitAtMost(clock, STOP_MS, Promise.all([...ended, ...besides]))
      ticks.clear()
      breakdowns.clear()
      silences.clear()
    },
  }
}

function untilExit(worker: Worker): Promise<void> {
  return new Promise((resolve) => worker.once('exit', () => resolve()))
}
