import { Worker } from 'node:worker_threads'
import { nextAt, readLastBackup, storeFailure, storeGood } from '../../domain/backups/last-backup.ts'
import { placeOfServer } from '../../domain/backups/places.ts'
import { threadPath } from '../../platform/assets.ts'
import { waitAtMost } from '../../platform/clock.ts'
import { settingsAsText } from '../../platform/config.ts'
import { durationMs } from '../../platform/duration.ts'
import { messageOf } from '../../platform/errors.ts'
import { lackOfFiles } from '../../platform/open-files.ts'
import { heapOf } from '../../platform/thread-heaps.ts'
import type { BackupData, BackupMessage } from '../backup-thread.ts'
import type { JobContext } from '../job.ts'

/** Interval of looking whether a backup is due. */
const LOOK_MS = 10_000
const TICK_MS = 1000
/** How long a backup that is asked to stop may take to do so: it cannot be interrupted while it is checked. */
const STOP_MS = 5000
const FILES_OF_THREAD = 24

/** Backs the database up to `backup.to` every `backup.every`. When the next one is due stands in the data directory. */
export async function backUp({ app, signal, wake, tick }: JobContext): Promise<void> {
  const { config, clock } = app.kernel
  const everyMs = durationMs(config['backup.every'])!
  while (!signal.aborted) {
    tick()
    if (isDue(readLastBackup(config.dataDir), everyMs, addressPrefix(config), clock.now())) {
      await backUpOnce({ app, signal, tick })
    }
    await wake.wait(LOOK_MS, signal)
  }
}

/** What every address of our backups begins with; undefined when the setting makes no sense, which the attempt reports. */
function addressPrefix(config: JobContext['app']['kernel']['config']): string | undefined {
  try {
    return placeOfServer(config).store.addressOf('')
  } catch {
    return undefined
  }
}

/** Also when the last one went elsewhere, or is from the future because the clock was wrong. */
function isDue(
  last: ReturnType<typeof readLastBackup>,
  everyMs: number,
  prefix: string | undefined,
  now: number,
): boolean {
  if (now >= nextAt(last, everyMs)) return true
  const { good, failure } = last
  if (failure) return failure.at > now
  return good !== undefined && (good.at > now || (prefix !== undefined && !good.address.startsWith(prefix)))
}

async function backUpOnce({ app, signal, tick }: Pick<JobContext, 'app' | 'signal' | 'tick'>): Promise<void> {
  const { config, clock, log } = app.kernel
  let message: BackupMessage
  try {
    message = await inThread({ app, signal, tick })
  } catch (error) {
    message = { refused: messageOf(error) }
  }
  if (signal.aborted && 'refused' in message) return
  try {
    if ('made' in message) {
      const { at, address, bytes, seconds, rows, removed } = message.made
      storeGood(config.dataDir, { at, address, bytes, seconds })
      log.info({ address, bytes, rows, seconds, removed }, 'the database was backed up and the copy checked')
    } else {
      storeFailure(config.dataDir, { at: clock.now(), error: message.refused })
      log.warn({ error: message.refused }, 'the backup failed; trying again')
    }
  } catch (error) {
    log.warn({ error: messageOf(error) }, 'what came of the backup could not be stored')
  }
}

/** Runs one backup in a thread of its own, and reports meanwhile that this loop is well. */
async function inThread({ app, signal, tick }: Pick<JobContext, 'app' | 'signal' | 'tick'>): Promise<BackupMessage> {
  const { config, clock } = app.kernel
  const lack = lackOfFiles(FILES_OF_THREAD)
  if (lack !== undefined) throw new Error(lack)
  const workerData: BackupData = { kind: 'backup', settings: settingsAsText(config) }
  const worker = new Worker(threadPath('workers/thread.ts'), { workerData, resourceLimits: heapOf('background') })
  let message: BackupMessage | undefined
  let failure: unknown
  let hasEnded = false
  const ended = new Promise<void>((resolve) => {
    worker.on('message', (told: BackupMessage | { failed: string }) => {
      if ('failed' in told) failure = new Error(told.failed.split('\n')[0])
      else message = told
    })
    worker.once('error', (error) => (failure = error))
    worker.once('exit', () => {
      hasEnded = true
      resolve()
    })
  })
  while (!hasEnded && !signal.aborted) {
    await Promise.race([waitAtMost(clock, TICK_MS, ended), untilAborted(signal, ended)])
    tick()
  }
  if (!hasEnded) {
    worker.postMessage('stop')
    await waitAtMost(clock, STOP_MS, ended)
    // It reads only, and what it has written has no name yet.
    if (!hasEnded) await worker.terminate()
  }
  if (message) return message
  throw failure ?? new Error('the thread of the backup ended without a result')
}

function untilAborted(signal: AbortSignal, orElse: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done, { once: true })
    if (signal.aborted) done()
    void orElse.then(done)
  })
}
