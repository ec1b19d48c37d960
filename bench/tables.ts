import { makeTable, type TableData } from './support/data-table.ts'
import { openDatabase } from './support/database.ts'
import { openExecutable, start } from './support/executable.ts'
import { load, openCaller, type Request } from './support/http.ts'
import { percentile, type Result } from './support/result.ts'

export interface TablesOptions {
  records: number
  ms: number
  connections: number
  executable?: string | undefined
  /** `sqlite` or `postgres`. */
  database: string
}

const PER_PAGE = 50

/** Measures a large data table over HTTP: reading one record, near and distant sorted pages, and creating records. */
export async function benchTables({
  records,
  ms,
  connections,
  executable,
  database,
}: TablesOptions): Promise<Result[]> {
  const program = await openExecutable(executable)
  const db = await openDatabase(database)
  const data = await makeTable(records, db.url)
  try {
    const server = await start<{ listening: string }>(
      program,
      ['serve', '--port', '0', '--data-dir', data.dir],
      data.environment,
    )
    try {
      const measure = async (request: (number: number) => Request, many = 1) => {
        const options = { address: server.ready.listening, credentials: `${data.key}:`, connections: many, ms, request }
        return load(options)
      }
      const median = async (query: string) => {
        const path = `/data/v1/data/${data.alias}${query}`
        return percentile((await measure(() => ({ method: 'GET', path }))).times, 0.5)
      }
      const far = Math.floor(records / PER_PAGE / 2)
      await median('?page=1')
      const one = await median(`/${Math.floor(records / 2)}`)
      const results: Result[] = [
        { name: 'read one', value: one, unit: 'ms', note: `median, ${records} records, ${database}` },
      ]
      const against = { name: 'page 1', value: await median('') }
      results.push({ name: 'page 1', value: against.value, unit: 'ms', against: { name: 'read one', value: one } })
      for (const sort of ['', 'sortBy=n&', 'sortBy=-n&', 'sortBy=-createdAt&']) {
        if (sort !== '')
          results.push({ name: `${sort}page=1`, value: await median(`?${sort}page=1`), unit: 'ms', against })
        const first = await firstCall(server.ready.listening, data, `?${sort}page=${far}`)
        results.push({ name: `${sort}page=${far}, first time`, value: first, unit: 'ms', against, note: 'one call' })
        results.push({ name: `${sort}page=${far}`, value: await median(`?${sort}page=${far}`), unit: 'ms', against })
      }
      const filter = encodeURIComponent(JSON.stringify({ field: 'n', operator: 'gte', value: Math.floor(records / 3) }))
      results.push({
        name: 'filter and sort by n',
        value: await median(`?sortBy=n&filter=${filter}`),
        unit: 'ms',
        against,
      })
      const path = `/data/v1/data/${data.alias}`
      const body = (number: number) => ({ title: `a title ${number}`, n: number, body: 'some text' })
      const alone = await measure((number) => ({ method: 'POST', path, body: body(number) }))
      const together = await measure((number) => ({ method: 'POST', path, body: body(number) }), connections)
      results.push({
        name: `create, ${connections} connections`,
        value: together.rate,
        unit: 'records/s',
        against: { name: 'one at a time', value: alone.rate },
        note: 'above 1 the records share commits',
      })
      const bulk = await measure((number) => ({
        method: 'POST',
        path,
        body: Array.from({ length: 500 }, () => body(number)),
      }))
      results.push({
        name: 'create, 500 in a list',
        value: bulk.rate * 500,
        unit: 'records/s',
        against: { name: 'one at a time', value: alone.rate },
      })
      return results
    } finally {
      await server.stop()
    }
  } finally {
    data.remove()
    await db.drop()
  }
}

async function firstCall(address: string, { alias, key }: TableData, query: string): Promise<number> {
  const caller = await openCaller(address, `${key}:`)
  // Opens the connection and authenticates once, so that the measured call has only its own cost.
  await caller.call({ method: 'GET', path: `/data/v1/data/${alias}` })
  const began = performance.now()
  const status = await caller.call({ method: 'GET', path: `/data/v1/data/${alias}${query}` })
  const took = performance.now() - began
  caller.close()
  if (status !== 200) throw new Error(`${query} got ${status}`)
  return took
}
