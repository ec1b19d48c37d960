import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeDataDirectory } from './support/audience.ts'
import { openExecutable, start } from './support/executable.ts'
import { steadyCalls } from './support/http.ts'
import type { Result } from './support/result.ts'
import { uploadOf } from './support/server-load.ts'

export interface SteadyOptions {
  /** Number of installs that a broadcast reaches. */
  installs: number
  /** Duration of the load (ms). */
  ms: number
  executable?: string | undefined
}

const UPLOAD_EVERY_MS = 4
const SERVER_CALL_EVERY_MS = 20
const BROADCAST_EVERY_MS = 20_000
const SAMPLE_EVERY_MS = 1000
const CONTENT = { title: 'Fresh bread', message: 'Out of the oven until six.' }

/**
 * Measures the resident memory of a server on SQLite under mixed load: uploads of known and new installs, attributes, pages of the user
 * list, and a broadcast to all installs every 20 seconds. Operators size a machine by the plateau, so the run has to be long enough to
 * reach it: nine minutes (`--seconds=540`).
 */
export async function benchSteady({ installs, ms, executable }: SteadyOptions): Promise<Result[]> {
  const program = await openExecutable(executable, ['--max-semi-space-size=4'])
  const sandboxProgram = await openExecutable(undefined, ['--max-semi-space-size=4'])
  const sandboxDir = await makeDataDirectory({ installs: 0 })
  type SandboxReady = { urls: { http: string }; environment: Record<string, string> }
  const sandbox = await start<SandboxReady>(sandboxProgram, ['sandbox', '--keep', '0', '--dir', sandboxDir.dir])
  try {
    const credentials = await (await fetch(`${sandbox.ready.urls.http}/credentials`)).json()
    const { serviceAccount } = credentials as { serviceAccount: unknown }
    const data = await makeDataDirectory({ installs, blocks: { android: { serviceAccount } } })
    const environment = { ...sandbox.ready.environment, APPSVC_LIMITS_NEW_PER_ADDRESS: '0' }
    const server = await start<{ listening: string }>(
      program,
      ['serve', '--port', '0', '--data-dir', data.dir],
      environment,
    )
    try {
      const address = server.ready.listening
      const rss = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))![1]) / 1024
      const samples: number[] = [rss()]
      const until = sample(samples, rss, ms)
      const uploads = steadyCalls({
        address,
        credentials: data.deviceKey,
        everyMs: UPLOAD_EVERY_MS,
        until,
        request: (number) =>
          uploadOf(number % 20 === 0 ? randomUUID() : `install-${1 + (number % installs)}`, [{ type: 'k.fg' }]),
      })
      const calls = steadyCalls({
        address,
        credentials: data.serverKey,
        everyMs: SERVER_CALL_EVERY_MS,
        until,
        request: (number) =>
          number % 10 === 0
            ? { method: 'GET', path: '/crm/v2/users?currentPage=1&numberPerPage=100' }
            : { method: 'PUT', path: `/crm/v1/users/user-${1 + (number % installs)}/attributes`, body: { number } },
      })
      const broadcasts = steadyCalls({
        address,
        credentials: data.serverKey,
        everyMs: BROADCAST_EVERY_MS,
        until,
        request: () => ({
          method: 'POST',
          path: '/messages/v2/notifications',
          body: { target: { broadcast: true }, content: CONTENT },
        }),
      })
      const [uploaded, called, sent] = await Promise.all([uploads, calls, broadcasts])
      const load = `${uploaded.length} uploads, ${called.length} calls, ${sent.length} broadcasts to ${installs} in ${Math.round(ms / 1000)} s`
      const lastThird = samples.slice(Math.floor((samples.length * 2) / 3))
      const idle = { name: 'at the start', value: samples[0]! }
      return [
        {
          name: 'steady memory, highest of the last third',
          value: Math.max(...lastThird),
          unit: 'MB',
          against: idle,
          note: load,
        },
        { name: 'steady memory, peak', value: server.peakRss(), unit: 'MB', against: idle },
      ]
    } finally {
      await server.stop()
      data.remove()
    }
  } finally {
    await sandbox.stop()
    sandboxDir.remove()
  }
}

async function sample(samples: number[], rss: () => number, ms: number): Promise<void> {
  for (const end = performance.now() + ms; performance.now() < end; samples.push(rss())) await sleep(SAMPLE_EVERY_MS)
}
