import type { Running } from './executable.ts'
import { load, type Request } from './http.ts'
import { percentile, type Result } from './result.ts'

const WARM_UP_MS = 1500

export interface Measured {
  /** Calls per second. */
  rate: number
  /** Milliseconds. */
  p99: number
  /** Processor time of the server per call, in microseconds. */
  cpu: number
}

/** Measures kinds of calls of one running server, one kind after another, each after a warm-up. */
export function meterOf(
  server: Running<{ listening: string }>,
  { credentials, connections, ms }: { credentials: string; connections: number; ms: number },
) {
  return async (request: (number: number) => Request): Promise<Measured> => {
    const options = { address: server.ready.listening, credentials, connections, request }
    await load({ ...options, ms: WARM_UP_MS })
    const cpuBefore = server.cpuMs()
    const { rate, times } = await load({ ...options, ms })
    return { rate, p99: percentile(times, 0.99), cpu: ((server.cpuMs() - cpuBefore) * 1000) / times.length }
  }
}

/** A row of the table. */
export function callsRow(name: string, measured: Measured, against: { name: string; value: number }): Result {
  const note = `p99 ${measured.p99.toFixed(1)} ms, ${Math.round(measured.cpu)} us CPU per call`
  return { name, value: measured.rate, unit: 'calls/s', against, note }
}

/** An upload of an install. The events get a uuid and the current time. */
export function uploadOf(installId: string, events: readonly { type: string; data?: object }[]): Request {
  const timestamp = Date.now()
  return {
    method: 'POST',
    path: `/events/v1/app-installs/${installId}/events`,
    body: events.map((event) => ({ uuid: crypto.randomUUID(), timestamp, ...event })),
  }
}
