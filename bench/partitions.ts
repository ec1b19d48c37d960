import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { loadConfig } from '../src/config.ts'
import { closeFurther } from '../src/domain/events/partitions/close.ts'
import { tendPartitions } from '../src/domain/events/partitions/tend.ts'
import { openProgram } from '../src/open.ts'
import type { Sql } from '../src/platform/db/connect.ts'
import { rowsOf } from '../src/platform/db/dialect.ts'
import { silentLog } from '../src/platform/log/log.ts'
import type { Program } from '../src/program.ts'
import { dropPostgresDatabase, freshPostgresDatabase, stopPostgres } from '../test/support/postgres.ts'
import { type DataDirectory, makeDataDirectory } from './support/audience.ts'
import { medianOf, type Result } from './support/result.ts'

export interface PartitionsOptions {
  installs: number
  /** Number of events of the last year in each of the two databases. */
  events: number
  /** Rounds in which both databases take turns. */
  rounds: number
}

const DAY_MS = 86_400_000
const YEAR_MS = 365 * DAY_MS
const SLICES = 24
/** Uploads of each kind in a turn, and how many run at a time. */
const UPLOADS = 600
const AT_A_TIME = 32

interface Side {
  name: string
  program: Program
  data: DataDirectory
  drop(): Promise<void>
}

/**
 * Measures on PostgreSQL what partitions of `events` cost and save, one database without beside one with 24 of them: the processor time of
 * the database for uploads, in turns; then the division of the first while a device uploads, and the deletion of a year in both.
 */
export async function benchPartitions({ installs, events, rounds }: PartitionsOptions): Promise<Result[]> {
  const sides = [
    await open('one table', { installs, events, slices: 1 }),
    await open('24 partitions', { installs, events, slices: SLICES }),
  ] as const
  try {
    const results = await measureUploads(sides, { installs, rounds })
    results.push(...(await measureDivision(sides[0])))
    for (const side of sides) results.push(...(await measureForgetting(side)))
    return results
  } finally {
    for (const { program, data } of sides) {
      await program.close()
      data.remove()
    }
    for (const { drop } of sides) await drop()
    await stopPostgres()
  }
}

async function open(name: string, how: { installs: number; events: number; slices: number }): Promise<Side> {
  const url = await freshPostgresDatabase({ migrated: false, durable: true })
  const data = await makeDataDirectory({ installs: how.installs, database: url })
  const { config } = await loadConfig({ environment: data.environment, flags: { dataDir: data.dir } })
  const program = openProgram({ config })
  const { db } = program.kernel
  const from = Date.now() - YEAR_MS
  for (let slice = 0; slice < how.slices; slice++) {
    const count = Math.round(how.events / how.slices)
    const step = YEAR_MS / how.slices / count
    await db.write(async (trx) => {
      await trx.raw('SET LOCAL statement_timeout = 0')
      // Without the checks of references, which are right: twice as fast.
      await trx.raw('SET LOCAL session_replication_role = replica')
      await trx.raw(
        `INSERT INTO events (app_id, install_row, uuid, type, data, happened_at, received_at)
         SELECT ${data.app.id}, 1 + (random() * ${how.installs - 1})::int, gen_random_uuid(), 'shop.viewed', '{"product":1}', at, at
         FROM (SELECT (${from + slice * count * step} + n::float8 * ${step})::bigint AS at FROM generate_series(1, ${count}) AS n) AS times`,
      )
    })
    if (slice < how.slices - 1) while (!(await db.write(closeFurther)));
  }
  await db.purge(['events'])
  await db.read.raw('ANALYZE events')
  return { name, program, data, drop: () => dropPostgresDatabase(url) }
}

/** Processor time (us) of the connections of a database so far, and what it wrote into the write-ahead log (bytes). */
async function usedBy(sql: Sql): Promise<{ us: number; wal: number }> {
  const pids = rowsOf<{ pid: number; wal: number }>(
    await sql.raw(`SELECT pid, (pg_current_wal_lsn() - '0/0')::float AS wal FROM pg_stat_activity WHERE datname = current_database()
      AND backend_type = 'client backend'`),
  )
  const us = pids.map(({ pid }) => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1000)
  return { us: us.reduce((a, b) => a + b, 0), wal: pids[0]!.wal }
}

function sender({ program, data }: Side, installs: number, types: readonly string[]) {
  return (number: number) =>
    program.uploads.ingest(
      data.app.id,
      `install-${1 + (number % installs)}`,
      types.map((type) => ({ type, uuid: randomUUID(), timestamp: Date.now(), data: { product: number } })),
    )
}

