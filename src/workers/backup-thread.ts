import { parentPort } from 'node:worker_threads'
import packageJson from '../../package.json' with { type: 'json' }
import { loadConfig } from '../config.ts'
import { storeFailure, storeGood } from '../domain/backups/last-backup.ts'
import { makeBackup } from '../domain/backups/make.ts'
import { placeOfServer } from '../domain/backups/places.ts'
import { databaseFile, openClock, prepareStorage } from '../open.ts'
import { messageOf } from '../platform/errors.ts'
import { createDiskSpace } from '../platform/files/disk-space.ts'

/** What the job passes to the thread that makes one backup. */
export interface BackupData {
  kind: 'backup'
  settings: Record<string, string>
  clockCell: SharedArrayBuffer
}

/** What came of it. */
export type BackupMessage =
  | { made: { address: string; bytes: number; rows: number; seconds: number; removed: string[] } }
  | { refused: string }

export function isBackupData(data: unknown): data is BackupData {
  return typeof data === 'object' && data !== null && 'kind' in data && data.kind === 'backup'
}

/** Makes one backup, in a thread of its own: copying, flushing and checking block it. Any message to the thread stops it. */
export async function runBackup({ settings, clockCell }: Pick<BackupData, 'settings' | 'clockCell'>): Promise<void> {
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
