import { loadConfig } from '../src/config.ts'
import { openProgram } from '../src/open.ts'
import { findProgram } from '../test/support/needs.ts'
import { openPgBouncer } from '../test/support/pgbouncer.ts'
import { makeDataDirectory } from './support/audience.ts'
import { openDatabase } from './support/database.ts'
import { databaseMs, postmasterOf, statOf } from './support/database-time.ts'
import { type Executable, openExecutable, start } from './support/executable.ts'
import { startFcmReceiver } from './support/fcm-receiver.ts'
import { load } from './support/http.ts'
import { broadcast } from './support/push.ts'
import type { Result } from './support/result.ts'
import { uploadOf } from './support/server-load.ts'

export interface NodesOptions {
  /** Number of installs, which upload in turn and get each broadcast. */
  installs: number
  connections: number
  /** Duration of the uploads (ms). */
  ms: number
  /** Numbers of processes. */
  processes: readonly number[]
}

const WARM_UP_MS = 1000
const TURNS = 100
const PAGE = 1000
const LOOK_MS = 20

/**
 * Measures the cost of nodes on one PostgreSQL, the processor time of the database apart from that of the nodes: a claim, a sign of life,
 * an upload through 1, 2 and 4 `serve --no-workers`, and a page of a broadcast by as many `worker`. The client runs beside them.
 * Where PgBouncer is installed, one process also works through it, in transaction mode.
 */
export async function benchNodes({ installs, connections, ms, processes }: NodesOptions): Promise<Result[]> {
  const program = await openExecutable()
  const receiver = await startFcmReceiver()
  const db = await openDatabase('postgres')
  const data = await makeDataDirectory({
    installs,
    database: db.url,
    blocks: { android: { serviceAccount: receiver.serviceAccount } },
  })
  const environment = {
    ...data.environment,
    ...receiver.environment,
    APPSVC_DELIVERY_RAMP: '0',
    APPSVC_WORKERS_DELIVER: '1',
    APPSVC_LIMITS_NEW_PER_ADDRESS: '0',
  }
  const postmaster = await postmasterOf(db.url!)
  const bench: Bench = {
    program,
    environment,
    dir: data.dir,
    key: data.serverKey,
    device: data.deviceKey,
    postmaster,
    installs,
  }
  try {
    const results = await statementCosts(bench)
    for (const count of processes) results.push(await measureUploads(bench, count, { connections, ms }))
    for (const count of processes) results.push(await measurePages(bench, count))
    if (findProgram('pgbouncer')) results.push(...(await measurePooled(bench, db.url!, { connections, ms })))
    return results
  } finally {
    data.remove()
    await db.drop()
    await receiver.stop()
  }
}

interface Bench {
  program: Executable
  environment: Record<string, string>
  dir: string
  /** Credentials of the server key and of the device key. */
  key: string
  device: string
  /** The process of the database server of which all others are children. */
  postmaster: number
  /** The process of PgBouncer. */
  pooler?: number
  installs: number
}

/** Uploads and pages of one process through PgBouncer. */
async function measurePooled(bench: Bench, url: string, load: { connections: number; ms: number }): Promise<Result[]> {
  const bouncer = await openPgBouncer(url, { size: 20, robin: false })
  const environment = {
    ...bench.environment,
    APPSVC_DATABASE_URL: bouncer.urlOf(url),
    APPSVC_DATABASE_POOLER: 'transaction',
  }
  const pooled = { ...bench, environment, pooler: bouncer.pid }
  try {
    return [await measureUploads(pooled, 1, load), await measurePages(pooled, 1)]
  } finally {
    await bouncer.close()
  }
}

/** A claim with its return to the queue, and a sign of life, one after another in this process. */
async function statementCosts({ environment, dir, postmaster }: Bench): Promise<Result[]> {
  const { config } = await loadConfig({ environment, flags: { dataDir: dir } })
  const program = openProgram({ config })
  const facts = {
    id: 'bench',
    host: 'h',
    pid: 1,
    version: '1',
    schemaStep: '1',
    keyPrint: 'k',
    roles: ['http' as const],
  }
  const cost = async (name: string, work: (i: number) => Promise<unknown>): Promise<Result> => {
    for (let i = 0; i < 20; i++) await work(i)
    const before = databaseMs(postmaster)
    const own = process.cpuUsage()
    const began = performance.now()
    for (let i = 0; i < TURNS; i++) await work(i)
    const value = (performance.now() - began) / TURNS
    const { user, system } = process.cpuUsage(own)
    const ofDatabase = ((databaseMs(postmaster) - before) / TURNS) * 1000
    return { name, value, unit: 'ms', note: cpuNote(ofDatabase, (user + system) / TURNS) }
  }
  try {
    await program.inTransaction((tx) => tx.nodes.enter(facts, 0))
    const lane = await fillQueue(program)
    const results = [
      await cost('nodes, bare transaction (SELECT 1)', () => program.kernel.db.write((trx) => trx.raw('SELECT 1'))),
      await cost('nodes, claim and return of a page', async () => {
        const claim = await program.inTransaction((tx) => tx.queue.claim(lane, 'bench', Date.now(), 30_000))
        await program.inTransaction((tx) => tx.queue.retry(claim!, undefined))
      }),
      await cost('nodes, sign of life', async () => {
        await program.checkSchema()
        await program.instance.readIfThere()
        await program.inTransaction((tx) => tx.nodes.beat('bench', 0))
        await program.nodes.list({ lately: true })
      }),
    ]
    await program.kernel.db.write(async (trx) => {
      await trx('pages').delete()
      await trx('notifications').delete()
      await trx('nodes').delete()
    })
    return results
  } finally {
    await program.close()
  }
}

