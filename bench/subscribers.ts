import { setTimeout as sleep } from 'node:timers/promises'
import { loadConfig } from '../src/config.ts'
import { openProgram } from '../src/open.ts'
import type { Sql } from '../src/platform/db/connect.ts'
import { type DataDirectory, makeDataDirectory } from './support/audience.ts'
import { openDatabase } from './support/database.ts'
import { databaseMs, postmasterOf } from './support/database-time.ts'
import { openExecutable, start } from './support/executable.ts'
import { load, type Request, steadyCalls } from './support/http.ts'
import { percentile, type Result } from './support/result.ts'

export interface SubscribersOptions {
  /** Number of lines in the file, and of users. */
  lines: number
  executable?: string | undefined
  /** `sqlite` or `postgres`. */
  database: string
}

interface Server {
  address: string
  data: DataDirectory
}

/** One of this many lines names an unknown user. */
const UNKNOWN_EVERY = 500
/** Interval of the small writes that run meanwhile. */
const WRITE_EVERY_MS = 50
/** Load before the measurement, so that HTTP takes as much memory as on a busy server. */
const WARM_UP = { connections: 16, ms: 4000 }
const LOOK_MS = 20
/** Users that one statement creates. A million in one statement would exceed the statement timeout. */
const USERS_AT_ONCE = 100_000
const CHANNEL = 'news'

/**
 * Measures the import of a file of subscribers in random order, from its upload to its last line, and then the deletion of the channel.
 * The baseline is an INSERT ... SELECT of the same rows, without look-ups, file and batches. Small writes through the server API
 * measure how long others wait meanwhile.
 */
