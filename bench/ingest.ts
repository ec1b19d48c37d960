import { randomUUID } from 'node:crypto'
import { makeDataDirectory } from './support/audience.ts'
import { openDatabase } from './support/database.ts'
import { openExecutable, start } from './support/executable.ts'
import type { Request } from './support/http.ts'
import type { Result } from './support/result.ts'
import { callsRow, type Measured, meterOf, uploadOf } from './support/server-load.ts'

export interface IngestOptions {
  /** Number of installs, which upload in turn. */
  installs: number
  connections: number
  /** Duration of each kind of call (ms). */
  ms: number
  executable?: string | undefined
  /** `sqlite` or `postgres`. */
  database: string
}

/**
 * Measures uploads of devices over HTTP, each stored and fsynced before its response. The baseline is `/healthz`, which stores
 * nothing: it shows how much of the cost is HTTP.
 */
export async function benchIngest({
  installs,
  connections,
  ms,
  executable,
  database,
}: IngestOptions): Promise<Result[]> {
  const program = await openExecutable(executable)
  const db = await openDatabase(database)
  const data = await makeDataDirectory({ installs, database: db.url })
  try {
    const argv = ['serve', '--port', '0', '--data-dir', data.dir]
    // All uploads come from one IP address.
    const environment = { ...data.environment, APPSVC_LIMITS_NEW_PER_ADDRESS: '0' }
    const server = await start<{ listening: string }>(program, argv, environment)
    try {
      const measure = meterOf(server, { credentials: data.deviceKey, connections, ms })
      const nothing = await measure(() => ({ method: 'GET', path: '/healthz' }))
      const against = { name: '/healthz', value: nothing.rate }
      const row = (name: string, measured: Measured) =>
        callsRow(`ingest ${database}, ${installs} installs: ${name}`, measured, against)
      return [
        row('/healthz', nothing),
        row('session event', await measure((number) => sessionOf(1 + (number % installs)))),
        row('first upload', await measure(() => firstUpload())),
        row('batch of 20', await measure((number) => batchOf(1 + (number % installs)))),
      ]
    } finally {
      await server.stop()
    }
  } finally {
    data.remove()
    await db.drop()
  }
}

function sessionOf(install: number): Request {
  return uploadOf(`install-${install}`, [{ type: 'k.fg' }])
}

function batchOf(install: number): Request {
  return uploadOf(
    `install-${install}`,
    Array.from({ length: 20 }, (_, i) => ({ type: 'shop.viewed', data: { product: i } })),
  )
}

/** The events of a device at its first start. */
function firstUpload(): Request {
  const installId = randomUUID()
  return uploadOf(installId, [
    { type: 'k.fg' },
    {
      type: 'k.stats.installTracked',
      data: { app: { version: '1.0' }, platform: { name: 'Android', version: '15' }, device: { tz: 'Europe/Berlin' } },
    },
    { type: 'k.push.deviceRegistered', data: { token: `token-${installId}`, type: 2 } },
  ])
}
