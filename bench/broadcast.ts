import { setTimeout as sleep } from 'node:timers/promises'
import type { PushRecipient } from '../src/domain/gateways/gateway.ts'
import { findProgram, lacks } from '../test/support/needs.ts'
import { makeDataDirectory } from './support/audience.ts'
import { openDatabase } from './support/database.ts'
import { type Executable, openExecutable, start } from './support/executable.ts'
import { steadyCalls } from './support/http.ts'
import { attributesOf, broadcast, openSender } from './support/push.ts'
import { RECEIVED, type Received, type Receiver, startReceiver } from './support/receivers.ts'
import { percentile, type Result } from './support/result.ts'

export interface BroadcastOptions {
  /** Number of installs that get each broadcast. */
  installs: number
  /** The platforms of the devices; `android` when absent. */
  platforms?: string | undefined
  /** Values of `workers.deliver`. */
  threads: readonly number[]
  executable?: string | undefined
  /** `sqlite` or `postgres`. Default: `sqlite`. */
  database?: string
  /** Options of Node, such as `--cpu-prof`. */
  nodeFlags?: string[]
}

/** Requests in flight of the bare sender: what FCM's connections take. */
const WINDOW = 1000
const CALL_EVERY_MS = 20
const LOOK_MS = 5
const IDLE_MS = 1500
/** The time (ms) that a server gets after its start: its threads start, too. */
const START_MS = 2000
/** Each push to a browser is encrypted by itself, which takes twenty times as long as to send one. */
const MAX_BROWSERS = 20_000

/**
 * Measures two broadcasts against a receiver written in C: the first one on a server that has just started, the second
 * one on a server that has sent. The baseline is our sender alone in the same run. Nothing counts what the receiver gets: that
 * everyone gets it exactly once is checked by the bench `send`.
 */
export async function benchBroadcast(options: BroadcastOptions): Promise<Result[]> {
  if (findProgram('nghttpd') === undefined) throw new Error(lacks('nghttpd'))
  // The options with which the executable starts.
  const { installs, threads, executable, database = 'sqlite', nodeFlags = ['--max-semi-space-size=4'] } = options
  const program = await openExecutable(executable, nodeFlags)
  const results: Result[] = []
  for (const platform of platformsOf(options.platforms)) {
    const most = platform === 'web' ? Math.min(installs, MAX_BROWSERS) : installs
    const name = `broadcast${database === 'sqlite' ? '' : ` ${database}`}${platform === 'android' ? '' : ` ${platform}`}`
    const receiver = await startReceiver[platform]()
    try {
      const bare = await measureBareSender(platform, receiver, Math.min(most, 200_000))
      const note = `CPU ${bare.cpu.toFixed(1)} us/push`
      results.push({ name: `${name} bare sender`, value: bare.rate, unit: 'pushes/s', note })
      for (const count of threads) {
        results.push(...(await measureServer({ program, platform, receiver, bare, name, database }, most, count)))
      }
    } finally {
      await receiver.stop()
    }
  }
  return results
}

function platformsOf(names = 'android'): Received[] {
  return names.split(',').map((name) => {
    const known = RECEIVED.find((one) => one === name)
    if (known) return known
    throw new Error(`--platform ${name}: the bench broadcast knows ${RECEIVED.join(', ')}`)
  })
}

interface Bare {
  rate: number
  /** CPU (µs) per push. */
  cpu: number
}

/** Our sender alone: same payload, no database. */
async function measureBareSender(platform: Received, receiver: Receiver, count: number): Promise<Bare> {
  const { sender, prepared } = await openSender(platform, receiver.block, receiver.settings)
  const recipients = Array.from({ length: count }, (_, i): PushRecipient => receiver.recipientOf(i))
  const sendAll = (from: number, to: number) =>
    new Promise<void>((resolve, reject) => {
      let next = Math.min(to, from + WINDOW)
      let open = to - from
      const batch = WINDOW / 4
      let gathered = 0
      const done = (_: number, { kind }: { kind: string }) => {
        if (kind !== 'accepted') reject(new Error(`the bare sender got ${kind}`))
        if (--open === 0) resolve()
        // Like a delivery, it sends on by the hundreds.
        if (++gathered < batch || next >= to) return
        const end = Math.min(to, next + gathered)
        gathered = 0
        sender.sendAll(prepared, recipients, next, end, done)
        next = end
      }
      sender.sendAll(prepared, recipients, from, next, done)
    })
  await sendAll(0, Math.min(count, 10_000))
  const before = process.cpuUsage()
  const began = performance.now()
  await sendAll(0, count)
  const rate = (count / (performance.now() - began)) * 1000
  const { user, system } = process.cpuUsage(before)
  await sender.close()
  return { rate, cpu: (user + system) / count }
}

