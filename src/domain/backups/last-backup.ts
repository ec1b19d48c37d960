import { join } from 'node:path'
import { replaceFile } from '../../platform/durable-file.ts'
import { isPlainObject } from '../../platform/json.ts'
import { textOf } from './packed-files.ts'

/** What came of the last backups of a data directory; times in ms. */
export interface LastBackup {
  /** The newest one that is complete. */
  good?: { at: number; address: string; bytes: number; seconds: number }
  /** The last attempt, if it failed. */
  failure?: { at: number; error: string }
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
  const { good, failure } = value
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
  return last
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

export function storeGood(dataDir: string, good: NonNullable<LastBackup['good']>): void {
  replaceFile(fileOf(dataDir), JSON.stringify({ good }))
}

export function storeFailure(dataDir: string, failure: NonNullable<LastBackup['failure']>): void {
  replaceFile(fileOf(dataDir), JSON.stringify({ ...readLastBackup(dataDir), failure }))
}

/** A failed backup is tried again after this time at the latest. */
const RETRY_MS = 600_000

/** When the next backup is due (ms): at once when there was none. */
export function nextAt({ good, failure }: LastBackup, everyMs: number): number {
  if (failure) return failure.at + Math.min(everyMs, RETRY_MS)
  return good ? good.at + everyMs : 0
}
