import '../platform/no-proto.ts'
import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import { loadConfig } from '../config.ts'
import { loadPepper, openProgram } from '../open.ts'
import { createLog } from '../platform/log/log.ts'
import { collectAtRest } from '../platform/threads/rest.ts'
import type { Silence } from '../program.ts'
import { isBackupData, runBackup } from './backup-thread.ts'
import { certificates } from './jobs/certificates.ts'
import { deliver } from './jobs/deliver.ts'
import { fanOutDue } from './jobs/fan-out.ts'
import { follow } from './jobs/follow.ts'
import { handOut } from './jobs/in-app.ts'
import { ingest } from './jobs/ingest.ts'
import { createWake, type Job } from './jobs/job.ts'
import { planSeries } from './jobs/series.ts'
import { createShift } from './jobs/shift.ts'
import { sweep } from './jobs/sweep.ts'
import { sendWebhooks } from './jobs/webhooks.ts'
import { isReaderData, runReader } from './reader-thread.ts'
import { isSendingThread, type JobName, loopName, poolOf } from './schedule.ts'
import type { SendOrder } from './sending-threads.ts'

/** The data that index.ts passes to a thread. */
export interface ThreadData {
  jobs: readonly JobName[]
  owner: string
  /** All settings as text, from which the thread builds its own configuration. */
  settings: Record<string, string>
  /** The check value of the master key of the process. */
  keyCheck: string
  turnCell: SharedArrayBuffer
  soundnessCell: SharedArrayBuffer
  clockCell: SharedArrayBuffer
  changesCell: SharedArrayBuffer
  /** The order for its loop `deliver` from its start. */
  order: SendOrder
}

/** Messages to a thread: it shall finish; there may be new work; there may be some to send; it shall send, or leave that to others. */
export type ToThread = 'cancel' | 'wake' | 'send' | SendOrder

/**
 * Messages of a thread, in this order: a loop is running; there may be work for other threads; it sends pages; it begins no more of them, with the
 * lanes that it finishes; the thread has stopped;
 * the thread has failed; counts of outcomes since the last report; the gateways that do not answer now.
 */
export type ThreadMessage =
  | { turned: string }
  | 'wake'
  | 'busy'
  | { lettingGo: readonly number[] }
  | 'cancelled'
  | { failed: string }
  | { outcomes: Map<string, number> }
  | { silent: readonly Silence[] }

const JOBS: Record<JobName, Job> = {
  dispatch: fanOutDue,
  'in-app': handOut,
  series: planSeries,
  deliver,
  ingest,
  follow,
  webhooks: sendWebhooks,
  certificates,
  sweep,
}
const TICK_EVERY_MS = 1000

/**
 * Runs one worker thread: opens the app on the shared database and runs the loops of the thread. Answers Bree's
 * `cancel` with `cancelled` once the loops have returned and all database handles are closed; terminating a thread
 * earlier could abort the whole process.
 */
async function main(): Promise<void> {
  const { jobs, owner, settings, keyCheck, turnCell, soundnessCell, clockCell, changesCell, order } =
    workerData as ThreadData
  const say = (message: ThreadMessage) => parentPort!.postMessage(message)
  const { config } = await loadConfig({ environment: {}, flags: settings })
  const thread = owner.split('/')[1]!
  const log = createLog(config['log.level'], config['log.format']).child({ thread })
  const program = openProgram({
    config,
    log,
    keyCheck,
    turnCell,
    soundnessCell,
    clockCell,
    changesCell,
    background: true,
    // While it waits for the disk, it sends what is begun and hears answers.
    flushesAside: isSendingThread(jobs),
    pool: poolOf(jobs, config),
    wake: () => say('wake'),
  })
  await loadPepper(program)
  const endCollecting = collectAtRest()
  const wakes = jobs.map(createWake)
  const stop = new AbortController()
  const shift = createShift(order)
  const lettingGo = (lanes: readonly number[]) => say({ lettingGo: lanes })
  const busy = atMostEvery(TICK_EVERY_MS, () => say('busy'))
  parentPort!.on('message', (message: ToThread) => {
    if (message === 'cancel') stop.abort()
    else if (message === 'wake') for (const wake of wakes) wake.ring()
    else if (message === 'send') wakes[jobs.indexOf('deliver')]?.ring()
    else shift.set(message)
  })
  let silentTold = '[]'
  const report = () => {
    const { outcomes, silences } = program.kernel
    const silent = [...silences.values()].flat()
    const text = JSON.stringify(silent)
    if (text !== silentTold) say({ silent })
    silentTold = text
    if (outcomes.size === 0) return
    say({ outcomes })
    outcomes.clear()
  }
  /** The `tick` of a loop: reports that it is running, at most once a second. */
  const tickOf = (job: JobName) => {
    const turned = loopName({ name: thread, jobs }, job)
    return atMostEvery(TICK_EVERY_MS, () => {
      say({ turned })
      report()
    })
  }
  const run = async (job: JobName, i: number) => {
    try {
      await JOBS[job]({
        program,
        owner,
        signal: stop.signal,
        wake: wakes[i]!,
        shift,
        busy,
        lettingGo,
        tick: tickOf(job),
      })
    } finally {
      // A loop that fails stops the others: the thread is restarted as a whole.
      stop.abort()
    }
  }
  const running = jobs.map(run)
  await Promise.allSettled(running)
  report()
  endCollecting()
  await program.close()
  log.flush()
  await Promise.all(running)
  say('cancelled')
  // After `cancel`, Bree terminates a thread at its next message, which may have been a tick: so the thread closes its
  // port itself.
  parentPort!.close()
}

/** Calls `work` at once, and later at most every `ms`; calls in between are dropped. */
function atMostEvery(ms: number, work: () => void): () => void {
  let last = Number.NEGATIVE_INFINITY
  return () => {
    const now = performance.now()
    if (now - last < ms) return
    last = now
    work()
  }
}

if (!isMainThread) {
  const program = isReaderData(workerData)
    ? runReader(workerData)
    : isBackupData(workerData)
      ? runBackup(workerData)
      : main()
  program.catch((error: unknown) => {
    parentPort!.postMessage({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    process.exitCode = 1
    parentPort!.close()
  })
}
