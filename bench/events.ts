import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Sql } from '../src/platform/db/connect.ts'
import { makeCa } from '../test/support/certificates.ts'
import { type DataDirectory, makeDataDirectory } from './support/audience.ts'
import { openDatabase } from './support/database.ts'
import type { ReadersData, ReadersOrder, ReadersTold } from './support/event-readers.ts'
import { openFollowedExecutable, type Running, start } from './support/executable.ts'
import { steadyCalls } from './support/http.ts'
import { medianOf, percentile, type Result, spreadOf } from './support/result.ts'
import { uploadOf } from './support/server-load.ts'

export interface EventsOptions {
  /** Number of installs, which upload in turn. */
  installs: number
  /** Events per second that are offered, whatever the server does. */
  rate: number
  /** Duration of each part of a round (ms). */
  ms: number
  /** `sqlite` or `postgres`. */
  database: string
}

/** Events of an upload. */
const BATCH = 10
const ROUNDS = 5
/** Times that are not counted: at the start for compiling, and after readers came or went. */
const WARM_UP_MS = 3000
const SETTLE_MS = 1000
/** The time (ms) between two readings of `/metrics`, with and without readers. */
const SCRAPE_MS = 1000
const WEBHOOK_BATCH = { max: 500, waitMs: 1000 }

/** Measurements while uploads went in. */
interface Part {
  p50: number
  p99: number
  /** Events per second that were stored; less than offered when the server, or this machine, did not keep up. */
  stored: number
  /** Processor time of the server for each event (us). */
  cpu: number
  /** The lags at each look (s). */
  followers: number[]
  webhook: number[]
  told: ReadersTold | undefined
}

/**
 * Measures the cost of readers of the event log for its writers. Uploads of ten events come at a fixed rate, whether the server
 * keeps up or not, and each is timed from when it was due. In every round nobody reads for a while, and then two followers that
 * keep counts, a webhook with batches and a reader that waits for NDJSON. The lags are those that `/metrics` shows.
 */
export async function benchEvents({ installs, rate, ms, database }: EventsOptions): Promise<Result[]> {
  const program = await openFollowedExecutable()
  const db = await openDatabase(database)
  const data = await makeDataDirectory({ installs, database: db.url, fill: (trx) => makeCounts(trx) })
  const names = join(data.dir, 'followers')
  const caFile = join(data.dir, 'bench-ca.pem')
  const ca = makeCa()
  writeFileSync(names, '')
  writeFileSync(caFile, ca.certPem)
  const environment = {
    ...data.environment,
    BENCH_FOLLOWERS: names,
    APPSVC_LIMITS_NEW_PER_ADDRESS: '0',
    APPSVC_OUTBOUND_ALLOW_PRIVATE: 'true',
    APPSVC_GATEWAYS_CA_FILE: caFile,
  }
  try {
    const argv = ['serve', '--port', '0', '--data-dir', data.dir]
    const server = await start<{ listening: string }>(program, argv, environment)
    const workerData: ReadersData = {
      address: server.ready.listening,
      credentials: data.serverKey,
      certificate: ca.issue({ cn: 'localhost' }),
    }
    const readers = new Worker(join(import.meta.dirname, 'support/event-readers.ts'), { workerData })
    try {
      const [port] = (await once(readers, 'message')) as [number]
      const bench: Bench = { server, data, readers, names, endpoint: `https://localhost:${port}/hook`, installs, rate }
      await measure(bench, WARM_UP_MS)
      const quiet: Part[] = []
      const read: Part[] = []
      for (let round = 0; round < ROUNDS; round++) {
        quiet.push(await measure(bench, ms))
        read.push(await whileRead(bench, ms, round))
      }
      return rowsOf(`events ${database}, ${rate} events/s`, quiet, read)
    } finally {
      await readers.terminate()
      await server.stop()
    }
  } finally {
    data.remove()
    await db.drop()
  }
}

interface Bench {
  server: Running<{ listening: string }>
  data: DataDirectory
  readers: Worker
  /** The file with the names of the followers that follow. */
  names: string
  endpoint: string
  installs: number
  rate: number
}

async function makeCounts(trx: Sql): Promise<void> {
  await trx.schema.createTable('bench_counts', (table) => {
    table.text('follower').notNullable()
    table.integer('app_id').notNullable()
    table.text('type').notNullable()
    table.bigInteger('hour').notNullable()
    table.bigInteger('count').notNullable()
    table.primary(['follower', 'app_id', 'type', 'hour'])
  })
}

/** Lets all readers read from now on, and measures when they have come to an even pace. */
async function whileRead(bench: Bench, ms: number, round: number): Promise<Part> {
  const { data, readers, names, endpoint } = bench
  const webhook = await call<{ id: number }>(bench, 'POST', '/messages/v1/webhooks', {
    url: endpoint,
    batch: WEBHOOK_BATCH,
  })
  const followers = ['first', 'second'].map((name) => `bench:${round}:${name}`)
  writeFileSync(names, followers.join('\n'))
  const order: ReadersOrder = { begin: await endOfLog(bench) }
  readers.postMessage(order)
  const lags = { followers, webhook: webhook.id }
  try {
    const part = await measure(bench, ms, lags)
    readers.postMessage('end' satisfies ReadersOrder)
    const [told] = (await once(readers, 'message')) as [ReadersTold]
    if (told.hooked === 0 || told.read === 0) throw new Error(`readers got nothing: ${JSON.stringify(told)}`)
    return { ...part, told }
  } finally {
    writeFileSync(names, '')
    await call(bench, 'DELETE', `/messages/v1/webhooks/${webhook.id}`)
    await sleep(data.environment.APPSVC_DATABASE_URL === undefined ? 0 : SETTLE_MS)
  }
}

