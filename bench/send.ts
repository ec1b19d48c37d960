import { setTimeout as sleep } from 'node:timers/promises'
import { type DataDirectory, makeDataDirectory, tokenOf } from './support/audience.ts'
import { type Executable, openExecutable, type Running, start } from './support/executable.ts'
import { load, type Request, steadyCalls } from './support/http.ts'
import { attributesOf, broadcast, openSender } from './support/push.ts'
import { percentile, type Result } from './support/result.ts'

export interface SendOptions {
  /** Number of installs that get the broadcast. */
  installs: number
  /** Path of a packaged executable that runs the server. */
  executable?: string | undefined
}

interface SandboxReady {
  urls: { http: string; fcm: string; fcmToken: string }
  environment: Record<string, string>
}

interface Reported {
  counts: { audience: number; pending: number; accepted: number }
}

/** Requests in flight of the bare sender: as many as a delivery thread has while its chunks are the smallest. */
const WINDOW = 400
const IDLE_MS = 3000
const CALL_EVERY_MS = 20

/**
 * Measures a broadcast on SQLite, requested over HTTP. The sandbox gateways run in one process, the server with its workers in
 * another. Reports the rate compared with the bare sender, the memory of the server, and the latency of API calls during the
 * broadcast. Throws when a device got it twice or not at all.
 */
export async function benchSend({ installs, executable }: SendOptions): Promise<Result[]> {
  // The options with which the executable starts. Otherwise the young generation of the main thread alone grows to 64 MB.
  const program = await openExecutable(executable, ['--max-semi-space-size=4'])
  // The memory of this process is not measured, but its pauses affect the results, so they must be short.
  const sandboxProgram = await openExecutable(undefined, ['--max-semi-space-size=4'])
  const sandboxDir = await makeDataDirectory({ installs: 0 })
  const sandbox = await start<SandboxReady>(sandboxProgram, ['sandbox', '--keep', '0', '--dir', sandboxDir.dir])
  try {
    const { serviceAccount } = (await getJson(`${sandbox.ready.urls.http}/credentials`)) as { serviceAccount: unknown }
    const bare = await measureBareSender(sandbox.ready, serviceAccount, Math.min(installs, 100_000))
    await fetch(`${sandbox.ready.urls.http}/messages`, { method: 'DELETE' })
    const data = await makeDataDirectory({ installs, blocks: { android: { serviceAccount } } })
    try {
      return await measureServer({ program, sandbox, data, installs, bare })
    } finally {
      data.remove()
    }
  } finally {
    await sandbox.stop()
    sandboxDir.remove()
  }
}

/** Pushes per second of our FCM client alone: same pool, same payload, no database. */
async function measureBareSender(sandbox: SandboxReady, serviceAccount: unknown, count: number): Promise<number> {
  const ca = [await (await fetch(`${sandbox.urls.http}/ca.pem`)).text()]
  const settings = { fcmUrl: sandbox.urls.fcm, fcmTokenUrl: sandbox.urls.fcmToken, allowPrivate: false, ca }
  const { sender, prepared } = await openSender('android', { serviceAccount }, settings)
  let left = count
  const sendOn = async () => {
    while (left-- > 0) {
      const outcome = await sender.send(prepared, { token: tokenOf(left) })
      if (outcome.kind !== 'accepted') throw new Error(`the bare sender got ${JSON.stringify(outcome)}`)
    }
  }
  const began = performance.now()
  await Promise.all(Array.from({ length: WINDOW }, sendOn))
  const rate = (count / (performance.now() - began)) * 1000
  await sender.close()
  return rate
}

interface ServerParts {
  program: Executable
  sandbox: Running<SandboxReady>
  data: DataDirectory
  installs: number
  bare: number
}

async function measureServer({ program, sandbox, data, installs, bare }: ServerParts): Promise<Result[]> {
  const argv = ['serve', '--port', '0', '--data-dir', data.dir]
  // Measures what the machine can do, without the slow start that a vendor asks for.
  const environment = { ...sandbox.ready.environment, APPSVC_DELIVERY_RAMP: '0' }
  const server = await start<{ listening: string }>(program, argv, environment)
  try {
    const address = server.ready.listening
    const door = { address, credentials: data.serverKey }
    // Warm-up: code is compiled and caches are filled, as on a server that has run for a while.
    await load({ ...door, connections: 2, ms: 500, request: (number) => attributesOf(number) })
    const rssIdle = server.peakRss()
    const idle = await steadyCalls({ ...door, everyMs: CALL_EVERY_MS, until: sleep(IDLE_MS), request: attributesOf })

    const cpuBefore = server.cpuMs()
    const began = performance.now()
    const id = await broadcast(address, data.serverKey)
    const finished = untilFinished(address, data.serverKey, id)
    const reportOrAttributes = (number: number): Request =>
      number % 2 === 0 ? { method: 'GET', path: `/messages/v2/notifications/${id}` } : attributesOf(number)
    const busy = steadyCalls({ ...door, everyMs: CALL_EVERY_MS, until: finished, request: reportOrAttributes })
    const { counts } = await finished
    const seconds = (performance.now() - began) / 1000
    const times = await busy
    const cpu = server.cpuMs() - cpuBefore
    await checkExactlyOnce(sandbox.ready, counts, installs)

    const of = (name: string, p: number): Result => ({
      name,
      value: percentile(times, p),
      unit: 'ms',
      against: { name: 'idle', value: percentile(idle, p) },
      note: `${times.length} calls`,
    })
    return [
      {
        name: 'send throughput',
        value: installs / seconds,
        unit: 'pushes/s',
        against: { name: 'bare sender', value: bare },
        note: `${installs} installs in ${seconds.toFixed(1)} s, each exactly once`,
      },
      {
        name: 'send CPU',
        value: (cpu * 1000) / installs,
        unit: 'us/push',
        note: 'all of the server, API calls included',
      },
      { name: 'send peak memory', value: server.peakRss(), unit: 'MB', against: { name: 'idle', value: rssIdle } },
      of('send API p50', 0.5),
      of('send API p99', 0.99),
    ]
  } finally {
    await server.stop()
  }
}

async function untilFinished(address: string, credentials: string, id: number): Promise<Reported> {
  for (;;) {
    const report = (await getJson(`${address}/messages/v2/notifications/${id}`, credentials)) as Reported & {
      status: number
    }
    if (report.counts.audience > 0 && report.counts.pending === 0) return report
    await sleep(20)
  }
}

async function checkExactlyOnce(sandbox: SandboxReady, counts: Reported['counts'], installs: number): Promise<void> {
  const seen = (await getJson(`${sandbox.urls.http}/counts`)) as {
    taken: number
    deliveries: { distinct: number; repeated: number }
  }
  const wrong = { accepted: counts.accepted, taken: seen.taken, ...seen.deliveries }
  const right = { accepted: installs, taken: installs, distinct: installs, repeated: 0 }
  for (const [name, value] of Object.entries(right)) {
    if (wrong[name as keyof typeof right] !== value)
      throw new Error(`not exactly once: ${JSON.stringify(wrong)} of ${installs}`)
  }
}

async function getJson(url: string, credentials?: string): Promise<unknown> {
  const response = await fetch(url, {
    headers: credentials === undefined ? {} : { authorization: `Basic ${btoa(credentials)}` },
  })
  if (!response.ok) throw new Error(`${url} answered ${response.status}`)
  return response.json()
}
