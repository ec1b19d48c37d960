import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { makeDataDirectory } from './support/audience.ts'
import { openExecutable, start } from './support/executable.ts'
import { steadyCalls } from './support/http.ts'
import type { Result } from './support/result.ts'
import { uploadOf } from './support/server-load.ts'

export interface HostileOptions {
  /** Duration of each attack (ms). */
  ms: number
  executable?: string | undefined
}

interface Attack {
  name: string
  path: string
  type: string
  body: Buffer
  headers?: Record<string, string>
}

const NEIGHBOUR_EVERY_MS = 10
/** The traffic of one address: a third of a megabyte a second, of small bodies fewer than a hundred a second. */
const BYTES_A_SECOND = 300_000
const MOST_A_SECOND = 100
const SOCKETS = 8
const PATIENCE_MS = 3000

const keys = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1])))
const JSON_TYPE = 'application/json'

/** The requests that cost a careless server most, from callers who have no key or the one that is in every copy of an app. */
function attacks(apiKey: string, deviceKey: string): Attack[] {
  const headers = { Authorization: `Basic ${btoa(deviceKey)}` }
  const upload = { path: '/events/v1/app-installs/attacker/events', type: JSON_TYPE, headers }
  const report = { path: `/events/v1/track/${apiKey}/acra/attacker-{n}`, type: JSON_TYPE }
  const sessions = { path: '/admin/v1/sessions', type: JSON_TYPE }
  const packed = { ...report, headers: { ...headers, 'Content-Encoding': 'gzip' } }
  return [
    { name: 'unknown keys to sign in with', ...sessions, body: Buffer.from(keys(1000)) },
    { name: 'unknown keys that just fit', ...sessions, body: Buffer.from(keys(350)) },
    {
      name: 'wrong passwords',
      ...sessions,
      body: Buffer.from('{"email":"e{n}@example.com","password":"0123456789abcdef"}'),
    },
    { name: 'invalid JSON', ...upload, body: Buffer.from(`[${'1,'.repeat(15_000)}`) },
    {
      name: 'events that are wrong',
      ...upload,
      body: Buffer.from(JSON.stringify(Array.from({ length: 1000 }, () => 1))),
    },
    { name: 'a body that is too large', ...upload, body: Buffer.alloc(6_000_000, 0x20) },
    { name: 'packed reports', ...packed, body: gzipSync(Buffer.alloc(2_000_000, 0x61)) },
    { name: 'packed objects', ...packed, body: gzipSync(`[${'{},'.repeat(600_000)}{}]`) },
    {
      name: 'wrong keys',
      path: '/messages/v2/notifications',
      type: JSON_TYPE,
      body: Buffer.from('{}'),
      headers: { Authorization: `Basic ${btoa('ak_x:sk_x')}` },
    },
  ]
}

/**
 * Measures the uploads of a neighbour (100 a second) while somebody attacks from the machine itself, where no limit of an address holds, and
 * compares their 99th percentile with that of the same neighbour alone. Wanted: at most three times as long on two cores.
 */
export async function benchHostile({ ms, executable }: HostileOptions): Promise<Result[]> {
  const program = await openExecutable(executable)
  const data = await makeDataDirectory({ installs: 100 })
  const server = await start<{ listening: string }>(program, ['serve', '--port', '0', '--data-dir', data.dir])
  const address = server.ready.listening
  const neighbour = async (until: Promise<unknown>) => {
    const times = await steadyCalls({
      address,
      credentials: data.deviceKey,
      everyMs: NEIGHBOUR_EVERY_MS,
      until,
      request: (number) => uploadOf(`install-${1 + (number % 100)}`, [{ type: 'k.fg' }]),
    })
    return percentile(times, 0.99)
  }
  try {
    await neighbour(sleep(ms))
    const idle = await neighbour(sleep(ms))
    const results: Result[] = []
    for (const attack of attacks(data.deviceKey.split(':')[0]!, data.deviceKey)) {
      const attacking = attackFor(address, attack, ms)
      const value = await neighbour(attacking)
      const { sent } = await attacking
      const note = `${sent} requests of ${attack.body.length} bytes`
      results.push({
        name: `p99 beside ${attack.name}`,
        value,
        unit: 'ms',
        against: { name: 'alone', value: idle },
        note,
      })
    }
    return results
  } finally {
    await server.stop()
    data.remove()
  }
}

/** Sends the request again and again for `ms`, over few connections, whatever the answers are. */
async function attackFor(address: string, attack: Attack, ms: number): Promise<{ sent: number }> {
  const everyMs = 1000 / Math.min(MOST_A_SECOND, BYTES_A_SECOND / attack.body.length)
  const end = performance.now() + ms
  let sent = 0
  const lane = async (number: number) => {
    await sleep(Math.min(ms, everyMs * number))
    while (performance.now() < end) {
      const next = performance.now() + everyMs * SOCKETS
      await sendOnce(address, attack, sent++)
      await sleep(Math.max(0, Math.min(next, end) - performance.now()))
    }
  }
  await Promise.all(Array.from({ length: SOCKETS }, (_, i) => lane(i)))
  return { sent }
}

async function sendOnce(address: string, { path, type, body, headers }: Attack, number: number): Promise<void> {
  const { hostname, port } = new URL(address)
  const all = { Host: hostname, 'Content-Type': type, Connection: 'close', ...headers }
  const bytes = body.length < 200 ? Buffer.from(body.toString().replace('{n}', String(number))) : body
  const head = Object.entries({ ...all, 'Content-Length': String(bytes.length) }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.setTimeout(PATIENCE_MS, () => socket.destroy())
  socket.write(`POST ${path.replace('{n}', String(number))} HTTP/1.1\r\n${head.join('')}\r\n`)
  socket.write(bytes)
  socket.resume()
  await once(socket, 'close').catch(() => {})
}

function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
}
