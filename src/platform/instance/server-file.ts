import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../files/durable-file.ts'
import { isPlainObject } from '../json/json.ts'
import { startOf } from '../process/proc.ts'

const fileOf = (dataDir: string) => join(dataDir, 'server.json')

/**
 * Tells commands on this machine the settings of the server of the directory (`settingsForOthers`): flags of `serve` and variables of its service are
 * unknown to them. The file names its process, so one that a killed server left behind counts for nothing. Returns a function that removes the file.
 */
export function writeServerFile(dataDir: string, settings: Readonly<Record<string, string>>): () => void {
  const file = fileOf(dataDir)
  replaceFile(file, `${JSON.stringify({ pid: process.pid, started: startOf(process.pid), settings })}\n`)
  return () => rmSync(file, { force: true })
}

/** The settings of the server that runs on the directory, as text; undefined when none runs here, or it is still starting. */
export function readServerFile(dataDir: string): Record<string, unknown> | undefined {
  let told: unknown
  try {
    told = JSON.parse(readFileSync(fileOf(dataDir), 'utf8'))
  } catch {
    return undefined
  }
  if (!isPlainObject(told) || !isPlainObject(told.settings) || typeof told.pid !== 'number') return undefined
  if (!isRunning(told.pid) || startOf(told.pid) !== told.started) return undefined
  return told.settings
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // It runs as another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
