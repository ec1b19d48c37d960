import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { migrations } from '../../migrations/index.ts'
import { connect } from '../../src/platform/db/connect.ts'
import { strictUrl } from '../../src/platform/db/holding.ts'
import { migrateUp } from '../../src/platform/db/migrate.ts'
import { silentLog } from '../../src/platform/log.ts'
import { stopAtEnd } from './at-end.ts'
import type { KeeperReport } from './postgres-keeper.ts'

/** A real PostgreSQL for the tests of one run: started by the first that asks, gone with the run, however it ends. */
interface Cluster {
  keeper: ChildProcess
  url: string
  admin: pg.Client
}

const TEMPLATE = 'appsvc_template'

let cluster: Promise<Cluster> | undefined
let made = 0

/**
 * The address of a database of its own: with every table of ours and no rows, or entirely empty with `migrated: false`.
 * `dropPostgresDatabase` gives its disk space back earlier than the end of the run. Throws when no server can be had.
 * `durable`, for benches: when this call starts the server, it is one that syncs to disk.
 */
export async function freshPostgresDatabase({ migrated = true, durable = false } = {}): Promise<string> {
  const { admin, url } = await (cluster ??= start(durable))
  const name = `test_${++made}`
  await admin.query(`CREATE DATABASE ${name} TEMPLATE ${migrated ? TEMPLATE : 'template1'} STRATEGY FILE_COPY`)
  return databaseUrl(url, name)
}

/** Starts the server unless it runs already. A hook with a longer timeout calls it, so that the first test need not wait. */
export async function startPostgres(): Promise<void> {
  await (cluster ??= start())
}

/** Drops a database of `freshPostgresDatabase`, also when somebody is still connected to it. */
export async function dropPostgresDatabase(url: string): Promise<void> {
  const { admin } = await cluster!
  await admin.query(`DROP DATABASE IF EXISTS ${new URL(url).pathname.slice(1)} WITH (FORCE)`)
}

/** Stops the server, when one was started, and waits until its files are gone. */
export async function stopPostgres(): Promise<void> {
  const running = await cluster?.catch(() => undefined)
  cluster = undefined
  if (!running) return
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
  const admin = new pg.Client({ connectionString: report.url })
  await admin.connect()
  await admin.query(`CREATE DATABASE ${TEMPLATE}`)
  const template = connect({ url: databaseUrl(report.url, TEMPLATE), file: '', log: silentLog })
  await migrateUp(template, migrations)
  await template.close()
  return { keeper, url: report.url, admin }
}

async function firstReport(keeper: ChildProcess): Promise<KeeperReport> {
  for await (const line of createInterface({ input: keeper.stdout! })) return JSON.parse(line) as KeeperReport
  return { error: 'its keeper ended without a word' }
}

function databaseUrl(url: string, name: string): string {
  const copy = new URL(url)
  copy.pathname = `/${name}`
  // Whoever holds a connection and asks the pool for another one fails, in tests and in the programs that they start.
  return strictUrl(copy.href)
}
