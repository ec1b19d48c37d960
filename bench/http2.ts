import { openPool } from '../src/platform/http2/pool.ts'
import type { Batch, Http2Pool } from '../src/platform/http2/types.ts'
import { makeCa } from '../test/support/certificates.ts'
import { openNodePool } from '../test/support/node-http2-client.ts'
import { type Load, runH2load, startPeer } from './support/http2-peer.ts'
import { percentile, type Result, table } from './support/result.ts'

/**
 * Compares our HTTP/2 client with h2load, a client in C, and with Node's, in one run with one peer: one TLS connection on
 * loopback, 175-byte bodies, headers as APNs requires them. The rounds take turns, and each row is a median.
 */

const BODY = Buffer.alloc(175, '{"aps":{"alert":"hello"}}')
const HEADERS = {
  authorization: `bearer ${'eyJhbGciOiJFUzI1NiJ9.'.repeat(10)}`,
  'apns-topic': 'com.example.app',
  'apns-push-type': 'alert',
  'apns-priority': '10',
}
const AT_ONCE = 1000
const ROUNDS = 5
const COUNT = 60_000
/** Node's client takes ten times as long. */
const COUNT_OF_NODE = 10_000

type Send = (pool: Http2Pool, count: number) => Promise<void>

/**
 * Measures requests per second of the clients, and the processor time that each spends per request. Other work on the
 * machine affects the processor time least. Against h2load if it is installed, otherwise against Node's client.
 */
export async function benchHttp2(): Promise<Result[]> {
  const ca = makeCa()
  const peer = await startPeer(ca.issue({ cn: 'localhost' }), AT_ONCE)
  const origin = `https://localhost:${peer.port}`
  const options = { origin, ca: [ca.certPem], maxSessions: 1 }
  const own = openPool(options)
  const node = openNodePool(options)
  const loads = { h2load: [] as Load[], batch: [] as Load[], promises: [] as Load[], node: [] as Load[] }
  const request = { headers: HEADERS, body: BODY, streams: AT_ONCE, count: COUNT }
  try {
    // Compiles the code.
    for (const send of [sendBatch, sendPromises]) await send(own, COUNT)
    await sendPromises(node, COUNT_OF_NODE)
    for (let round = 0; round < ROUNDS; round++) {
      const load = runH2load(`${origin}${pathOf(round)}`, request)
      if (load) loads.h2load.push(load)
      loads.batch.push(await measured(() => sendBatch(own, COUNT), COUNT))
      loads.promises.push(await measured(() => sendPromises(own, COUNT), COUNT))
      loads.node.push(await measured(() => sendPromises(node, COUNT_OF_NODE), COUNT_OF_NODE))
    }
  } finally {
    await Promise.all([own.close(), node.close()])
    await peer.stop()
  }
  const [name, baseline] = loads.h2load.length > 0 ? ['h2load', loads.h2load] : ['node:http2', loads.node]
  const note = `against ${peer.name}, median of ${ROUNDS} rounds`
  const row = (what: string, of: keyof Load, runs: readonly Load[]): Result => ({
    name: `http2 ${what}`,
    value: median(runs, of),
    unit: of === 'rate' ? 'requests/s' : 'us/request',
    against: { name, value: median(baseline, of) },
    note: `${note}, ${spread(runs, of)}`,
  })
  return [
    row('own client', 'rate', loads.batch),
    row('own client, a promise each', 'rate', loads.promises),
    row('node:http2', 'rate', loads.node),
    row('own client CPU', 'cpu', loads.batch),
    row('own client CPU, a promise each', 'cpu', loads.promises),
    row('node:http2 CPU', 'cpu', loads.node),
  ]
}

/** nghttpd serves one empty file. The token is in the query, so that each path is new to the header table. */
const pathOf = (number: number) => `/push?${number.toString(16).padStart(64, '0')}`

/** As a page is sent: by index. */
const sendBatch: Send = (pool, count) => {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let left = count
  const batch: Batch = {
    headers: () => HEADERS,
    path: pathOf,
    writeBody(_, out) {
      out.reserve(BODY.length)
      out.copy(BODY)
    },
    accepted: () => void (--left === 0 && resolve()),
    replied: (_, { status }) => reject(new Error(`the answer is ${status}`)),
    failed: (_, error) => reject(error),
  }
  for (let i = 0; i < count; i++) pool.send(batch, i)
  return promise
}

/** As single requests are sent: each with a promise, so many at a time as there are streams. */
const sendPromises: Send = async (pool, count) => {
  let left = count
  const worker = async () => {
    while (left-- > 0) await pool.request({ path: pathOf(left), headers: HEADERS, body: BODY })
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

async function measured(send: () => Promise<void>, count: number): Promise<Load> {
  const before = process.cpuUsage()
  const began = performance.now()
  await send()
  const ms = performance.now() - began
  const { user, system } = process.cpuUsage(before)
  return { rate: (count / ms) * 1000, cpu: (user + system) / count }
}

const valuesOf = (runs: readonly Load[], of: keyof Load) => runs.map((run) => run[of])
const median = (runs: readonly Load[], of: keyof Load) => percentile(valuesOf(runs, of), 0.5)

/** The least and the most of the rounds. */
function spread(runs: readonly Load[], of: keyof Load): string {
  const values = valuesOf(runs, of).map((value) => (value >= 100 ? Math.round(value) : Number(value.toFixed(2))))
  return `${Math.min(...values)} to ${Math.max(...values)}`
}

if (import.meta.main) console.log(table(await benchHttp2()))
