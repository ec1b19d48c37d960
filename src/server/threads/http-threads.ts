import { Worker } from 'node:worker_threads'
import { settingsAsText } from '../../platform/config/config.ts'
import { freeTurnOf } from '../../platform/db/write-turn.ts'
import { messageOf } from '../../platform/errors.ts'
import { threadPath } from '../../platform/files/assets.ts'
import { lackOfFiles } from '../../platform/files/open-files.ts'
import type { ReaderSource } from '../../platform/long-reads/client.ts'
import { lendSource } from '../../platform/long-reads/distant-source.ts'
import { restartPause } from '../../platform/net/backoff.ts'
import { heapOf } from '../../platform/threads/heaps.ts'
import { forgetConnections, type SharingCells } from '../../platform/threads/sharing.ts'
import { waitAtMost } from '../../platform/time/clock.ts'
import type { Program } from '../../program.ts'
import { FINISH_MS } from '../listener.ts'
import type { Meter } from '../metrics/metrics.ts'
import type { FromHttpThread, HttpThreadData, ToHttpThread } from './http-thread.ts'

/** The memory that the HTTP threads share with the main thread. */
export type HttpCells = Pick<HttpThreadData, 'turnCell' | 'soundnessCell' | 'clockCell' | 'changesCell'> & {
  /** Memory that the HTTP threads share; undefined when there is only one. */
  sharingCells: SharingCells | undefined
}

/** The HTTP threads besides the main thread. */
export interface HttpThreads {
  /** Makes every thread report what it has counted. Returns the number of clicks that wait in them. */
  gather(): Promise<number>
  /** Starts the threads, which join the port on which the main thread listens. */
  start(at: Address): void
  /** Makes every thread look for new certificates. */
  reload(): void
  /** Asks every thread to finish its requests and waits for it. */
  close(): Promise<void>
}

/** Files that a thread opens before its first connection: its event loop, those of the database, its socket. */
const FILES_OF_THREAD = 32
/** Maximum wait for reports, for `/metrics`. */
const REPORT_MS = 1000
/** Time (ms) in which a thread must end after its requests were cut off. One that does not is stuck. */
const END_MS = 3000
/** Connections to PostgreSQL of all HTTP threads together, and the least for one. */
const POSTGRES_POOL = 10
const LEAST_POOL = 3
const SQLITE_READERS = 3

type Address = Pick<HttpThreadData, 'host' | 'port' | 'secure'>

interface Slot {
  name: string
  number: number
  worker: Worker | undefined
  failures: number
  waitingClicks: number
  ended: Promise<void>
  /** The question that was answered last. */
  reported: number
}

/**
 * Starts the HTTP threads 2 to `threads` and keeps them running: one that ends unexpectedly is started again after an
 * increasing pause. Its connections break; the other threads serve on.
 */
