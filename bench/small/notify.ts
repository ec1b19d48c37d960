import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Executable, openExecutable } from '../support/executable.ts'
import { startFcmReceiver } from '../support/fcm-receiver.ts'
import type { Result } from '../support/result.ts'
import type { SmallOptions } from './loads.ts'
import { openRig, type Rig } from './rig.ts'
import { sendTo, usersOf } from './sending.ts'

const INSTALLS = 10_000
const LINES_AT_ONCE = 1000
const LOOK_MS = 20

/**
 * Measures `appsvc notify` with a file of sends to one user each: into the database beside the server that sends them, and to the server by
 * `--url`; and its memory with ten times as many lines, of which the app knows nobody.
 */
export async function measureNotify(options: SmallOptions): Promise<Result[]> {
  const receiver = await startFcmReceiver()
  const rig = await openRig({ ...options, receiver, installs: [INSTALLS] })
  const program = await openExecutable(options.executable)
  const file = join(rig.data.dir, 'sends.jsonl')
  const keyFile = join(rig.data.dir, 'server-key')
  try {
    const { sends } = options
    await writeLines(file, sends, (number) => sendTo(usersOf(number, 1, INSTALLS)).body)
    const local = ['--app', String(rig.data.app.id), '--data-dir', rig.data.dir]
    const here = await run(program, rig, [file, ...local])
    await rig.untilDone()
    const [apiKey, serverKey] = rig.data.serverKey.split(':') as [string, string]
    writeFileSync(keyFile, serverKey)
    const remote = ['--url', rig.address, '--api-key', apiKey, '--server-key-file', keyFile]
    const there = await run(program, rig, [file, ...remote])
    await rig.untilDone()
    await writeLines(file, 10 * sends, () => ({
      target: { userIds: ['nobody'] },
      content: { title: 'T', message: 'M' },
    }))
    const many = await run(program, rig, [file, ...local])
    return [
      ...rowsOf('notify', here, sends),
      ...rowsOf('notify --url', there, sends),
      {
        name: 'notify, peak memory of ten times as many lines',
        value: many.peakMb,
        unit: 'MB',
        against: { name: 'once', value: here.peakMb },
      },
    ]
  } finally {
    await rig.close()
    await receiver.stop()
  }
}

const rowsOf = (name: string, { ms, peakMb }: Ran, lines: number): Result[] => [
  {
    name,
    value: (lines / ms) * 1000,
    unit: 'lines/s',
    note: `${lines} in ${(ms / 1000).toFixed(2)} s, start included`,
  },
  { name: `${name}, peak memory`, value: peakMb, unit: 'MB' },
]

async function writeLines(file: string, count: number, bodyOf: (number: number) => unknown): Promise<void> {
  const out = await open(file, 'w')
  for (let first = 0; first < count; first += LINES_AT_ONCE) {
    const some = Array.from({ length: Math.min(LINES_AT_ONCE, count - first) }, (_, i) => bodyOf(first + i))
    await out.write(some.map((body) => `${JSON.stringify(body)}\n`).join(''))
  }
  await out.close()
}

interface Ran {
  ms: number
  peakMb: number
}

/** Runs the command to its end. Throws unless every line was answered: 65 says that lines were refused. */
async function run({ command, args }: Executable, rig: Rig, argv: readonly string[]): Promise<Ran> {
  const began = performance.now()
  const child = spawn(command, [...args, 'notify', ...argv, '--json'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { PATH: process.env.PATH, APPSVC_LOG_LEVEL: 'error', ...rig.data.environment },
  })
  let peakMb = 0
  const ended = once(child, 'exit')
  while (child.exitCode === null) {
    peakMb = Math.max(peakMb, peakOf(child.pid!))
    await Promise.race([ended, sleep(LOOK_MS)])
  }
  if (child.exitCode !== 0 && child.exitCode !== 65) throw new Error(`notify ended with ${child.exitCode}`)
  return { ms: performance.now() - began, peakMb }
}

function peakOf(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    // It has just ended.
    return 0
  }
}
