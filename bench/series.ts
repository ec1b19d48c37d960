import { loadConfig } from '../src/config.ts'
import { fromMessagesForm, messagesForm } from '../src/domain/notifications/schema.ts'
import { SOURCE } from '../src/domain/notifications/types.ts'
import { planDue } from '../src/domain/series/plan-due.ts'
import { sendPush } from '../src/domain/series/send.ts'
import { openProgram } from '../src/open.ts'
import { systemClock } from '../src/platform/time/clock.ts'
import { parseJson } from '../src/platform/values/parse.ts'
import type { Program } from '../src/program.ts'
import { type DataDirectory, makeDataDirectory } from './support/audience.ts'
import { openDatabase } from './support/database.ts'
import type { Result } from './support/result.ts'
import { timeWrites } from './support/write-times.ts'

export interface SeriesOptions {
  series: number
  /** `sqlite` or `postgres`. */
  database: string
}

const INSTALLS = 1000
const HOUR_MS = 3_600_000
/** Sends of the baseline, and how many share a transaction: as many as series do. */
const SENDS = 2000
const TOGETHER = 25

/**
 * Measures how long it takes to plan the next time of series that are all due in the same minute, and what each costs the writer. The
 * baseline is the same push, accepted once for a later time, as many in a transaction. Throws unless each is planned once.
 */
export async function benchSeries({ series, database }: SeriesOptions): Promise<Result[]> {
  const db = await openDatabase(database)
  const data = await makeDataDirectory({ installs: INSTALLS, database: db.url })
  try {
    return await measure(data, series)
  } finally {
    data.remove()
    await db.drop()
  }
}

const bodyAt = (schedule: object) =>
  parseJson(messagesForm, { target: { broadcast: true }, content: { title: 'Bread', message: 'Now' }, schedule })

async function measure({ dir, environment, app: { id: appId } }: DataDirectory, count: number): Promise<Result[]> {
  let shift = 0
  const { config } = await loadConfig({ environment, flags: { dataDir: dir } })
  const program = openProgram({ config, clock: { ...systemClock, now: () => Date.now() + shift }, pool: 2 })
  const writes = timeWrites(program)
  await program.inTransaction((tx) =>
    tx.gateways.configure(appId, { android: { secret: {}, facts: { warnings: [] }, sendable: true } }),
  )

  async function plan(name: string, timezone: string, bareMs: number): Promise<Result> {
    const body = bodyAt({ strategy: 'recurring', cron: '0 9 * * *', timezone })
    const { series } = await program.inTransaction((tx) =>
      sendPush(tx, appId, { source: SOURCE.messages, body, request: fromMessagesForm(body) }),
    )
    await multiply(program, series!.series.id, count)
    await lookAtTables(program)
    shift = series!.series.dueAt! - Date.now()
    Object.assign(writes, { longest: 0, sum: 0 })
    const failed = (_: unknown, error: unknown) => {
      throw error
    }
    const parts = { read: program, inTransaction: program.inTransaction, clock: program.kernel.clock }
    const began = performance.now()
    const used = process.cpuUsage()
    while ((await planDue(parts, { resting: new Set(), failed })) > 0);
    const ms = performance.now() - began
    const { user, system } = process.cpuUsage(used)
    const cpuMs = (user + system) / 1000 / count
    const rows = await program.kernel.db.read('series').where({ sent: 2, state: 'active' }).count({ n: '*' }).first()
    if (Number(rows?.n) !== count) throw new Error(`${name}: ${rows?.n} of ${count} series were planned`)
    await program.inTransaction((tx) => tx.series.endAll(appId, 'measured'))
    return {
      name,
      value: writes.sum / count,
      unit: 'ms',
      against: { name: 'accept', value: bareMs },
      note: `${count} series in ${(ms / 1000).toFixed(1)} s, ${cpuMs.toFixed(2)} ms of a processor each; longest write ${writes.longest.toFixed(0)} ms`,
    }
  }

  try {
    const bare = await acceptOnce(program, writes, appId)
    return [await plan('series in a zone', 'Europe/Berlin', bare), await plan('series by local time', 'local', bare)]
  } finally {
    await program.close()
  }
}

/** The time (ms) that a push for a later time costs the writer. */
async function acceptOnce(program: Program, writes: { sum: number }, appId: number): Promise<number> {
  const sendAt = new Date(Date.now() + 48 * HOUR_MS).toISOString().slice(0, 16).replace('T', ' ')
  const schedule = { strategy: 'timezone', timezone: 'Europe/Berlin', sendAt, pastTimes: 'ignore' }
  const request = fromMessagesForm(bodyAt(schedule))
  writes.sum = 0
  for (let i = 0; i < SENDS; i += TOGETHER) {
    await program.inTransaction(async (tx) => {
      for (let n = 0; n < TOGETHER; n++) await tx.sends.accept(appId, SOURCE.messages, request, null)
    })
  }
  return writes.sum / SENDS
}

/**
 * Brings the statistics of PostgreSQL up to date, as its autovacuum has long done where so many series wait. Without it a connection keeps
 * the plan by which the foreign keys of a run were checked when tables were empty, and a series by local time takes five times as long.
 */
async function lookAtTables({ kernel: { db } }: Program): Promise<void> {
  if (db.kind === 'postgres') await db.read.raw('ANALYZE')
}

/** Makes more series like this one, due at the same moment. */
async function multiply(program: Program, id: number, count: number): Promise<void> {
  await program.kernel.db.write(async (sql) => {
    const { id: _, ...row } = await sql('series').where({ id }).first()
    for (let i = 1; i < count; i += 100) {
      await sql('series').insert(Array.from({ length: Math.min(100, count - i) }, () => row))
    }
    await sql.raw(
      `INSERT INTO series_occurrences (series_id, local, app_id, state)
       SELECT series.id, planned, app_id, 'planned' FROM series WHERE id > ? AND state = 'active'`,
      [id],
    )
  })
}
