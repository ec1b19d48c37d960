import { join } from 'node:path'
import { replaceFile } from '../../platform/files/durable-file.ts'
import { isPlainObject } from '../../platform/json/json.ts'
import { textOf } from './packed-files.ts'

/** What came of the last backups of a data directory; times in ms. */
export interface LastBackup {
  /** The newest one that is complete. */
  good?: { at: number; address: string; bytes: number; seconds: number }
  /** The last attempt, if it failed. */
  failure?: { at: number; error: string }
  /** Somebody asked for a backup then, and none has been made since. */
  wanted?: number
}

/** Beside the database and not in it: a restored database would tell of the backups of another time. */
const fileOf = (dataDir: string) => join(dataDir, 'backup.json')

/** Empty when there was none, or the file cannot be understood. */
export function readLastBackup(dataDir: string): LastBackup {
  let value: unknown
  try {
    value = JSON.parse(textOf(fileOf(dataDir)) ?? '')
  } catch {
    return {}
  }
  if (!isPlainObject(value)) return {}
  const { good, failure, wanted } = value
  const last: LastBackup = {}
  if (isPlainObject(good)) {
    const { at, address, bytes, seconds } = good
    if (isNumber(at) && typeof address === 'string' && isNumber(bytes) && isNumber(seconds)) {
      last.good = { at, address, bytes, seconds }
    }
  }
  if (isPlainObject(failure) && isNumber(failure.at) && typeof failure.error === 'string') {
    last.failure = { at: failure.at, error: failure.error }
  }
  if (isNumber(wanted)) last.wanted = wanted
  return last
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

export function storeGood(dataDir: string, good: NonNullable<LastBackup['good']>): void {
  replaceFile(fileOf(dataDir), JSON.stringify({ good }))
}

/** Throws nothing: on a full disk it cannot be kept, and whoever calls says it elsewhere, too. */
export function storeFailure(dataDir: string, failure: NonNullable<LastBackup['failure']>): void {
  // Asked for once, it is tried once; the next attempt follows as after every failure.
  const { wanted: _, ...last } = readLastBackup(dataDir)
  try {
    replaceFile(fileOf(dataDir), JSON.stringify({ ...last, failure }))
  } catch {
    // As above.
  }
}

/** Makes the next backup due at once. */
export function askForBackup(dataDir: string, now: number): void {
  replaceFile(fileOf(dataDir), JSON.stringify({ ...readLastBackup(dataDir), wanted: now }))
}

/** A failed backup is tried again after this time at the latest. */
const RETRY_MS = 600_000

/** When the next backup is due (ms): at once when there was none. */
export function nextAt({ good, failure, wanted }: LastBackup, everyMs: number): number {
  if (wanted !== undefined) return wanted
  if (failure) return failure.at + Math.min(everyMs, RETRY_MS)
  return good ? good.at + everyMs : 0
}