export async function benchSubscribers({ lines, executable, database }: SubscribersOptions): Promise<Result[]> {
  const program = await openExecutable(executable)
  const db = await openDatabase(database)
  const postmaster = db.url === undefined ? undefined : await postmasterOf(db.url)
  const databaseCpu = () => (postmaster === undefined ? 0 : databaseMs(postmaster))
  const data = await makeDataDirectory({
    installs: 0,
    database: db.url,
    fill: (trx, appId) => insertUsers(trx, appId, lines),
  })
  try {
    const bareMs = await insertBare(data)
    const running = await start<{ listening: string }>(
      program,
      ['serve', '--port', '0', '--data-dir', data.dir],
      data.environment,
    )
    try {
      const server: Server = { address: running.ready.listening, data }
      const channel = await post(
        server,
        'channels',
        JSON.stringify({ uuid: CHANNEL, name: 'News' }),
        'application/json',
      )
      const { id } = (await channel.json()) as { id: number }
      await load({ address: server.address, credentials: data.serverKey, ...WARM_UP, request: smallWrite })
      const idle = percentile(await write(server, sleep(2000)), 0.99)
      const before = running.peakRss()
      const cpuBefore = running.cpuMs()
      const databaseBefore = databaseCpu()
      const began = performance.now()
      let takenInMs = 0
      const applied = (async () => {
        await upload(server, lines)
        takenInMs = performance.now() - began
        await untilApplied(server, lines)
      })()
      const meanwhile = await write(server, applied)
      const ms = performance.now() - began
      const growth = running.peakRss() - before
      const cpu = running.cpuMs() - cpuBefore
      const ofDatabase = postmaster === undefined ? '' : `, database ${seconds(databaseCpu() - databaseBefore)}`

      const deletionBegan = performance.now()
      let deletedMs = 0
      const gone = (async () => {
        await call(server, 'DELETE', `channels/${id}`)
        deletedMs = performance.now() - deletionBegan
        // The deletion of the subscriptions continues after the response.
        await sleep(2000)
      })()
      const atDeletion = await write(server, gone)
      const waits = (times: number[]) =>
        `others wait p99 ${percentile(times, 0.99).toFixed(1)} ms, longest ${Math.max(...times).toFixed(0)} ms (idle p99 ${idle.toFixed(1)})`
      return [
        {
          name: `subscribers ${database}, ${lines} lines`,
          value: ms / 1000,
          unit: 's',
          against: { name: 'INSERT ... SELECT', value: bareMs / 1000 },
          note: `accepted after ${seconds(takenInMs)}; CPU ${seconds(cpu)}${ofDatabase}; ${waits(meanwhile)}`,
        },
        {
          name: 'subscribers memory',
          value: growth,
          unit: 'MB',
          note: `peak above the ${before.toFixed(0)} MB before`,
        },
        { name: 'subscribers deletion', value: deletedMs, unit: 'ms', note: waits(atDeletion) },
      ]
    } finally {
      await running.stop()
    }
  } finally {
    data.remove()
    await db.drop()
  }
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

async function insertUsers(trx: Sql, appId: number, count: number): Promise<void> {
  for (let from = 1; from <= count; from += USERS_AT_ONCE) {
    const to = Math.min(count, from + USERS_AT_ONCE - 1)
    await trx.raw(
      `WITH RECURSIVE n(i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${to}) INSERT INTO users
         (app_id, identifier, anonymous, listed, install_count, first_active, last_active, created_at, updated_at)
       SELECT CAST(? AS bigint), 'user-' || i, FALSE, FALSE, 0, 0, 0, 0, 0 FROM n`,
      [appId],
    )
  }
}

/** Inserts the same rows into a table with the same columns. */
async function insertBare({ dir, environment, app: { id } }: DataDirectory): Promise<number> {
  const { config } = await loadConfig({ environment, flags: { dataDir: dir } })
  const program = openProgram({ config })
  const { db } = program.kernel
  try {
    const clustered = db.kind === 'postgres' ? '' : 'WITHOUT ROWID'
    await db.write((trx) =>
      trx.raw(`CREATE TABLE bench_users (app_id bigint NOT NULL, channel_id bigint NOT NULL, user_id bigint NOT NULL,
        PRIMARY KEY (app_id, channel_id, user_id)) ${clustered}`),
    )
    await db.write((trx) => trx.raw('CREATE INDEX bench_by_user ON bench_users (user_id)'))
    const began = performance.now()
    await db.write((trx) =>
      trx.raw('INSERT INTO bench_users SELECT app_id, 1, id FROM users WHERE app_id = ? ORDER BY id', [id]),
    )
    const ms = performance.now() - began
    await db.write((trx) => trx.raw('DROP TABLE bench_users'))
    await db.checkpoint()
    return ms
  } finally {
    await program.close()
  }
}

/** A prime that divides no round number. It scatters the lines, so that no index has their order. */
const STRIDE = 7_368_787

async function upload(server: Server, lines: number): Promise<void> {
  let text = ''
  for (let i = 0; i < lines; i++) {
    text += i % UNKNOWN_EVERY === 0 ? `nobody-${i}\n` : `user-${1 + ((i * STRIDE) % lines)}\n`
  }
  const form = new FormData()
  form.set('file', new Blob([text], { type: 'text/csv' }), 'subscribers.csv')
  await post(server, `v2/channels/${CHANNEL}/subscribers-file`, form)
}

async function untilApplied(server: Server, lines: number): Promise<void> {
  for (;;) {
    const response = await call(server, 'GET', `v2/channels/${CHANNEL}/imports`)
    const [one] = ((await response.json()) as { imports: { state: string; applied: number; unknown: number }[] })
      .imports
    if (one!.state === 'done') {
      const unknown = Math.ceil(lines / UNKNOWN_EVERY)
      if (one!.unknown !== unknown || one!.applied !== lines - unknown) throw new Error(JSON.stringify(one))
      return
    }
    if (one!.state === 'failed') throw new Error(JSON.stringify(one))
    await sleep(LOOK_MS)
  }
}

const post = (server: Server, path: string, body: string | FormData, type?: string) =>
  call(server, 'POST', path, { body, ...(type !== undefined && { headers: { 'content-type': type } }) })

async function call(
  { address, data }: Server,
  method: string,
  path: string,
  more: RequestInit = {},
): Promise<Response> {
  const response = await fetch(`${address}/messages/${path}`, {
    method,
    ...more,
    headers: { authorization: `Basic ${btoa(data.serverKey)}`, ...more.headers },
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return response
}

/** Makes small writes until `until` settles. Returns how long each took (ms). */
function write({ address, data }: Server, until: Promise<unknown>): Promise<number[]> {
  return steadyCalls({
    address,
    credentials: data.serverKey,
    everyMs: WRITE_EVERY_MS,
    until,
    request: smallWrite,
  })
}

const smallWrite = (n: number): Request => ({
  method: 'PUT',
  path: `/crm/v1/users/user-${1 + (n % 100)}/attributes`,
  body: { n },
})
