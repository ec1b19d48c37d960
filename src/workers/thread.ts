import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import { openApp } from '../open.ts'
import { loadConfig } from '../platform/config.ts'
import { createLog } from '../platform/log.ts'
import { createWake, type Job } from './job.ts'
import { deliver } from './jobs/deliver.ts'
import { dispatchDue } from './jobs/dispatch.ts'
import { sweep } from './jobs/sweep.ts'
import type { JobName } from './schedule.ts'

/** What `index.ts` gives a thread. */
export interface ThreadData {
  jobName: JobName
  owner: string
  /** Every setting as text; the thread makes its own configuration of it. */
  settings: Record<string, string>
  turnCell: SharedArrayBuffer
}

/** What a thread says: it turned; somebody else may have work. */
export type ThreadMessage = 'tick' | 'wake' | 'cancelled' | { failed: string }

const JOBS: Record<JobName, Job> = { dispatch: dispatchDue, deliver, sweep }
const TICK_EVERY_MS = 1000

/**
 * One worker thread: its own app on the shared database, one long-lived job. Answers Bree's `cancel` with `cancelled` when the
 * job has returned and every database handle is closed; terminating a thread earlier could abort the whole process.
 */
async function main(): Promise<void> {
  const { jobName, owner, settings, turnCell } = workerData as ThreadData
  const say = (message: ThreadMessage) => parentPort!.postMessage(message)
  const { config } = await loadConfig({ environment: {}, flags: settings })
  const log = createLog(config['log.level']).child({ thread: owner.split('/')[1] })
  const app = openApp({ config, log, turnCell, pool: 2, wake: () => say('wake') })
  const wake = createWake()
  const stop = new AbortController()
  let lastTick = 0
  parentPort!.on('message', (message) => {
    if (message === 'cancel') stop.abort()
    else if (message === 'wake') wake.ring()
  })
  const tick = () => {
    const now = performance.now()
    if (now - lastTick < TICK_EVERY_MS) return
    lastTick = now
    say('tick')
  }
  try {
    await JOBS[jobName]({ app, owner, signal: stop.signal, wake, tick })
  } finally {
    await app.close()
    log.flush()
  }
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
