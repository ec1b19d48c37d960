import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { migrations } from '../../migrations/index.ts'
import { connect } from '../../src/platform/db/connect.ts'
import { strictUrl } from '../../src/platform/db/holding.ts'
import { migrateUp } from '../../src/platform/db/migrate.ts'
import { silentLog } from '../../src/platform/log/log.ts'
import { stopAtEnd } from './at-end.ts'
import { lookAtPristine, type Pristine } from './emptying.ts'
import type { IdleReport, KeeperReport } from './postgres-keeper.ts'
import { openReusable, type Reusable } from './postgres-reuse.ts'

/** A real PostgreSQL for the tests of one run: started by the first that asks, gone with the run, however it ends. */
interface Cluster {
  keeper: ChildProcess
  /** The database `postgres` by TCP. */
  url: string
  /** The address by TCP -> the address by the socket, where there is one. */
  near(url: string): string
  admin: pg.Client
  pristine: Pristine
  /** Copies in use: one may be used again, and is connected to when it is given back for the first time. */
  copies: Map<string, Reusable | undefined>
  /** Empty and waiting for the next test. */
  free: Reusable[]
}

/** Tests rarely have more at once. */
const MOST_FREE = 3

const TEMPLATE = 'appsvc_template'

/** The time (ms) after which a session that is idle in a transaction counts as forgotten. */
const FORGOTTEN_MS = 10_000
export const WAITS =
  'a session stood idle in a transaction: what it waited for was not the database (docs/decisions/0122-what-costs-the-database.md)'

let cluster: Promise<Cluster> | undefined
let made = 0

/**
 * The address of a database of its own: with every table of ours and no rows, or entirely empty with `migrated: false`.
 * `dropPostgresDatabase` gives its disk space back earlier than the end of the run. Throws when no server can be had.
 * `durable`, for benches: when this call starts the server, it is one that syncs to disk.
 */
export async function freshPostgresDatabase({ migrated = true, durable = false } = {}): Promise<string> {
  const { admin, url, copies, free } = await (cluster ??= start(durable))
  const again = migrated ? free.pop() : undefined
  if (again) {
    copies.set(again.name, again)
    return databaseUrl(url, again.name)
  }
  const name = `test_${++made}`
  await admin.query(`CREATE DATABASE ${name} TEMPLATE ${migrated ? TEMPLATE : 'template1'} STRATEGY FILE_COPY`)
  if (migrated) copies.set(name, undefined)
  return databaseUrl(url, name)
}

/**
 * The same database by the socket of the server: a statement costs a quarter less of a processor than by TCP. For connections of the tests themselves;
 * what goes through a proxy, and the programs that they start, use TCP.
 */
export async function nearPostgres(url: string): Promise<string> {
  return (await cluster!).near(url)
}

/** Starts the server unless it runs already. A hook with a longer timeout calls it, so that the first test need not wait. */
export async function startPostgres(): Promise<void> {
  await (cluster ??= start())
}

/**
 * Takes a database of `freshPostgresDatabase` away, also when somebody is still connected to it. One that differs only
 * in its rows is emptied for the next test: that costs a fifth of another copy. Throws when a session has been idle in a transaction for
 * `forgottenMs`.
 */
export async function dropPostgresDatabase(url: string, { forgottenMs = FORGOTTEN_MS } = {}): Promise<void> {
  const { admin, copies, free } = await cluster!
  const name = nameIn(url)
  await refuseIdle(admin, name, forgottenMs)
  if (copies.has(name)) {
    const copy = free.length < MOST_FREE ? await reusable(url).catch(() => undefined) : copies.get(name)
    copies.delete(name)
    if (free.length < MOST_FREE && (await copy?.reset().catch(() => false))) return void free.push(copy!)
    await copy?.close()
  }
  await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
}

/**
 * Empties a database of `freshPostgresDatabase` for the next test of those that are connected to it. False when it must be dropped: it has other
 * tables than it had, or a test has ended all connections.
 */
export async function emptyPostgresDatabase(url: string): Promise<boolean> {
  const copy = await reusable(url)
  return copy.empty().catch(() => false)
}

/** The connection that empties a copy of the template; opened by the first who asks. */
async function reusable(url: string): Promise<Reusable> {
  const { copies, near, pristine, url: server } = await cluster!
  const name = nameIn(url)
  const copy = copies.get(name) ?? (await openReusable(name, near(databaseUrl(server, name)), pristine))
  copies.set(name, copy)
  return copy
}

const nameIn = (url: string) => new URL(url).pathname.slice(1)

/** Stops the server, when one was started, and waits until its files are gone. */
export async function stopPostgres(): Promise<void> {
  const running = await cluster?.catch(() => undefined)
  cluster = undefined
  if (!running) return
  for (const copy of [...running.free, ...running.copies.values()]) await copy?.close()
  await running.admin.end()
  const exited = once(running.keeper, 'exit')
  running.keeper.stdin!.end()
  await exited
}

async function start(durable = false): Promise<Cluster> {
  stopAtEnd(stopPostgres)
  // A process group of its own: Ctrl-C in a terminal must not kill the one who cleans up.
  const keeper = spawn(
    process.execPath,
    [join(import.meta.dirname, 'postgres-keeper.ts'), ...(durable ? ['durable'] : [])],
    {
      detached: true,
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  const report = await firstReport(keeper)
  if ('error' in report) throw new Error(`PostgreSQL for the tests cannot be started: ${report.error}`)
  const { url, socket } = report
  const near = (other: string) =>
    socket === undefined ? other : other.replace('@127.0.0.1:', `@${encodeURIComponent(socket)}:`)
  const admin = new pg.Client({ connectionString: near(url) })
  await admin.connect()
  await admin.query(`CREATE DATABASE ${TEMPLATE}`)
  const template = connect({ url: near(databaseUrl(url, TEMPLATE)), file: '', log: silentLog })
  await migrateUp(template, migrations)
  await template.close()
  const client = new pg.Client({ connectionString: near(databaseUrl(url, TEMPLATE)) })
  await client.connect()
  const pristine = await lookAtPristine(client)
  // It must be gone before the first copy.
  await client.end()
  return { keeper, url, near, admin, pristine, copies: new Map(), free: [] }
}

/** Throws when somebody has left a transaction of a database open and does nothing in it. */
async function refuseIdle(admin: pg.Client, name: string, forgottenMs: number): Promise<void> {
  const { rows } = await admin.query<{ query: string }>(
    `SELECT query FROM pg_stat_activity WHERE datname = $1 AND state LIKE 'idle in transaction%'
       AND clock_timestamp() - state_change > $2 * interval '1 ms'`,
    [name, forgottenMs],
  )
  if (rows.length > 0) throw new Error(`${WAITS}. Its last statement: ${rows[0]!.query}`)
}

/** The first report of a keeper. What it says later is an uncaught error: it is of a test or a bench that is running. */
async function firstReport(keeper: ChildProcess): Promise<KeeperReport> {
  const first = Promise.withResolvers<KeeperReport>()
  let isFirst = true
  createInterface({ input: keeper.stdout! })
    .on('line', (line) => {
      if (!isFirst) throw new Error(`${WAITS}: ${(JSON.parse(line) as IdleReport).line}`)
      isFirst = false
      first.resolve(JSON.parse(line) as KeeperReport)
    })
    .on('close', () => first.resolve({ error: 'its keeper ended without a word' }))
  return first.promise
}

function databaseUrl(url: string, name: string): string {
  const copy = new URL(url)
  copy.pathname = `/${name}`
  // Whoever holds a connection and asks the pool for another one fails, in tests and in the programs that they start.
  return strictUrl(copy.href)
}
