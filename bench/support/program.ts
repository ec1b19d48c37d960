import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { bundle } from '../../packaging/bundle.ts'

const BUNDLE = resolve(import.meta.dirname, '../../build/bench')

/** The command line that runs appsvc: a packaged executable, or the bundle of the present sources. */
export interface Program {
  command: string
  args: string[]
  /** For table heads. */
  name: string
}

let bundled: Promise<string> | undefined

/** `executable` is the path of a packaged one; without it the sources are bundled, once a run. */
export async function openProgram(executable?: string, nodeFlags: string[] = []): Promise<Program> {
  if (executable !== undefined) return { command: resolve(executable), args: [], name: 'executable' }
  await (bundled ??= bundle(BUNDLE))
  return { command: process.execPath, args: [...nodeFlags, join(BUNDLE, 'appsvc.cjs')], name: 'bundle' }
}

export interface Running<Ready> {
  /** The first line it wrote: `--json` says there where it listens. */
  ready: Ready
  pid: number
  /** Highest resident memory of the whole process so far, all threads and their share of files included (MB). */
  peakRss(): number
  /** Processor time used so far, in all threads (ms). */
  cpuMs(): number
  stop(): Promise<void>
}

/** Starts a command that stays up and waits for its first line. Rejects when it ends before. */
export async function start<Ready>(
  { command, args }: Program,
  argv: string[],
  environment: Record<string, string> = {},
): Promise<Running<Ready>> {
  const child = spawn(command, [...args, ...argv, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, APPSVC_LOG_LEVEL: 'warn', ...environment },
  })
  const ended = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })
  const first = await Promise.race([once(lines, 'line'), ended.then(() => undefined)])
  if (first === undefined) throw new Error(`appsvc ${argv.join(' ')} ended with ${child.exitCode} before it was ready`)
  const pid = child.pid!
  return {
    ready: JSON.parse(first[0] as string) as Ready,
    pid,
    peakRss: () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024,
    cpuMs: () => cpuMs(pid),
    stop: () => stop(child, ended),
  }
}

/** Set as the container and the systemd unit set it when this program is started with it. */
export function arenas(): Record<string, string> {
  const { MALLOC_ARENA_MAX: most } = process.env
  return most === undefined ? {} : { MALLOC_ARENA_MAX: most }
}

/** Fields 14 and 15 of the line, in hundredths of a second; the name in field 2 may hold blanks. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill()
  await ended
}