/** Uploads at the rate for `SETTLE_MS` and then for `ms`, which count. */
async function measure(bench: Bench, ms: number, lags?: { followers: string[]; webhook: number }): Promise<Part> {
  const { server, data, installs, rate } = bench
  const upload = (until: Promise<unknown>) =>
    steadyCalls({
      address: server.ready.listening,
      credentials: data.deviceKey,
      everyMs: (1000 * BATCH) / rate,
      until,
      request: (number) => uploadOf(`install-${1 + (number % installs)}`, eventsOf(number)),
    })
  await upload(sleep(SETTLE_MS))
  const before = server.cpuMs()
  const began = performance.now()
  const scrapes: string[] = []
  const times = await upload(scrapeFor(bench, ms, scrapes))
  const cpuMs = server.cpuMs() - before
  const tookMs = performance.now() - began
  const lagsOf = (name: string, label: string) =>
    scrapes.flatMap((text) =>
      [...text.matchAll(new RegExp(`^${name}\\{[^}]*${label}[^}]*\\} (\\S+)$`, 'gm'))].map(([, lag]) => Number(lag)),
    )
  return {
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    stored: (times.length * BATCH * 1000) / tookMs,
    cpu: (cpuMs * 1000) / (times.length * BATCH),
    followers: lags ? lags.followers.flatMap((name) => lagsOf('appsvc_follower_lag_seconds', `name="${name}"`)) : [],
    webhook: lags ? lagsOf('appsvc_webhook_lag_seconds', `webhook="${lags.webhook}"`) : [],
    told: undefined,
  }
}

const eventsOf = (number: number) =>
  Array.from({ length: BATCH }, (_, i) => ({
    type: 'shop.viewed',
    data: { product: number + i, price: 12.5, shelf: 'bread' },
  }))

async function scrapeFor({ server }: Bench, ms: number, scrapes: string[]): Promise<void> {
  for (const end = performance.now() + ms; performance.now() < end; ) {
    await sleep(Math.max(0, Math.min(SCRAPE_MS, end - performance.now())))
    const response = await fetch(`${server.ready.listening}/metrics`)
    if (response.status !== 200) throw new Error(`/metrics got ${response.status}`)
    scrapes.push(await response.text())
  }
}

/** The cursor of the last event. */
async function endOfLog(bench: Bench): Promise<string | undefined> {
  let after: string | undefined
  for (;;) {
    const query = `limit=1000${after === undefined ? '' : `&after=${after}`}`
    const { events, next } = await call<{ events: unknown[]; next: string }>(
      bench,
      'GET',
      `/messages/v1/events?${query}`,
    )
    after = next
    if (events.length === 0) return after
  }
}

async function call<T>({ server, data }: Bench, method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${server.ready.listening}${path}`, {
    method,
    headers: { authorization: `Basic ${btoa(data.serverKey)}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} got ${response.status}: ${text}`)
  return (text === '' ? undefined : JSON.parse(text)) as T
}

/** Medians of the rounds; those with readers against those without. */
function rowsOf(name: string, quiet: readonly Part[], read: readonly Part[]): Result[] {
  const row = (what: string, unit: string, parts: readonly Part[], of: (part: Part) => number): Result => {
    const values = parts.map(of)
    return { name: `${name}: ${what}`, value: medianOf(values), unit, spread: spreadOf(values) }
  }
  const both = (what: string, unit: string, of: (part: Part) => number): Result[] => {
    const ratios = read.map((part, round) => of(part) / of(quiet[round]!))
    const value = medianOf(quiet.map(of))
    return [
      row(`${what}, nobody reads`, unit, quiet, of),
      {
        ...row(`${what}, all read`, unit, read, of),
        against: { name: 'nobody reads', value },
        ratio: { value: medianOf(ratios), ...spreadOf(ratios) },
      },
    ]
  }
  const told = read.map((part) => part.told!)
  const sum = (of: (one: ReadersTold) => number) => told.reduce((all, one) => all + of(one), 0)
  const lag = (what: string, of: (part: Part) => number[]): Result[] => [
    row(`lag of ${what}, median of /metrics`, 's', read, (part) => medianOf(of(part))),
    row(`lag of ${what}, longest`, 's', read, (part) => Math.max(...of(part))),
  ]
  const hooked = `${sum(({ hooked }) => hooked)} events in ${sum(({ requests }) => requests)} requests`
  const lags = [
    ...lag('two followers', (part) => part.followers),
    ...lag('the webhook', (part) => part.webhook).map((one) => ({ ...one, note: hooked })),
    row('age of the last event that the reader got, median', 'ms', read, (part) => part.told!.ageP50),
    row('age of the last event that the reader got, p99', 'ms', read, (part) => part.told!.ageP99),
  ]
  return [
    ...both('upload p50', 'ms', (part) => part.p50),
    ...both('upload p99', 'ms', (part) => part.p99),
    ...both('stored', 'events/s', (part) => part.stored),
    ...both('CPU of the server', 'us/event', (part) => part.cpu),
    ...lags,
  ]
}
