import { join } from 'node:path'
import type { Config } from '../../platform/config/settings.ts'
import {
  lockHoldersOf,
  machineMemory,
  type OpenFiles,
  openFilesOf,
  residentMemoryOf,
} from '../../platform/process/proc.ts'
import { sizeOf } from '../../platform/text/size.ts'
import { type Check, type Finding, info, ok, type Subject, warning } from './types.ts'

/** Files that the server needs besides connections: threads, the database, gateways. */
const OTHER_FILES = 512
/** The share of the limit from which on a few more connections exhaust it. */
const FULL = 0.8
const LITTLE_MEMORY = 256 * 2 ** 20
const LITTLE_FREE = 96 * 2 ** 20

/** Open files and memory: of the server if it runs on this machine, else of this process. */
export const limitsCheck: Check = {
  name: 'limits',
  group: 'machine',
  needs: 'settings',
  async run(subject) {
    const server = serverOf(subject)
    const files = openFilesOf(server ?? 'self')
    const findings = files ? [judgeFiles(files, subject.config, server !== undefined)] : []
    findings.push(judgeMemory(machineMemory()))
    const resident = server === undefined ? undefined : residentMemoryOf(server)
    if (resident !== undefined) {
      findings.push(info(`the server (process ${server}) uses ${sizeOf(resident)} of memory`))
    }
    return findings
  },
}

/** The process of the server. On SQLite it is the one that holds the lock. */
function serverOf({ inside, served, config }: Subject): number | undefined {
  if (inside === 'server') return process.pid
  return served ? lockHoldersOf(join(config.dataDir, 'server.lock'))[0]?.pid : undefined
}

/** Judges a limit of open files by the connections that are allowed. */
export function judgeFiles({ open, limit }: OpenFiles, config: Config, isServer: boolean): Finding {
  const who = isServer ? 'the server' : 'a process of this shell'
  const remedy = `ulimit -n ${config['http.maxConnections'] + OTHER_FILES}, or LimitNOFILE= in the systemd unit`
  if (isServer && open > limit * FULL) {
    return warning(`the server has ${open} of ${limit} files and sockets open`, remedy)
  }
  const wanted = config['http.maxConnections'] + OTHER_FILES
  const may = `${who} may open ${limit} files and sockets`
  if (limit < wanted) {
    return warning(`${may}, too few for ${config['http.maxConnections']} connections (http.maxConnections)`, remedy)
  }
  return ok(may)
}

/** Judges the memory of this machine, or of its control group (bytes). */
export function judgeMemory({ limit, free }: { limit: number; free: number }): Finding {
  const has = `${sizeOf(free)} of ${sizeOf(limit)} of memory are free`
  if (limit < LITTLE_MEMORY) return warning(`${has}: that is little for a server`, 'give it 256 MiB or more')
  if (free < LITTLE_FREE) return warning(has, 'see what uses the memory: ps aux --sort=-rss | head')
  return ok(has)
}
