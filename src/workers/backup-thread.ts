import { parentPort } from 'node:worker_threads'
import packageJson from '../../package.json' with { type: 'json' }
import { loadConfig } from '../config.ts'
import { storeFailure, storeGood } from '../domain/backups/last-backup.ts'
import { makeBackup } from '../domain/backups/make.ts'
import { placeOfServer } from '../domain/backups/places.ts'
import { storeVerification, verifyBackup } from '../domain/backups/verify.ts'
import { databaseFile, openClock, prepareStorage } from '../open.ts'
import type { Config } from '../platform/config/settings.ts'
import { messageOf } from '../platform/errors.ts'
import { createDiskSpace } from '../platform/files/disk-space.ts'
import { schemaSteps } from '../program.ts'

/** The data that the job passes to the thread that makes one backup. */
export interface BackupData {
  kind: 'backup'
  /** The backup to verify; absent to make one. */
  verify?: string | undefined
  settings: Record<string, string>
  clockCell: SharedArrayBuffer
}

/** The result of the thread. */
export type BackupMessage =
  | { verified: { name: string; seconds: number; error: string | null } }
  | { made: { address: string; bytes: number; rows: number; seconds: number; removed: string[] } }
  | { refused: string }

export function isBackupData(data: unknown): data is BackupData {
  return typeof data === 'object' && data !== null && 'kind' in data && data.kind === 'backup'
}

/** Makes or verifies one backup, in a thread of its own: copying, flushing and checking block it. Any message to the thread stops it. */
export async function runBackup({ settings, clockCell, verify }: Omit<BackupData, 'kind'>): Promise<void> {
  const { config } = await loadConfig({ environment: {}, flags: settings })
  const { clock } = openClock({ config, clockCell })
  const stop = new AbortController()
  parentPort!.on('message', () => stop.abort())
  const space = createDiskSpace({
    dir: config.dataDir,
    lowWater: config['disk.lowWater'],
    now: () => performance.now(),
  })
  const say = (message: BackupMessage) => parentPort!.postMessage(message)
  if (verify !== undefined) {
    const begun = performance.now()
    const lowWater = space.look()?.mark
    const error = await reasonAgainst(verify, { config, lowWater, signal: stop.signal })
    const seconds = (performance.now() - begun) / 1000
    // Stopped in between, it is wanted still.
    if (!stop.signal.aborted) storeVerification(config.dataDir, { name: verify, at: clock.now(), seconds, error })
    say(stop.signal.aborted ? { refused: 'the server stops' } : { verified: { name: verify, seconds, error } })
    return parentPort!.close()
  }
  try {
    prepareStorage(config)
    const { manifest, address, rows, seconds, removed } = await makeBackup({
      program: packageJson.version,
      dataDir: config.dataDir,
      database: databaseFile(config),
      place: placeOfServer(config),
      keep: config['backup.keep'],
      lowWater: space.look()?.mark,
      clock,
      signal: stop.signal,
    })
    const { bytes, takenAt } = manifest
    storeGood(config.dataDir, { at: Date.parse(takenAt), address, bytes, seconds })
    say({ made: { address, bytes, rows, seconds, removed } })
  } catch (error) {
    const refused = stop.signal.aborted ? 'the server stops' : messageOf(error)
    if (!stop.signal.aborted) storeFailure(config.dataDir, { at: clock.now(), error: refused })
    say({ refused })
  }
  parentPort!.close()
}

/** The reason for which a backup of the server cannot be restored; null when it can. */
async function reasonAgainst(
  name: string,
  { config, ...options }: { config: Config; lowWater: number | undefined; signal: AbortSignal },
): Promise<string | null> {
  try {
    const { store } = placeOfServer(config)
    await verifyBackup({ store, name, dataDir: config.dataDir, migrations: schemaSteps, ...options })
    return null
  } catch (error) {
    return messageOf(error)
  }
}
