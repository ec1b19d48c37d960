import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/settings.ts'
import { replaceFile } from '../files/durable-file.ts'
import { isPlainObject } from '../json/json.ts'
import { startOf } from '../process/proc.ts'

/** The settings that say where a server is reached. `port` is the port that it got, also where the setting is 0. */
const ADDRESS_SETTINGS = [
  'host',
  'port',
  'baseUrl',
  'hosts.console',
  'console.enabled',
  'console.listen',
  'links.domain',
] as const satisfies readonly (keyof Config)[]

export type ServerAddress = Pick<Config, (typeof ADDRESS_SETTINGS)[number]>

const fileOf = (dataDir: string) => join(dataDir, 'server.json')

/**
 * Tells commands on this machine where the server of the directory is reached: flags of `serve` and variables of its service are unknown to
 * them. The file names its process, so one that a killed server left behind counts for nothing. Returns a function that removes the file.
 */
export function writeServerFile(config: Config, port: number): () => void {
  const file = fileOf(config.dataDir)
  const address = Object.fromEntries(ADDRESS_SETTINGS.map((name) => [name, name === 'port' ? port : config[name]]))
  replaceFile(file, `${JSON.stringify({ pid: process.pid, started: startOf(process.pid), address })}\n`)
  return () => rmSync(file, { force: true })
}

/** The address of the server that runs on the directory; undefined when none runs here, or it is still starting. */
export function readServerFile(dataDir: string): ServerAddress | undefined {
  let told: unknown
  try {
    told = JSON.parse(readFileSync(fileOf(dataDir), 'utf8'))
  } catch {
    return undefined
  }
  if (!isPlainObject(told) || !isPlainObject(told.address) || typeof told.pid !== 'number') return undefined
  if (!isRunning(told.pid) || startOf(told.pid) !== told.started) return undefined
  const { address } = told
  return ADDRESS_SETTINGS.every((name) => name in address) ? (address as unknown as ServerAddress) : undefined
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // It runs as another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
