import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { watchBroadcast } from './broadcast.ts'
import { makeDataDirectory } from './support/audience.ts'
import { openExecutable, start } from './support/executable.ts'
import { startReceiver } from './support/receivers.ts'
import type { Result } from './support/result.ts'

export interface IdleOptions {
  installs: number
  executable?: string | undefined
}

/** The time (ms) that a server rests before it is measured: threads collect after 20 s of rest. */
const REST_MS = 60_000

/**
 * Measures what a server on SQLite takes that has nothing to do, and how long its first push then takes. The baseline is an empty Node
 * process of the same run.
 */
export async function benchIdle({ installs, executable }: IdleOptions): Promise<Result[]> {
  const program = await openExecutable(executable, ['--max-semi-space-size=4'])
  const receiver = await startReceiver.android()
  const data = await makeDataDirectory({ installs, blocks: { android: receiver.block } })
  const empty = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' })
  const server = await start<{ listening: string }>(
    program,
    ['serve', '--port', '0', '--data-dir', data.dir],
    receiver.environment,
  )
  try {
    await sleep(REST_MS)
    const [bare, idle] = [weightOf(empty.pid!), weightOf(server.pid)]
    const first = await watchBroadcast(server.ready.listening, data.serverKey)
    const firstMs = await first.first
    await first.finished
    const row = (name: string, of: keyof Weight, unit: string): Result => ({
      name: `idle, ${name}`,
      value: idle[of],
      unit,
      against: { name: 'node', value: bare[of] },
      note: program.name,
    })
    return [
      row('resident memory', 'resident', 'MB'),
      row('memory of its own', 'own', 'MB'),
      row('threads', 'threads', 'threads'),
      { name: 'idle, first push accepted', value: firstMs, unit: 'ms', note: `of a broadcast to ${installs}` },
    ]
  } finally {
    await server.stop()
    await end(empty)
    data.remove()
    await receiver.stop()
  }
}

interface Weight {
  /** With mapped files, which processes of the same program share (MB). */
  resident: number
  /** Memory that no other process has (MB). */
  own: number
  threads: number
}

function weightOf(pid: number): Weight {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const megabytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(rollup)![1]) / 1024
  return {
    resident: megabytes('Rss'),
    own: megabytes('Private_Clean') + megabytes('Private_Dirty'),
    threads: readdirSync(`/proc/${pid}/task`).length,
  }
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill()
  await ended
}
