import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Executable, openExecutable, start } from './support/executable.ts'
import { percentile, type Result } from './support/result.ts'

export interface StartOptions {
  rounds: number
  executable?: string | undefined
}

/** Measures the time until the program answers. The baseline is the start of an empty Node process. */
export async function benchStart({ rounds, executable }: StartOptions): Promise<Result[]> {
  const program = await openExecutable(executable)
  const node: Executable = { command: process.execPath, args: [], name: 'node' }
  const empty: number[] = []
  const version: number[] = []
  const healthy: number[] = []
  // In turn, so that other work on the machine affects all of them alike.
  for (let round = 0; round < rounds; round++) {
    empty.push(runTime(node, ['-e', '0']))
    version.push(runTime(program, ['--version']))
    healthy.push(await timeToHealth(program))
  }
  const against = { name: 'node -e 0', value: percentile(empty, 0.5) }
  const row = (name: string, times: number[]): Result => ({
    name,
    value: percentile(times, 0.5),
    unit: 'ms',
    against,
    note: `median of ${rounds}, ${program.name}`,
  })
  return [row('start --version', version), row('start to /healthz', healthy)]
}

function runTime({ command, args }: Executable, argv: string[]): number {
  const began = performance.now()
  const { status, stderr } = spawnSync(command, [...args, ...argv])
  if (status !== 0) throw new Error(`${command} ${argv.join(' ')} ended with ${status}: ${stderr}`)
  return performance.now() - began
}

/** Starts the server with an empty data directory: it creates and migrates the database, and writes the key. */
async function timeToHealth(program: Executable): Promise<number> {
  const dir = mkdtempSync(join(tmpdir(), 'appsvc-bench-'))
  const began = performance.now()
  const server = await start<{ listening: string }>(program, ['serve', '--port', '0', '--data-dir', dir])
  try {
    const response = await fetch(`${server.ready.listening}/healthz`)
    if (!response.ok) throw new Error(`/healthz answered ${response.status}`)
    return performance.now() - began
  } finally {
    await server.stop()
    rmSync(dir, { recursive: true, force: true })
  }
}