async function measureServer(
  {
    program,
    platform,
    receiver,
    bare,
    name: kind,
    database,
  }: { program: Executable; platform: Received; receiver: Receiver; bare: Bare; name: string; database: string },
  installs: number,
  threads: number,
): Promise<Result[]> {
  const { block, fill } = receiver
  const db = await openDatabase(database)
  const data = await makeDataDirectory({
    installs,
    database: db.url,
    blocks: { [platform]: block },
    ...(fill && { fill }),
  })
  // Measures what the machine can do, without the slow start that a vendor asks for.
  const environment = {
    ...data.environment,
    ...receiver.environment,
    APPSVC_DELIVERY_RAMP: '0',
    APPSVC_WORKERS_DELIVER: String(threads),
  }
  const server = await start<{ listening: string }>(
    program,
    ['serve', '--port', '0', '--data-dir', data.dir],
    environment,
  )
  try {
    const address = server.ready.listening
    const door = { address, credentials: data.serverKey }
    const idleRss = server.peakRss()
    await sleep(START_MS)
    const cold = await watchBroadcast(address, data.serverKey)
    await cold.finished
    const idle = await steadyCalls({ ...door, everyMs: CALL_EVERY_MS, until: sleep(IDLE_MS), request: attributesOf })

    const cpuBefore = server.cpuMs()
    const warm = await watchBroadcast(address, data.serverKey)
    const busy = steadyCalls({ ...door, everyMs: CALL_EVERY_MS, until: warm.finished, request: attributesOf })
    const seconds = await warm.finished
    const times = await busy
    const cpu = server.cpuMs() - cpuBefore
    const name = `${kind}, ${threads} ${threads === 1 ? 'thread' : 'threads'}`
    const against = { name: 'bare sender', value: bare.rate }
    const api = (percent: number): Result => ({
      name: `${name}, API p${percent}`,
      value: percentile(times, percent / 100),
      unit: 'ms',
      against: { name: 'idle', value: percentile(idle, percent / 100) },
      note: `${times.length} calls`,
    })
    return [
      { name, value: installs / seconds, unit: 'pushes/s', against, note: `${installs} in ${seconds.toFixed(2)} s` },
      {
        name: `${name}, cold`,
        value: installs / (await cold.finished),
        unit: 'pushes/s',
        against,
      },
      {
        name: `${name}, CPU`,
        value: (cpu * 1000) / installs,
        unit: 'us/push',
        against: { name: 'bare sender', value: bare.cpu },
        note: 'all of the server, API calls included',
      },
      { name: `${name}, first accepted, cold`, value: await cold.first, unit: 'ms' },
      { name: `${name}, first accepted, warm`, value: await warm.first, unit: 'ms' },
      {
        name: `${name}, peak memory`,
        value: server.peakRss(),
        unit: 'MB',
        against: { name: 'at start', value: idleRss },
      },
      api(50),
      api(99),
    ]
  } finally {
    await server.stop()
    data.remove()
    await db.drop()
  }
}

export interface Sent {
  id: number
  /** The time (ms after the request) at which the report showed the first acceptance. */
  first: Promise<number>
  /** The time (s after the request) at which it was finished. */
  finished: Promise<number>
}

/** Asks for a broadcast, and looks at its report until it is over. */
export async function watchBroadcast(address: string, credentials: string, body?: object): Promise<Sent> {
  const authorization = `Basic ${btoa(credentials)}`
  const began = performance.now()
  const id = await broadcast(address, credentials, body)
  const first = Promise.withResolvers<number>()
  const finished = async () => {
    let seen = false
    for (;;) {
      const answer = await fetch(`${address}/messages/v2/notifications/${id}`, {
        headers: { authorization },
      })
      const { counts, status } = (await answer.json()) as { counts: { accepted: number }; status: number }
      if (!seen && counts.accepted > 0) {
        seen = true
        first.resolve(performance.now() - began)
      }
      if (status === 3) return (performance.now() - began) / 1000
      await sleep(seen ? 4 * LOOK_MS : LOOK_MS)
    }
  }
  return { id, first: first.promise, finished: finished() }
}
