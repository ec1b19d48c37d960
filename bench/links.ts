import { join } from 'node:path'
import { loadConfig } from '../src/config.ts'
import { openProgram } from '../src/open.ts'
import type { Sql } from '../src/platform/db/connect.ts'
import { makeDataDirectory } from './support/audience.ts'
import { openDatabase } from './support/database.ts'
import { openExecutable, start } from './support/executable.ts'
import { type LoadOptions, load } from './support/http.ts'
import { percentile, type Result } from './support/result.ts'

export interface LinksOptions {
  links: number
  connections: number
  ms: number
  executable?: string | undefined
  /** `sqlite` or `postgres` */
  database: string
}

/** Number of hot links, as in a campaign. */
const HOT = 1000
const PATIENCE_MS = 60_000
/** The user agent of all visits. */
const AGENT =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/125.0.0.0 Safari/537.36'

/**
 * Measures redirects of short links: of a few hot links, and of random links, nearly all of which are looked up in the database. Every
 * visit is counted. The baseline is a Koa server that does nothing.
 */
export async function benchLinks({ links, connections, ms, executable, database }: LinksOptions): Promise<Result[]> {
  const built = await openExecutable(executable)
  const db = await openDatabase(database)
  const data = await makeDataDirectory({
    installs: 0,
    database: db.url,
    fill: (trx, appId) => insertLinks(trx, appId, links),
  })
  const { config } = await loadConfig({ environment: data.environment, flags: { dataDir: data.dir } })
  const program = openProgram({ config })
  const { subdomain } = (await program.links.site(data.app.id)).settings
  try {
    const bare = await start<{ listening: string }>(
      { command: process.execPath, args: [join(import.meta.dirname, 'support/bare-koa.ts')], name: 'bare Koa' },
      [],
    )
    const argv = ['serve', '--port', '0', '--no-workers', '--data-dir', data.dir]
    const server = await start<{ listening: string }>(built, argv, data.environment)
    try {
      const measure = (address: string, request: LoadOptions['request'], host?: string) => {
        const headers = { 'User-Agent': AGENT, Accept: 'text/html', ...(host !== undefined && { Host: host }) }
        return load({
          address,
          credentials: '',
          connections,
          ms,
          request,
          headers,
          expected: host === undefined ? 200 : 302,
        })
      }
      const host = `${subdomain}.localhost`
      const plain = () => measure(bare.ready.listening, () => ({ method: 'GET', path: '/' }))
      let visited = 0
      const visits = async (of: number) => {
        const path = (n: number) => `/s${scattered(n) % of}`
        const measured = await measure(server.ready.listening, (n) => ({ method: 'GET', path: path(n) }), host)
        visited += measured.times.length
        await untilCounted(program.kernel.db.read, visited)
        return measured
      }
      // Warm-up: every kind of request once.
      await plain()
      await visits(HOT)
      const before = await plain()
      const hot = await visits(HOT)
      const any = await visits(links)
      const after = await plain()
      const rate = (before.rate + after.rate) / 2
      const p99 = percentile([...before.times, ...after.times], 0.99)
      return [
        { name: `${HOT} hot links`, value: hot.rate, unit: 'redirects/s', against: { name: 'bare Koa', value: rate } },
        {
          name: `${HOT} hot links, p99`,
          value: percentile(hot.times, 0.99),
          unit: 'ms',
          against: { name: 'bare Koa', value: p99 },
        },
        {
          name: `random of ${links} links`,
          value: any.rate,
          unit: 'redirects/s',
          against: { name: 'bare Koa', value: rate },
        },
        {
          name: `random of ${links} links, p99`,
          value: percentile(any.times, 0.99),
          unit: 'ms',
          against: { name: 'bare Koa', value: p99 },
        },
      ].map((result) => ({ ...result, note: `${connections} connections, ${database}, every visit counted` }))
    } finally {
      await server.stop()
      await bare.stop()
    }
  } finally {
    await program.close()
    data.remove()
    await db.drop()
  }
}

/** Waits until this number of visits is stored. Shows that none was lost, and keeps their writes out of the next measurement. */
async function untilCounted(sql: Sql, visits: number): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const [{ clicks }] = (await sql('deep_link_counts').sum({ clicks: 'clicks' })) as [{ clicks: number }]
    if (clicks === visits) return
    if (performance.now() > deadline) throw new Error(`only ${clicks} of ${visits} visits were counted`)
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

/** Scatters numbers, so that consecutive requests do not read neighbouring rows. */
function scattered(number: number): number {
  return Math.imul(number + 1, 0x9e3779b1) >>> 0
}

/** Creates the links `s0`, `s1`, ... */
async function insertLinks(sql: Sql, appId: number, count: number): Promise<void> {
  const now = Date.now()
  await sql.raw(
    `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${count - 1})
     INSERT INTO deep_links
       (app_id, slug, link_data, title, desktop_web_fallback_url, mobile_web_fallback_url, reporting_meta, created_at, updated_at)
     SELECT CAST(? AS bigint), 's' || i, '{"item":1}', 'Spring sale', 'https://example.com/item/' || i,
       'https://m.example.com/item/' || i, '{"campaign":"spring"}', CAST(? AS bigint), CAST(? AS bigint) FROM n`,
    [appId, now, now],
  )
  await sql.raw(
    'INSERT INTO deep_link_counts (link_id, app_id, lookups, clicks) SELECT id, app_id, 0, 0 FROM deep_links',
  )
}
