import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadConfig } from '../../src/config.ts'
import { checkBlocks } from '../../src/domain/gateways/service.ts'
import { isOpenSql } from '../../src/domain/notifications/types.ts'
import { openProgram } from '../../src/open.ts'
import type { Sql } from '../../src/platform/db/connect.ts'
import { rowsOf } from '../../src/platform/db/dialect.ts'
import type { Program } from '../../src/program.ts'
import { processorTime } from '../../test/support/processor-time.ts'
import { insertInstalls } from '../../test/support/scenario/world-installs.ts'
import { type DataDirectory, makeDataDirectory } from '../support/audience.ts'
import { openDatabase } from '../support/database.ts'
import { openExecutable, type Running, start } from '../support/executable.ts'
import type { FcmReceiver } from '../support/fcm-receiver.ts'

/** An app that sends, and how many installs it has: `user-1` uses `install-1` and so on. */
export interface SendingApp {
  credentials: string
  installs: number
}

export interface RigOptions {
  database: string
  executable: string | undefined
  receiver: FcmReceiver
  /** Installs of each app. */
  installs: readonly number[]
  /** Stores further data of the first app. */
  fill?: ((trx: Sql, appId: number) => Promise<void>) | undefined
}

/** A server with apps whose gateway is the receiver, and the eyes of the bench in its database. */
export interface Rig {
  server: Running<{ listening: string }>
  address: string
  apps: readonly SendingApp[]
  data: DataDirectory
  databaseUrl: string | undefined
  /** Notifications whose outcome is not final in the database. */
  open(): Promise<number>
  /** Waits until there are none; the moment of it (`performance.now()`). Throws when nothing moves any more. */
  untilDone(): Promise<number>
  /** Processor time (ms) of all processes of PostgreSQL; undefined on SQLite. */
  databaseMs(): number | undefined
  /** Stops the server; its database stays. */
  stopServer(): Promise<void>
  close(): Promise<void>
}

const LOOK_MS = 20
const GIVE_UP_MS = 60_000
/** The time (ms) that a server gets after its start: its threads start, too. */
const START_MS = 1500

export async function openRig({ database, executable, receiver, installs, fill }: RigOptions): Promise<Rig> {
  const program = await openExecutable(executable, ['--max-semi-space-size=4'])
  const db = await openDatabase(database)
  const block = { serviceAccount: receiver.serviceAccount }
  const data = await makeDataDirectory({
    installs: installs[0]!,
    blocks: { android: block },
    database: db.url,
    ...(fill && { fill }),
  })
  const { config } = await loadConfig({ environment: data.environment, flags: { dataDir: data.dir } })
  const eyes = openProgram({ config })
  const apps = [{ credentials: data.serverKey, installs: installs[0]! }]
  for (const count of installs.slice(1)) apps.push(await addApp(eyes, block, count))
  const environment = {
    ...receiver.environment,
    ...data.environment,
    APPSVC_DELIVERY_RAMP: '0',
    // By default a lane stops when a third of the tokens is refused, and in a chat here half of them are dead.
    APPSVC_DELIVERY_REFUSAL_LIMIT: '100',
    // A gateway that refuses is what some parts want, and no news.
    APPSVC_LOG_LEVEL: 'error',
  }
  const argv = ['serve', '--port', '0', '--data-dir', data.dir]
  const server = await start<{ listening: string }>(program, argv, environment)
  await sleep(START_MS)
  const postmaster = db.url === undefined ? undefined : await postmasterOf(eyes)
  const open = () => countOpen(eyes)
  let stopped: Promise<void> | undefined
  const stopServer = () => (stopped ??= server.stop())
  return {
    server,
    address: server.ready.listening,
    apps,
    data,
    databaseUrl: db.url,
    open,
    untilDone: () => untilNone(open),
    databaseMs: () => (postmaster === undefined ? undefined : processorTime(postmaster)),
    stopServer,
    async close() {
      await stopServer()
      await eyes.close()
      data.remove()
      await db.drop()
    },
  }
}

async function addApp(program: Program, block: unknown, installs: number): Promise<SendingApp> {
  const blocks = await checkBlocks({ android: block }, Date.now())
  const app = await program.inTransaction(async (tx) => {
    const made = await tx.apps.create({ name: 'Bench' })
    await tx.gateways.configure(made.id, blocks)
    return made
  })
  await program.kernel.db.write((trx) => insertInstalls(trx, app.id, installs))
  return { credentials: `${app.apiKey}:${app.serverKey}`, installs }
}

async function countOpen({ kernel: { db } }: Program): Promise<number> {
  const [row] = rowsOf<{ open: number | string }>(
    await db.read.raw(`SELECT COUNT(*) AS open FROM notifications WHERE ${isOpenSql()}`),
  )
  return Number(row!.open)
}

async function untilNone(open: () => Promise<number>): Promise<number> {
  let last = { open: Number.NaN, at: performance.now() }
  for (;;) {
    const now = await open()
    if (now === 0) return performance.now()
    if (now !== last.open) last = { open: now, at: performance.now() }
    if (performance.now() - last.at > GIVE_UP_MS) throw new Error(`${now} notifications are not done and stay so`)
    await sleep(LOOK_MS)
  }
}

/** The process that all processes of this PostgreSQL are children of. */
async function postmasterOf({ kernel: { db } }: Program): Promise<number> {
  const [row] = rowsOf<{ pid: number }>(await db.read.raw('SELECT pg_backend_pid() AS pid'))
  return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${row!.pid}/status`, 'utf8'))![1])
}
