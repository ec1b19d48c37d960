import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrations } from '../migrations/index.ts'
import { loadConfig } from '../src/config.ts'
import { createVault } from '../src/platform/crypto/vault.ts'
import { connect } from '../src/platform/db/connect.ts'
import { migrateUp } from '../src/platform/db/migrate.ts'
import { silentLog } from '../src/platform/log/log.ts'
import { createProgram } from '../src/program.ts'
import { testClock } from '../test/support/clock.ts'
import { hear, touchesRows } from '../test/support/hear.ts'
import { nameOf, type Row } from '../test/support/scenario/row.ts'
import { SCENARIO } from '../test/support/scenario/scenario.ts'
import { openStage, STAGE_SETTINGS, type Stage } from '../test/support/scenario/stage.ts'
import { makeWorld } from '../test/support/scenario/world.ts'
import { openDatabase } from './support/database.ts'
import { medianOf, type Result, spreadOf } from './support/result.ts'

export interface GrowthOptions {
  /** Installs of the large database. */
  installs: number
  /** `sqlite` or `postgres`. */
  database: string
  /** Texts separated by commas: only rows with one of them in their name run. */
  only?: string | undefined
}

/** Installs of the small database. */
const FEW = 10_000
/** Rounds of each row. The first one warms up and is not counted. */
const ROUNDS = 6
/** The time (ms) that the calls of a round take together, with their preparation. */
const ROUND_MS = 40
const LEAST_CALLS = 3
const MOST_CALLS = 30
/** A ratio above this is a defect, when it is about more than this many microseconds. */
const MOST = 2
const FELT_US = 150

/** The cost of one call of a row: medians of rounds. */
interface Taken {
  /** Processor time of the whole process, the client too, in microseconds. */
  cpu: number[]
  /** Time of its statements without commits, in microseconds. */
  statements: number[]
}

/**
 * Calls everything that the program does on a database with 10 000 installs and on one with many, and compares: on
 * SQLite the processor time of the calls, on PostgreSQL, which has its own processes, the time of their statements.
 */
export async function benchGrowth({ installs, database, only }: GrowthOptions): Promise<Result[]> {
  const texts = (only ?? '').split(',')
  const rows = SCENARIO.filter((row) => texts.some((text) => nameOf(row).includes(text)))
  const small = await measured(rows, Math.min(FEW, installs), database)
  const large = await measured(rows, installs, database)
  const results = rows
    .filter((row) => small.has(row) && large.has(row))
    .map((row) => resultOf(row, small.get(row)!, large.get(row)!, database === 'sqlite'))
  return results.sort((a, b) => ratioOf(b) - ratioOf(a))
}

const ratioOf = ({ value, against }: Result) => value / against!.value

function resultOf(row: Row, small: Taken, large: Taken, isOwn: boolean): Result {
  const [before, after] = [medianOf(small.statements), medianOf(large.statements)]
  const [cpuBefore, cpuAfter] = [medianOf(small.cpu), medianOf(large.cpu)]
  // SQLite works in this process. Until its answer a disk may have been read, which another run finds in memory.
  const grows = isOwn ? isMore(small.cpu, large.cpu) : isMore(small.statements, large.statements)
  const verdict = row.larger === undefined ? (grows ? 'GROWS' : '') : row.larger
  const [all, part] = isOwn
    ? [
        { unit: 'us of CPU', before: cpuBefore, after: cpuAfter, rounds: large.cpu },
        `statements ${us(before)} -> ${us(after)} us`,
      ]
    : [
        { unit: 'us of statements', before, after, rounds: large.statements },
        `CPU ${us(cpuBefore)} -> ${us(cpuAfter)} us`,
      ]
  return {
    name: nameOf(row),
    value: all.after,
    unit: all.unit,
    better: 'less',
    against: { name: `${FEW / 1000} 000 installs`, value: all.before },
    spread: spreadOf(all.rounds),
    note: [part, verdict].filter(Boolean).join('; '),
  }
}

const us = (value: number) => Math.round(value)

/** More than twice as much, by more than is worth a word, and in each round more than in any of the others. */
function isMore(before: readonly number[], after: readonly number[]): boolean {
  const [from, to] = [medianOf(before), medianOf(after)]
  return to > MOST * from && to - from > FELT_US && Math.min(...after) > Math.max(...before)
}

async function measured(rows: readonly Row[], installs: number, database: string): Promise<Map<Row, Taken>> {
  const dir = mkdtempSync(join(tmpdir(), 'appsvc-growth-'))
  const place = await openDatabase(database)
  const { config } = await loadConfig({ environment: {}, flags: { dataDir: dir, ...STAGE_SETTINGS } })
  const clock = testClock()
  const db = connect({ url: place.url, file: join(dir, 'appsvc.sqlite'), log: silentLog })
  try {
    await migrateUp(db, migrations)
    const program = createProgram({ config, clock, log: silentLog, vault: createVault(Buffer.alloc(32, 7)), db })
    const first = await program.inTransaction((tx) => tx.apps.create({ name: 'Growth' }))
    const began = performance.now()
    const world = await makeWorld(program, first.id, installs)
    // A database that was not filled all at once already has statistics.
    if (place.url !== undefined) await db.read.raw('VACUUM ANALYZE')
    await db.checkpoint()
    console.error(`${installs} installs and their year: ${Math.round((performance.now() - began) / 1000)} s`)
    const stage = await openStage({ program, clock, first, world, dir })
    try {
      const found = new Map<Row, Taken>()
      for (const row of rows) {
        const taken = await takenBy(row, stage).catch((error: unknown) => {
          console.error(`${nameOf(row)} failed:`, error)
          process.exitCode = 1
        })
        if (taken) found.set(row, taken)
      }
      return found
    } finally {
      await stage.close()
    }
  } finally {
    await db.close()
    await place.drop()
    rmSync(dir, { recursive: true, force: true })
  }
}

/**
 * Calls a row in rounds. Its preparation and its undoing are not counted. A round is the median of its calls, as another process
 * may have the processor during some of them.
 */
async function takenBy(row: Row, stage: Stage): Promise<Taken> {
  const taken: Taken = { cpu: [], statements: [] }
  let statementsMs = 0
  let isCounting = false
  const end = hear(stage.program.kernel.db, (heard) => {
    if (isCounting && touchesRows(heard)) statementsMs += heard.ms
  })
  const most = row.most === undefined ? MOST_CALLS : Math.ceil(row.most / ROUNDS)
  let calls = Math.min(LEAST_CALLS, most)
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const each: number[] = []
      let cpu = 0
      const began = performance.now()
      for (let call = 0; call < calls; call++) {
        // Limits of what an address may do in a while do not end a round.
        stage.clock.advance(1000)
        const { run, after } = await row.act(stage)
        const before = process.cpuUsage()
        statementsMs = 0
        isCounting = true
        await run()
        isCounting = false
        const { user, system } = process.cpuUsage(before)
        each.push(statementsMs * 1000)
        cpu += user + system
        await after?.()
      }
      if (round > 0) {
        taken.cpu.push(cpu / calls)
        taken.statements.push(medianOf(each))
      }
      const enough = Math.ceil((ROUND_MS * calls) / (performance.now() - began))
      calls = Math.min(Math.max(LEAST_CALLS, enough), most)
    }
  } finally {
    end()
  }
  return taken
}
