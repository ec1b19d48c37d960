import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../errors.ts'
import { replaceQuickly } from '../files/durable-file.ts'
import { isPlainObject } from '../json/json.ts'
import type { Memory } from './judgement.ts'

/** The file of a data directory that tells the next process what time it was. */
export const memoryFile = (dataDir: string): string => join(dataDir, 'appsvc.clock')

/** What an earlier process left behind; undefined when there is nothing that can be understood. */
export function readMemory(file: string): Memory | undefined {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
  if (!isPlainObject(value)) return undefined
  const { base, kind, boot, at, awake, doubt, databaseOff } = value
  if (!isNumber(base) || !isNumber(at) || !isNumber(awake) || (kind !== 'known' && kind !== 'least')) return undefined
  return {
    base,
    kind,
    at,
    awake,
    boot: typeof boot === 'string' ? boot : null,
    doubt:
      isPlainObject(doubt) && isNumber(doubt.off) && isNumber(doubt.since)
        ? { off: doubt.off, since: doubt.since }
        : undefined,
    databaseOff: isNumber(databaseOff) ? databaseOff : undefined,
  }
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

/** Stores it. Returns why it could not be stored; undefined when it was: the time goes on without it. */
export function writeMemory(file: string, memory: Memory): string | undefined {
  try {
    replaceQuickly(file, `${JSON.stringify(memory)}\n`)
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

/** The id of this run of the machine, from Linux; null elsewhere. */
export function bootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim() || null
  } catch {
    return null
  }
}