export function createHttpThreads(
  program: Program,
  cells: HttpCells & { sharingCells: SharingCells },
  readers: ReaderSource,
  meter: () => Meter,
): HttpThreads {
  const { sharingCells, turnCell, soundnessCell, clockCell, changesCell } = cells
  const { log, clock, config, ticks, breakdowns, faults, sharing, db, vault } = program.kernel
  const settings = settingsAsText(config)
  const slots: Slot[] = []
  let stopping = false
  let asked = 0
  let told = ''
  const reports = new Set<() => void>()

  function hear(slot: Slot, message: Exclude<FromHttpThread, { readers: unknown }>): void {
    if (message === 'metrics') void answerMetrics(slot)
    else if (message === 'listening') {
      slot.failures = 0
      turned(slot)
    } else if ('wake' in message) program.kernel.wake(message.wake)
    else if ('tally' in message) {
      meter().add(message.tally)
      slot.waitingClicks = message.tally.waitingClicks
      slot.reported = message.report
      turned(slot)
      tellFaults()
      for (const look of reports) look()
    } else breakDown(slot, message.failed)
  }

  function turned({ name }: Slot): void {
    if (stopping) return
    ticks.set(name, clock.monotonic())
    breakdowns.delete(name)
  }

  function breakDown({ name }: Slot, reason: string): void {
    if (stopping) return
    log.warn({ thread: name, error: reason }, 'an HTTP thread failed')
    breakdowns.set(name, reason.split('\n', 1)[0]!)
  }

  const tell = (slot: Slot, message: ToHttpThread) => slot.worker?.postMessage(message)

  function tellFaults(): void {
    const list = faults.list()
    const text = JSON.stringify(list)
    if (text === told) return
    told = text
    for (const slot of slots) tell(slot, { faults: list })
  }

  async function answerMetrics(slot: Slot): Promise<void> {
    const metrics = await meter()
      .text()
      .catch((error: unknown) => {
        log.error({ error: messageOf(error) }, 'metrics cannot be read')
        return undefined
      })
    tell(slot, { metrics })
  }

  function run(slot: Slot, at: Address): void {
    const lack = lackOfFiles(FILES_OF_THREAD)
    if (lack !== undefined) throw new Error(lack)
    const workerData: HttpThreadData = {
      turnCell,
      soundnessCell,
      clockCell,
      changesCell,
      ...at,
      name: slot.name,
      settings,
      keyCheck: vault.keyCheck(),
      sharing: { ...sharingCells, thread: slot.number },
      pool:
        db.kind === 'postgres' ? Math.max(LEAST_POOL, Math.ceil(POSTGRES_POOL / sharingCells.threads)) : SQLITE_READERS,
      faults: faults.list(),
    }
    const worker = new Worker(threadPath('cli/http-thread.ts'), {
      workerData,
      name: slot.name,
      resourceLimits: heapOf('http'),
    })
    slot.worker = worker
    const { threadId } = worker
    const source = lendSource(readers, (message, transfer) => {
      worker.postMessage({ readers: message } satisfies ToHttpThread, transfer)
    })
    worker.on('message', (message: FromHttpThread) => {
      if (typeof message === 'object' && 'readers' in message) source.hear(message.readers)
      else hear(slot, message)
    })
    worker.on('error', (error) => breakDown(slot, messageOf(error)))
    slot.ended = new Promise((resolve) =>
      worker.once('exit', (code) => {
        source.close()
        freeTurnOf(threadId, turnCell)
        slot.worker = undefined
        slot.waitingClicks = 0
        forgetConnections(sharing!, slot.number)
        for (const look of reports) look()
        resolve()
        if (!stopping) void restart(slot, at, code)
      }),
    )
  }

  async function restart(slot: Slot, at: Address, code: number): Promise<void> {
    log.warn({ thread: slot.name, code }, 'an HTTP thread ended unexpectedly; starting it again')
    await pause(slot)
    await keepStarting(slot, at)
  }

  const pause = (slot: Slot) => clock.sleep(restartPause(slot.failures++))

  /** A thread that cannot be created (memory, open files) is tried again like one that ended. */
  async function keepStarting(slot: Slot, at: Address): Promise<void> {
    while (!stopping) {
      try {
        return run(slot, at)
      } catch (error) {
        breakDown(slot, messageOf(error))
        await pause(slot)
      }
    }
  }

  return {
    async gather() {
      const number = ++asked
      const all = new Promise<void>((resolve) => {
        const look = () => {
          if (!slots.every(({ worker, reported }) => worker === undefined || reported >= number)) return
          reports.delete(look)
          resolve()
        }
        reports.add(look)
        for (const slot of slots) tell(slot, { report: number })
        look()
      })
      await waitAtMost(clock, REPORT_MS, all)
      return slots.reduce((sum, { waitingClicks }) => sum + waitingClicks, 0)
    },

    start(at) {
      for (let number = 1; number < sharingCells.threads; number++) {
        const name = `http-${number + 1}`
        const slot: Slot = {
          name,
          number,
          worker: undefined,
          failures: 0,
          waitingClicks: 0,
          ended: Promise.resolve(),
          reported: 0,
        }
        slots.push(slot)
        ticks.set(name, clock.monotonic())
        void keepStarting(slot, at)
      }
    },

    reload() {
      for (const slot of slots) tell(slot, 'reload')
    },

    async close() {
      stopping = true
      for (const slot of slots) tell(slot, 'stop')
      await waitAtMost(clock, FINISH_MS + END_MS, Promise.all(slots.map(({ ended }) => ended)))
      for (const { name, worker } of slots) {
        ticks.delete(name)
        breakdowns.delete(name)
        void worker?.terminate()
      }
    },
  }
}
