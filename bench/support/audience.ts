import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../../src/config.ts'
import type { NewApp } from '../../src/domain/apps/types.ts'
import { BLOCK_IDS } from '../../src/domain/crm/directory.ts'
import { checkBlocks } from '../../src/domain/gateways/service.ts'
import { openApp } from '../../src/open.ts'
import type { Sql } from '../../src/platform/db/connect.ts'

export interface DataDirectory {
  dir: string
  /** Environment variables with which the program opens the same database. */
  environment: Record<string, string>
  app: NewApp
  /** `user:password` of the server key and of the device key. */
  serverKey: string
  deviceKey: string
  remove(): void
}

export interface DataOptions {
  installs: number
  android?: unknown
  /** An empty PostgreSQL database (`postgres://…`); absent means SQLite in the directory. */
  database?: string | undefined
  /** Stores further data for a bench, in one transaction. */
  fill?: (trx: Sql, appId: number) => Promise<void>
}

/** Creates a data directory with one app and `installs` subscribed Android installs, each with a known user of its own. */
export async function makeDataDirectory(how: DataOptions): Promise<DataDirectory> {
  const dir = mkdtempSync(join(tmpdir(), 'appsvc-bench-'))
  const environment: Record<string, string> = how.database === undefined ? {} : { APPSVC_DATABASE_URL: how.database }
  const { config } = await loadConfig({ environment, flags: { dataDir: dir } })
  const program = openApp({ config })
  await program.migrate()
  const blocks = how.android === undefined ? {} : await checkBlocks({ android: how.android }, Date.now())
  const app = await program.inTransaction(async (tx) => {
    const made = await tx.apps.create({ name: 'Bench' })
    await tx.gateways.configure(made.id, blocks)
    return made
  })
  await program.kernel.db.write(async (trx) => {
    await insertInstalls(trx, app.id, how.installs)
    await how.fill?.(trx, app.id)
  })
  // A database that was not filled all at once already has statistics.
  if (how.database !== undefined) await program.kernel.db.read.raw('VACUUM ANALYZE')
  await program.kernel.db.checkpoint()
  await program.close()
  return {
    dir,
    environment,
    app,
    serverKey: `${app.apiKey}:${app.serverKey}`,
    deviceKey: `${app.apiKey}:${app.secretKey}`,
    remove: () => rmSync(dir, { recursive: true, force: true }),
  }
}

/** The token of the install with this number (from 1), as long as a token of FCM. */
export function tokenOf(number: number): string {
  return `bench${String(number).padStart(9, '0')}:APA91b${'x'.repeat(140)}`
}

/**
 * Stores what a device's first upload and its association store, for many devices in four statements. Through the API a million
 * devices would take an hour. Install `i` is `install-i`, and its user `user-i`.
 */
async function insertInstalls(sql: Sql, appId: number, count: number): Promise<void> {
  const now = Date.now()
  const [before, after] = tokenOf(0).split('000000000') as [string, string]
  const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`
  if (count === 0) return
  await sql.raw(
    `${numbers} INSERT INTO users
       (app_id, identifier, anonymous, listed, install_count, first_active, last_active, created_at, updated_at)
     SELECT CAST(? AS bigint), 'user-' || i, FALSE, TRUE, 1, CAST(? AS bigint), CAST(? AS bigint), CAST(? AS bigint), CAST(? AS bigint) FROM n`,
    [appId, now, now, now, now],
  )
  await sql.raw(
    `INSERT INTO user_blocks (app_id, block, listed) SELECT app_id, id / ${BLOCK_IDS}, COUNT(*) FROM users WHERE listed GROUP BY 1, 2`,
  )
  await sql.raw(
    `INSERT INTO installs
       (app_id, install_id, user_id, platform, token, token_at, subscribed, os, timezone, last_active, created_at, updated_at)
     SELECT app_id, 'install-' || substr(identifier, 6), id, 2,
       CAST(? AS text) || substr('000000000' || substr(identifier, 6), length(identifier) - 4) || CAST(? AS text), CAST(? AS bigint), TRUE,
       'Android', 'Europe/Berlin', CAST(? AS bigint), CAST(? AS bigint), CAST(? AS bigint)
     FROM users`,
    [before, after, now, now, now, now],
  )
}