async function inParallel(count: number, work: (number: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const one = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, one))
}

const KINDS = { 'session event': ['k.fg'], 'batch of 20': Array.from({ length: 20 }, () => 'shop.viewed') }

async function measureUploads(
  sides: readonly Side[],
  { installs, rounds }: { installs: number; rounds: number },
): Promise<Result[]> {
  const taken = new Map<string, { us: number[]; wal: number[] }>()
  for (let round = 0; round <= rounds; round++) {
    for (const [kind, types] of Object.entries(KINDS)) {
      // The one that is second in this round is first in the next.
      for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
        const { read } = side.program.kernel.db
        const before = await usedBy(read)
        await inParallel(UPLOADS, sender(side, installs, types))
        const after = await usedBy(read)
        if (round === 0) continue
        const key = `upload, ${kind}, ${side.name}`
        const of = taken.get(key) ?? { us: [], wal: [] }
        taken.set(key, of)
        of.us.push((after.us - before.us) / UPLOADS)
        of.wal.push((after.wal - before.wal) / UPLOADS)
      }
    }
  }
  return [...taken].map(([name, { us, wal }]) => ({
    name,
    value: medianOf(us),
    unit: 'us CPU of the database',
    spread: { min: Math.min(...us), max: Math.max(...us), runs: us.length },
    note: `${Math.round(medianOf(wal))} bytes of WAL`,
  }))
}

/** Runs `work` while a device uploads one event after the other. Returns the longest time that one of them took, and of all. */
async function beside(side: Side, work: () => Promise<unknown>): Promise<{ longest: number; ms: number }> {
  const send = sender(side, 1, ['shop.viewed'])
  let isOver = false
  let longest = 0
  const sending = (async () => {
    for (let number = 0; !isOver; number++) {
      const begun = performance.now()
      await send(number)
      longest = Math.max(longest, performance.now() - begun)
    }
  })()
  const begun = performance.now()
  await work()
  const ms = performance.now() - begun
  isOver = true
  await sending
  return { longest, ms }
}

const tending = ({ program }: Side, keptDays: number) =>
  tendPartitions({
    db: program.kernel.db,
    log: silentLog,
    now: Date.now(),
    retentionMs: keptDays * DAY_MS,
    fewest: 1,
    sleep: (ms) => program.kernel.clock.sleep(ms),
  })

async function measureDivision(side: Side): Promise<Result[]> {
  const idle = await beside(side, () => side.program.kernel.clock.sleep(5000))
  const { read } = side.program.kernel.db
  const before = await usedBy(read)
  const { longest, ms } = await beside(side, () => tending(side, 365))
  const { wal } = await usedBy(read)
  return [
    {
      name: 'division of the one table',
      value: ms,
      unit: 'ms',
      note: `${Math.round((wal - before.wal) / 1e6)} MB of WAL`,
    },
    { name: 'longest upload meanwhile', value: longest, unit: 'ms', against: { name: 'before', value: idle.longest } },
  ]
}

/** Forgets all events of the year but those of the newest partition, as the program does. */
async function measureForgetting(side: Side): Promise<Result[]> {
  const { program, name } = side
  const { read } = program.kernel.db
  const keptDays = Math.ceil(YEAR_MS / DAY_MS / SLICES)
  const before = await usedBy(read)
  const { longest, ms } = await beside(side, async () => {
    await tending(side, keptDays)
    for (let limit = 2000; (await program.inTransaction((tx) => tx.events.forget(keptDays, limit))) === limit; );
  })
  const after = await usedBy(read)
  const dead = await read.raw(
    `SELECT sum(n_dead_tup)::float AS dead FROM pg_stat_user_tables WHERE relname LIKE 'events%'`,
  )
  const begun = performance.now()
  await program.kernel.db.purge(['events'])
  const vacuum = performance.now() - begun
  const spent = await usedBy(read)
  return [
    {
      name: `forgetting, ${name}`,
      value: ms,
      unit: 'ms',
      note: `${Math.round((after.us - before.us) / 1000)} ms CPU, ${Math.round((after.wal - before.wal) / 1e6)} MB of WAL, ${
        rowsOf<{ dead: number }>(dead)[0]!.dead
      } dead rows, VACUUM ${Math.round(vacuum)} ms and ${Math.round((spent.wal - after.wal) / 1e6)} MB`,
    },
    { name: `longest upload meanwhile, ${name}`, value: longest, unit: 'ms' },
  ]
}
