import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../../src/config.ts'
import type { NewApp } from '../../src/domain/apps/types.ts'
import type { Platform } from '../../src/domain/gateways/registry.ts'
import { checkBlocks } from '../../src/domain/gateways/service.ts'
import { openProgram } from '../../src/open.ts'
import type { Sql } from '../../src/platform/db/connect.ts'
import { insertInstalls } from '../../test/support/scenario/world-installs.ts'

export { tokenOf } from '../../test/support/scenario/world-installs.ts'

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
  /** Configuration blocks of gateways. */
  blocks?: Partial<Record<Platform, unknown>>
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
  const program = openProgram({ config })
  await program.migrate()
  const blocks = how.blocks === undefined ? {} : await checkBlocks(how.blocks, Date.now())
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
