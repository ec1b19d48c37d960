import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { makeTable, type TableData } from './support/data-table.ts'
import { openDatabase } from './support/database.ts'
import { openExecutable, type Running, start } from './support/executable.ts'
import { openCaller, steadyCalls } from './support/http.ts'
import { percentile, type Result } from './support/result.ts'

export interface LongReadsOptions {
  records: number
  ms: number
  executable?: string | undefined
  /** `sqlite` or `postgres`. */
  database: string
}

/** The time (ms) between two reads of one record by another client meanwhile. */
const PROBE_MS = 5
const PRELOAD = resolve(import.meta.dirname, 'support/loop-delay.cjs')

/** Queries of a data table that no index answers, or only after many steps. */
function badQueries(records: number): Record<string, string> {
  const filter = (...all: [field: string, operator: string, value: unknown][]) =>
    `filter=${encodeURIComponent(JSON.stringify(all.map(([field, operator, value]) => ({ field, operator, value }))))}`
  return {
    'indexed sort, filter on another column': `sortBy=n&${filter(['k', 'equals', -1])}`,
    'unindexed sort': 'sortBy=-title',
    contains: filter(['body', 'contains', 'nowhere']),
    'filtered count': `count=true&${filter(['k', 'atLeast', 500])}`,
    'indexed count': `count=true&sortBy=n&${filter(['n', 'atLeast', 10])}`,
    'far filtered page': `sortBy=n&page=${Math.floor(records / 100)}&${filter(['n', 'atLeast', 10])}`,
    'far page in an indexed order': `sortBy=-createdAt&page=${Math.floor(records / 60)}`,
    'all of it, a thousand records': `numberPerPage=1000&sortBy=title&${filter(['body', 'contains', 'text'])}`,
  }
}

/**
 * Fires queries that examine a whole table, several at once, while another client reads one record every 5 ms. Measures the time of these
 * reads, and the longest time that the server's event loop was held (of processor time, which a busy machine does not change).
 */
export async function benchLongReads({ records, ms, executable, database }: LongReadsOptions): Promise<Result[]> {
  const program = await openExecutable(executable, executable ? [] : ['--require', PRELOAD])
  const db = await openDatabase(database)
  const data = await makeTable(records, db.url)
  const file = join(data.dir, 'loop-delay')
  try {
    const server = await start<{ listening: string }>(program, ['serve', '--port', '0', '--data-dir', data.dir], {
      ...data.environment,
      LOOP_DELAY_FILE: file,
    })
    try {
      const address = server.ready.listening
      const probe = async (until: Promise<unknown>) => {
        const path = `/data/v1/data/${data.alias}/7`
        const times = await steadyCalls({
          address,
          credentials: `${data.key}:`,
          request: () => ({ method: 'GET', path }),
          everyMs: PROBE_MS,
          until,
        })
        return { p99: percentile(times, 0.99), hold: executable ? Number.NaN : await longestHold(server, file) }
      }
      await probe(setTimeout(500))
      const idle = await probe(setTimeout(ms))
      const results: Result[] = [
        { name: 'idle: p99 of a probe', value: idle.p99, unit: 'ms', note: `${records} records, ${database}` },
        { name: 'idle: longest hold', value: idle.hold, unit: 'ms', note: 'processor time of the thread of requests' },
      ]
      for (const [name, query] of Object.entries(badQueries(records))) {
        const asked = askTogether(address, data, query)
        const { p99, hold } = await probe(asked)
        const { took, statuses } = await asked
        const note = `answered ${statuses} after ${Math.round(took)} ms`
        results.push({ name: `${name}: p99`, value: p99, unit: 'ms', against: { name: 'idle', value: idle.p99 }, note })
        results.push({
          name: `${name}: longest hold`,
          value: hold,
          unit: 'ms',
          against: { name: 'idle', value: idle.hold },
        })
      }
      return results
    } finally {
      await server.stop()
    }
  } finally {
    data.remove()
    await db.drop()
  }
}

const TOGETHER = 2

async function askTogether(
  address: string,
  { alias, key }: TableData,
  query: string,
): Promise<{ took: number; statuses: string }> {
  const began = performance.now()
  const statuses = await Promise.all(
    Array.from({ length: TOGETHER }, async () => {
      const caller = await openCaller(address, `${key}:`)
      const status = await caller.call({ method: 'GET', path: `/data/v1/data/${alias}?${query}` })
      caller.close()
      return status
    }),
  )
  return { took: performance.now() - began, statuses: statuses.join(' and ') }
}

async function longestHold({ pid }: Pick<Running<unknown>, 'pid'>, file: string): Promise<number> {
  rmSync(file, { force: true })
  process.kill(pid, 'SIGUSR2')
  while (!existsSync(file)) await setTimeout(5)
  return Number(readFileSync(file, 'utf8'))
}
