import '../platform/no-proto.ts'
import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import type { Silence } from '../app.ts'
import { loadConfig } from '../config.ts'
import { openApp } from '../open.ts'
import { createLog } from '../platform/log.ts'
import { createClockWatch } from './clock-watch.ts'
import { createWake, type Job } from './job.ts'
import { deliver } from './jobs/deliver.ts'
import { fanOutDue } from './jobs/fan-out.ts'
import { handOut } from './jobs/in-app.ts'
import { ingest } from './jobs/ingest.ts'
import { sweep } from './jobs/sweep.ts'
import { type JobName, loopName } from './schedule.ts'

/** What `index.ts` gives a thread. */
export interface ThreadData {
  jobs: readonly JobName[]
  owner: string
  /** Every setting as text; the thread makes its own configuration of it. */
  settings: Record<string, string>
  turnCell: SharedArrayBuffer
  soundnessCell: SharedArrayBuffer
  clockCell: SharedArrayBuffer
}

/**
 * What a thread says: a loop turned; somebody else may have work; what became of recipients since it last said so; which gateways
 * do not answer it now.
 */
export type ThreadMessage =
  | { turned: string }
  | 'wake'
  | 'cancelled'
  | { failed: string }
  | { outcomes: Map<string, number> }
  | { silent: readonly Silence[] }

const JOBS: Record<JobName, Job> = { dispatch: fanOutDue, 'in-app': handOut, deliver, ingest, sweep }
const TICK_EVERY_MS = 1000

/**
 * One worker thread: its own app on the shared database, its long-lived jobs. Answers Bree's `cancel` with `cancelled` when
 * they have returned and every database handle is closed; terminating a thread earlier could abort the whole process.
 */
async function main(): Promise<void> {
  const { jobs, owner, settings, turnCell, soundnessCell, clockCell } = workerData as ThreadData
  const say = (message: ThreadMessage) => parentPort!.postMessage(message)
  const { config } = await loadConfig({ environment: {}, flags: settings })
  const thread = owner.split('/')[1]!
  const log = createLog(config['log.level']).child({ thread })
  const app = openApp({ config, log, turnCell, soundnessCell, pool: 2, wake: () => say('wake') })
  const wakes = jobs.map(createWake)
  const clockWatch = createClockWatch(clockCell)
  const stop = new AbortController()
  parentPort!.on('message', (message) => {
    if (message === 'cancel') stop.abort()
    else if (message === 'wake') for (const wake of wakes) wake.ring()
  })
  let silentTold = '[]'
  const report = () => {
    const { outcomes, silences } = app.kernel
    const silent = [...silences.values()].flat()
    const text = JSON.stringify(silent)
    if (text !== silentTold) say({ silent })
    silentTold = text
    if (outcomes.size === 0) return
    say({ outcomes })
    outcomes.clear()
  }
  /** How a loop says that it turns, under its own name where there are several. */
  const tickOf = (job: JobName) => {
    const turned = loopName({ name: thread, jobs }, job)
    let lastTick = 0
    return () => {
      const now = performance.now()
      if (now - lastTick < TICK_EVERY_MS) return
      lastTick = now
      say({ turned })
      report()
    }
  }
  const running = jobs.map(async (job, i) => {
    try {
      await JOBS[job]({ app, owner, signal: stop.signal, wake: wakes[i]!, clockWatch, tick: tickOf(job) })
    } finally {
      // One that ends with an error ends the others: the thread is started again as a whole.
      stop.abort()
    }
  })
  await Promise.allSettled(running)
  report()
  await app.close()
  log.flush()
  await Promise.all(running)
  say('cancelled')
  // Bree ends a thread at the next message after its `cancel`, and that may have been a `tick`: end without being asked.
  parentPort!.close()
}

if (!isMainThread) {
  main().catch((error: unknown) => {
    parentPort!.postMessage({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    process.exitCode = 1
    parentPort!.close()
  })
}
