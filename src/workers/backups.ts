import { Worker } from 'node:worker_threads'
import { nextAt, readLastBackup, storeFailure } from '../domain/backups/last-backup.ts'
import { placeOfServer } from '../domain/backups/places.ts'
import { readVerifications, storeVerification } from '../domain/backups/verify.ts'
import { settingsAsText } from '../platform/config/config.ts'
import type { Config } from '../platform/config/settings.ts'
import { messageOf } from '../platform/errors.ts'
import { threadPath } from '../platform/files/assets.ts'
import { lackOfFiles } from '../platform/files/open-files.ts'
import { heapOf } from '../platform/threads/heaps.ts'
import { waitAtMost } from '../platform/time/clock.ts'
import { durationMs } from '../platform/time/duration.ts'
import type { Program } from '../program.ts'
import type { BackupData, BackupMessage } from './backup-thread.ts'

/** Interval of looking whether a backup is due. */
const LOOK_MS = 10_000
const TICK_MS = 1000
/** The time (ms) that a backup may take to stop when asked: it cannot be interrupted while it is checked. */
const STOP_MS = 5000
const FILES_OF_THREAD = 24

/** The name of the loop in reports. */
const LOOP = 'backup'

export interface Backups {
  /** Stops a backup that is being made; nothing of it stays. */
  close(): Promise<void>
}

/**
 * Backs an SQLite database up to `backup.to` every `backup.every`. The time of the next one stands in the data directory. This loop runs in
 * the main thread, because in the executable only that one can start threads; a backup itself runs in a thread of its own.
 */
export function startBackups(program: Program, { clockCell }: Pick<BackupData, 'clockCell'>): Backups {
  const { config, clock, ticks, db, log } = program.kernel
  if (config['backup.to'] === '' || db.kind === 'postgres') return { async close() {} }
  const stop = new AbortController()
  const { signal } = stop
  const tick = () => void ticks.set(LOOP, clock.monotonic())
  const everyMs = durationMs(config['backup.every'])!

  async function run(): Promise<void> {
    while (!signal.aborted) {
      tick()
      try {
        if (isDue(readLastBackup(config.dataDir), everyMs, addressPrefix(config), clock.now())) {
          await backUpOnce({ program, clockCell, signal, tick })
        }
        const { wanted } = readVerifications(config.dataDir)
        if (wanted !== undefined && !signal.aborted) {
          await verifyOnce({ program, clockCell, signal, tick, verify: wanted.name })
        }
      } catch (error) {
        log.warn({ error: messageOf(error) }, 'it cannot be found out whether a backup is due; trying again')
      }
      await clock.sleep(LOOK_MS, signal)
    }
  }

  const running = run()
  return {
    async close() {
      stop.abort()
      await running
    },
  }
}

/** The start of every address of our backups; undefined when the setting makes no sense, which the attempt reports. */
function addressPrefix(config: Config): string | undefined {
  try {
    return placeOfServer(config).store.addressOf('')
  } catch {
    return undefined
  }
}

/** Tells whether a backup is due: also when the last one went elsewhere, or is from the future because the clock was wrong. */
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

/** Verifies one backup. The thread stores its result; what keeps it from beginning is stored here, so that it is not tried for ever. */
async function verifyOnce(attempt: Attempt & { verify: string }): Promise<void> {
  const { verify: name, program, signal } = attempt
  const { config, clock, log } = program.kernel
  try {
    const message = await inThread(attempt)
    if (!('verified' in message)) return
    if (message.verified.error === null) log.info(message.verified, 'a backup was verified')
    else log.warn(message.verified, 'a backup cannot be restored')
  } catch (error) {
    if (signal.aborted) return
    storeVerification(config.dataDir, { name, at: clock.now(), seconds: 0, error: messageOf(error) })
    log.warn({ backup: name, error: messageOf(error) }, 'a backup could not be verified')
  }
}

interface Attempt {
  program: Program
  clockCell: SharedArrayBuffer
  signal: AbortSignal
  /** Reports that the loop is well. */
  tick(): void
  /** The backup to verify; absent to make one. */
  verify?: string
}

/** Makes one backup. The thread stores its result, because that waits for the disk. */
async function backUpOnce({ program, clockCell, signal, tick }: Attempt): Promise<void> {
  const { config, clock, log } = program.kernel
  let message: BackupMessage
  try {
    message = await inThread({ program, clockCell, signal, tick })
  } catch (error) {
    message = { refused: messageOf(error) }
    if (!signal.aborted) storeFailure(config.dataDir, { at: clock.now(), error: message.refused })
  }
  if ('made' in message) log.info(message.made, 'the database was backed up and the copy checked')
  else if ('refused' in message && !signal.aborted)
    log.warn({ error: message.refused }, 'the backup failed; trying again')
}

/** Runs one backup in a thread of its own, and reports meanwhile that this loop is well. */
async function inThread({ program, clockCell, signal, tick, verify }: Attempt): Promise<BackupMessage> {
  const { config, clock } = program.kernel
  const lack = lackOfFiles(FILES_OF_THREAD)
  if (lack !== undefined) throw new Error(lack)
  const workerData: BackupData = { kind: 'backup', verify, settings: settingsAsText(config), clockCell }
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
  const over = Promise.race([ended, abortOf(signal)])
  while (!hasEnded && !signal.aborted) {
    await waitAtMost(clock, TICK_MS, over)
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

function abortOf(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
