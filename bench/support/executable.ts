import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Plugin } from 'esbuild'
import { bundle } from '../../packaging/bundle.ts'

const BUNDLE = resolve(import.meta.dirname, '../../build/bench')

/** The command line that runs appsvc: a packaged executable, or a bundle of the current sources. */
export interface Executable {
  command: string
  args: string[]
  /** The name in table heads. */
  name: string
}

let bundled: Promise<string> | undefined

/** `executable` is the path of a packaged executable. Without it the sources are bundled, once per run. */
export async function openExecutable(executable?: string, nodeFlags: string[] = []): Promise<Executable> {
  if (executable !== undefined) return { command: resolve(executable), args: [], name: 'executable' }
  await (bundled ??= bundle(BUNDLE))
  return { command: process.execPath, args: [...nodeFlags, join(BUNDLE, 'appsvc.cjs')], name: 'bundle' }
}

const FOLLOWED = resolve(import.meta.dirname, '../../build/bench-followed')
let followed: Promise<string> | undefined

/** A bundle of the sources with followers of the bench (`followed-nats.ts`), which follow while a file names them. */
export async function openFollowedExecutable(): Promise<Executable> {
  const replace: Plugin = {
    name: 'followers-of-the-bench',
    setup(build) {
      build.onResolve({ filter: /\/domain\/nats\/wire\.ts$/ }, ({ importer }) =>
        importer.endsWith('src/program.ts') ? { path: join(import.meta.dirname, 'followed-nats.ts') } : undefined,
      )
    },
  }
  await (followed ??= bundle(FOLLOWED, { more: [replace] }))
  return { command: process.execPath, args: [join(FOLLOWED, 'appsvc.cjs')], name: 'bundle' }
}

export interface Running<Ready> {
  /** The first line of its output: with `--json` it contains the address. */
  ready: Ready
  pid: number
  /** Peak of the resident memory of the process so far, including mapped files (MB). */
  peakRss(): number
  /** Processor time of all threads so far (ms). */
  cpuMs(): number
  stop(): Promise<void>
}

/** Starts a long-running command and waits for its first line. Rejects if it exits before. */
export async function start<Ready>(
  { command, args }: Executable,
  argv: string[],
  environment: Record<string, string> = {},
): Promise<Running<Ready>> {
  const child = spawn(command, [...args, ...argv, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, APPSVC_LOG_LEVEL: 'warn', ...arenas(), ...environment },
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

/** The allocator setting of the container and the systemd unit, if this process has it. */
function arenas(): Record<string, string> {
  const { MALLOC_ARENA_MAX: most } = process.env
  return most === undefined ? {} : { MALLOC_ARENA_MAX: most }
}

/** Reads fields 14 and 15 of the line, in hundredths of a second. The name in field 2 may contain blanks. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill()
  await ended
}
