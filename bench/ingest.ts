import { randomUUID } from 'node:crypto'
import { makeDataDirectory } from './support/audience.ts'
import { load, type Request } from './support/http.ts'
import { openProgram, start } from './support/program.ts'
import { percentile, type Result } from './support/result.ts'

export interface IngestOptions {
  connections: number
  /** How long each kind of call is made (ms). */
  ms: number
  executable?: string | undefined
}

const WARM_UP_MS = 1500

/**
 * Uploads of devices over HTTP, each stored and fsynced before its answer, beside calls of `/healthz`, which touch nothing:
 * how much of the price is ours and how much is HTTP.
 */
export async function benchIngest({ connections, ms, executable }: IngestOptions): Promise<Result[]> {
  const program = await openProgram(executable)
  const installs = 10_000
  const data = await makeDataDirectory({ installs })
  try {
    const server = await start<{ listening: string }>(program, ['serve', '--port', '0', '--data-dir', data.dir])
    try {
      const measure = async (request: (number: number) => Request) => {
        const options = { address: server.ready.listening, credentials: data.deviceKey, connections, request }
        await load({ ...options, ms: WARM_UP_MS })
        const cpuBefore = server.cpuMs()
        const { rate, times } = await load({ ...options, ms })
        return { rate, p99: percentile(times, 0.99), cpu: ((server.cpuMs() - cpuBefore) * 1000) / times.length }
      }
      const nothing = await measure(() => ({ method: 'GET', path: '/healthz' }))
      const row = (name: string, { rate, p99, cpu }: typeof nothing): Result => ({
        name,
        value: rate,
        unit: 'calls/s',
        against: { name: '/healthz', value: nothing.rate },
        note: `p99 ${p99.toFixed(1)} ms, ${Math.round(cpu)} us CPU a call`,
      })
      return [
        row('ingest /healthz', nothing),
        row('ingest session event', await measure((number) => sessionOf(1 + (number % installs)))),
        row('ingest first upload', await measure(() => firstUpload())),
        row('ingest batch of 20', await measure((number) => batchOf(1 + (number % installs)))),
      ]
    } finally {
      await server.stop()
    }
  } finally {
    data.remove()
  }
}

function eventsOf(installId: string, events: { type: string; data?: object }[]): Request {
  const timestamp = Date.now()
  return {
    method: 'POST',
    path: `/events/v1/app-installs/${installId}/events`,
    body: events.map((event) => ({ uuid: randomUUID(), timestamp, ...event })),
  }
}

function sessionOf(install: number): Request {
  return eventsOf(`install-${install}`, [{ type: 'k.fg' }])
}

function batchOf(install: number): Request {
  return eventsOf(
    `install-${install}`,
    Array.from({ length: 20 }, (_, i) => ({ type: 'shop.viewed', data: { product: i } })),
  )
}

/** What a device says when it starts for the first time. */
function firstUpload(): Request {
  const installId = randomUUID()
  return eventsOf(installId, [
    { type: 'k.fg' },
    {
      type: 'k.stats.installTracked',
      data: { app: { version: '1.0' }, platform: { name: 'Android', version: '15' }, device: { tz: 'Europe/Berlin' } },
    },
    { type: 'k.push.deviceRegistered', data: { token: `token-${installId}`, type: 2 } },
  ])
}
