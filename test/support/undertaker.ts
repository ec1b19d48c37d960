/**
 * Ends what a test run leaves behind: `node undertaker.ts <directory of the run>`. It does nothing until its standard input closes,
 * which happens however the run ends, also by SIGKILL. Whatever belongs to the run is ended then: the databases by their keeper, the
 * rest with SIGKILL; and the directory is deleted. One process id a line on standard input: the leaders of sessions, all members of
 * which belong to the run. What the run started in sessions of its own is known by its temporary directory: that stands in its
 * environment, its arguments or its working directory.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { removeTree } from './remove.ts'

/** A keeper needs a moment to stop its PostgreSQL, which leaves shared memory behind when it is killed. */
const KEEPERS_MS = 10_000
const LOOK_MS = 50

/** The prefix of the directories of runs. */
export const RUN_PREFIX = 'appsvc-run-'
/** The file in it with the id of its process. */
export const RUN_PID = 'run.pid'

interface Process {
  pid: number
  /** True for PostgreSQL or its keeper. */
  isDatabase: boolean
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function workingDirectory(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return ''
  }
}

/** Session of a process: the fourth word after the name, which may hold blanks and brackets. */
function sessionOf(pid: number): number {
  const stat = read(`/proc/${pid}/stat`)
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3])
}

/** Processes that belong to the run. Empty where there is no /proc. Throws for a directory that is not that of a run. */
export function processesOf(directory: string, sessions: ReadonlySet<number> = new Set()): Process[] {
  // A shorter text stands in the environment of processes that are none of our business.
  if (!basename(directory).startsWith(RUN_PREFIX)) throw new Error(`${directory} is no directory of a run`)
  let pids: number[]
  try {
    pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
  return pids
    .filter((pid) => pid !== process.pid && read(`/proc/${pid}/stat`).split(') ').at(-1)?.[0] !== 'Z')
    .flatMap((pid) => {
      const command = read(`/proc/${pid}/cmdline`)
      const at = workingDirectory(pid)
      const texts = [command, at, read(`/proc/${pid}/environ`)]
      if (!sessions.has(sessionOf(pid)) && !texts.some((text) => text.includes(directory))) return []
      return [{ pid, isDatabase: command.includes('postgres-keeper') || at.includes('/appsvc-postgres-') }]
    })
}

function end({ pid }: Process): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}

/** Ends the leftovers of a run and deletes its directory. Says so when it cannot: that must not stop the next run. */
export async function bury(directory: string, sessions: ReadonlySet<number> = new Set()): Promise<void> {
  const left = () => processesOf(directory, sessions)
  const began = performance.now()
  for (let found = left(); found.length > 0; found = left()) {
    const waited = performance.now() - began
    // Somebody else's, that we may not end.
    if (waited > 2 * KEEPERS_MS) break
    for (const one of found) if (!one.isDatabase || waited > KEEPERS_MS) end(one)
    await sleep(LOOK_MS)
  }
  try {
    removeTree(directory)
  } catch (error) {
    console.error(`${directory} stays: ${(error as Error).message}`)
  }
}

async function main(directory: string): Promise<void> {
  const sessions = new Set<number>()
  for await (const line of createInterface({ input: process.stdin })) sessions.add(Number(line))
  await bury(directory, sessions)
}

if (import.meta.url === pathToFileURL(process.argv[1]!).href) await main(process.argv[2]!)