/** A thousand queued pages; returns their lane. */
async function fillQueue(program: ReturnType<typeof openProgram>): Promise<number> {
  return program.kernel.db.write(async (trx) => {
    const { id: appId } = (await trx('apps').first('id')) as { id: number }
    const at = Date.now()
    const isOld = { app_id: appId, created_at: at, updated_at: at }
    const [lane] = (await trx('lanes').insert({ app_id: appId, platform: 1, updated_at: at }).returning('id')) as {
      id: number
    }[]
    const [notification] = (await trx('notifications')
      .insert({
        ...isOld,
        source: 1,
        status: 1,
        filters: '{}',
        target: '{}',
        content: '{}',
        expires_at: at + 3_600_000,
      })
      .returning('id')) as { id: number }[]
    const page = {
      ...isOld,
      notification_id: notification!.id,
      lane_id: lane!.id,
      state: 'queued',
      not_before: at,
      first_install: 1,
      last_install: 1,
      recipients: Buffer.alloc(8),
      outcomes: Buffer.alloc(1),
      total: 1,
    }
    for (let i = 0; i < 10; i++) await trx('pages').insert(Array.from({ length: 100 }, () => page))
    return lane!.id
  })
}

const cpuNote = (database: number, nodes: number, pooler?: number) =>
  `CPU: database ${Math.round(database)} us, nodes ${Math.round(nodes)} us${pooler === undefined ? '' : `, PgBouncer ${Math.round(pooler)} us`}`

/** Processor time (ms) of PgBouncer. */
function poolerMs(pid: number): number {
  const stat = statOf(pid)
  return (Number(stat[11]) + Number(stat[12])) * 10
}

/** The processor times (ms) of a bench so far. */
function timesOf({ postmaster, pooler }: Bench, nodes: readonly { cpuMs(): number }[]) {
  return {
    database: databaseMs(postmaster),
    nodes: cpuOf(nodes),
    pooler: pooler === undefined ? undefined : poolerMs(pooler),
  }
}

/** The note of what was done `count` times since `before`. */
function noteSince(
  before: ReturnType<typeof timesOf>,
  bench: Bench,
  nodes: readonly { cpuMs(): number }[],
  count: number,
): string {
  const now = timesOf(bench, nodes)
  const each = (from: number, to: number) => ((to - from) / count) * 1000
  const pooler = before.pooler === undefined ? undefined : each(before.pooler, now.pooler!)
  return cpuNote(each(before.database, now.database), each(before.nodes, now.nodes), pooler)
}

async function measureUploads(
  bench: Bench,
  count: number,
  { connections, ms }: { connections: number; ms: number },
): Promise<Result> {
  const { program, environment, dir, device, installs } = bench
  const argv = ['serve', '--no-workers', '--port', '0', '--data-dir', dir]
  const servers = await Promise.all(
    Array.from({ length: count }, () => start<{ listening: string }>(program, argv, environment)),
  )
  try {
    const request = (number: number) =>
      uploadOf(`install-${1 + (number % installs)}`, [{ type: 'bench', data: { number } }])
    const run = (duration: number) =>
      Promise.all(
        servers.map(({ ready }) =>
          load({
            address: ready.listening,
            credentials: device,
            connections: Math.ceil(connections / count),
            request,
            ms: duration,
          }),
        ),
      )
    await run(WARM_UP_MS)
    const before = timesOf(bench, servers)
    const loads = await run(ms)
    const calls = loads.reduce((sum, { times }) => sum + times.length, 0)
    const value = loads.reduce((sum, { rate }) => sum + rate, 0)
    const note = noteSince(before, bench, servers, calls)
    return { name: `nodes, uploads, ${plural(count)}${viaOf(bench)}`, value, unit: 'calls/s', note }
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}

async function measurePages(bench: Bench, count: number): Promise<Result> {
  const { program, environment, dir, key, installs } = bench
  const at = ['--data-dir', dir]
  const door = await start<{ listening: string }>(program, ['serve', '--no-workers', '--port', '0', ...at], environment)
  const workers = await Promise.all(Array.from({ length: count }, () => start(program, ['worker', ...at], environment)))
  try {
    await finished(door.ready.listening, key, await broadcast(door.ready.listening, key))
    const before = timesOf(bench, workers)
    const began = performance.now()
    await finished(door.ready.listening, key, await broadcast(door.ready.listening, key))
    const value = (installs / (performance.now() - began)) * 1000
    const pages = installs / PAGE
    const note = `${noteSince(before, bench, workers, pages)} a page`
    return { name: `nodes, pages, ${plural(count)}${viaOf(bench)}`, value, unit: 'pushes/s', note }
  } finally {
    await Promise.all([door, ...workers].map((one) => one.stop()))
  }
}

const viaOf = ({ pooler }: Bench) => (pooler === undefined ? '' : ', PgBouncer')
const plural = (count: number) => (count === 1 ? '1 process' : `${count} processes`)
const cpuOf = (some: readonly { cpuMs(): number }[]) => some.reduce((sum, one) => sum + one.cpuMs(), 0)

async function finished(address: string, credentials: string, id: number): Promise<void> {
  for (;;) {
    const response = await fetch(`${address}/messages/v2/notifications/${id}`, {
      headers: { authorization: `Basic ${btoa(credentials)}` },
    })
    if (((await response.json()) as { status: number }).status > 2) return
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}
