import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Args, Command, Flags } from '@oclif/core'
import type { App } from '../../app.ts'
import type { ConfigInput, LoadedConfig } from '../../platform/config.ts'
import { AppError } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import { isExit } from '../failure.ts'
import { type Io, processIo } from '../io.ts'
import { createOutput, type Output } from '../output/output.ts'

/** The flags that every command takes. */
export interface GlobalFlags {
  config?: string | undefined
  'data-dir'?: string | undefined
  'database-url'?: string | undefined
}

/** An argument. Left to itself oclif takes a missing one from standard input, which belongs to the command's data. */
export const textArg = Args.custom({ ignoreStdin: true })

const GROUP = { helpGroup: 'GLOBAL' }

/**
 * What every command stands on: settings, the program opened in this process, output. Subclasses import what is heavy inside
 * `run`, so that `--help` and other commands do not pay for it.
 */
export abstract class BaseCommand extends Command {
  static override baseFlags = {
    config: Flags.string({
      ...GROUP,
      helpValue: 'FILE',
      description: 'settings file; else APPSVC_CONFIG, ./appsvc.yaml',
    }),
    'data-dir': Flags.string({ ...GROUP, helpValue: 'DIR', description: 'where the database and the master key live' }),
    'database-url': Flags.string({
      ...GROUP,
      helpValue: 'URL',
      description:
        'postgres://… without a password (APPSVC_DATABASE_URL may have one); else SQLite in the data directory',
    }),
    json: Flags.boolean({ ...GROUP, description: 'print one JSON value instead of text' }),
    'no-color': Flags.boolean({ ...GROUP, description: 'no colours' }),
  }

  protected out!: Output
  protected io!: Io
  /** Undone backwards when the command ends, however it ends. */
  readonly #releasers: (() => Promise<void> | void)[] = []

  override async init(): Promise<void> {
    await super.init()
    this.io = (this.config.options as { io?: Io }).io ?? (await processIo())
    const given = new Set(this.argv.slice(0, this.argv.includes('--') ? this.argv.indexOf('--') : undefined))
    this.out = createOutput(this.io, { json: given.has('--json'), color: !given.has('--no-color') })
  }

  /** oclif would print it; run.ts does, in our words. */
  override catch(error: Error): Promise<never> {
    return Promise.reject(error)
  }

  override async finally(error: Error | undefined): Promise<void> {
    for (const release of this.#releasers.splice(0).reverse()) await release()
    if (error === undefined || isExit(error)) await this.out.written()
  }

  /** Something to undo when the command ends. */
  protected onEnd(release: () => Promise<void> | void): void {
    this.#releasers.push(release)
  }

  /** Flags, environment, file, defaults. `settings` are further flags of the command. Throws `config` with all that is wrong. */
  protected async settings(
    flags: GlobalFlags,
    settings: ConfigInput['flags'] = {},
  ): Promise<LoadedConfig & { file?: string }> {
    refusePassword(flags['database-url'])
    const { loadConfig } = await import('../../config.ts')
    const environment = this.io.environment
    const file = settingsFile(flags, environment)
    const loaded = await loadConfig({
      file,
      environment,
      flags: { dataDir: flags['data-dir'], 'database.url': flags['database-url'], ...settings },
    })
    return { ...loaded, ...(file !== undefined && { file }) }
  }

  /**
   * The program on the configured database, migrated. Closed when the command ends. Throws `not_found` where there is no SQLite
   * database, because a mistyped path would look like an empty one; with `make` it makes one, and says so on standard error when it
   * made the data directory.
   */
  protected async open(flags: GlobalFlags, { migrate = true, make = false } = {}): Promise<App> {
    const { config } = await this.settings(flags)
    const { openApp, prepareStorage, refuseToMakeKey, requireDatabase, settleMasterKey } = await import('../../open.ts')
    if (!make) requireDatabase(config)
    if (prepareStorage(config)) this.out.note(`made the data directory ${resolve(config.dataDir)}`)
    await refuseToMakeKey(config)
    const app = openApp({ config, log: await this.openLog() })
    this.onEnd(() => app.close())
    if (migrate) await migrateWhenNeeded(app)
    await settleMasterKey(app)
    return app
  }

  /** Commands are silent but for their results; APPSVC_LOG_LEVEL=debug shows what happens inside. */
  protected async openLog(): Promise<Log> {
    const { createLog, silentLog } = await import('../../platform/log.ts')
    return this.io.environment.APPSVC_LOG_LEVEL === 'debug' ? createLog('debug') : silentLog
  }
}

/** Everybody on the machine can read the command line of every process. */
function refusePassword(databaseUrl: string | undefined): void {
  if (databaseUrl === undefined || !holdsPassword(databaseUrl)) return
  throw new AppError(
    'usage',
    '--database-url must not hold a password, because the list of processes shows it: ' +
      'give the address in APPSVC_DATABASE_URL, or as database.url in a settings file (--config)',
  )
}

function holdsPassword(databaseUrl: string): boolean {
  if (!URL.canParse(databaseUrl)) return /:\/\/[^/?#]*:[^/?#]+@|[?&]password=/i.test(databaseUrl)
  const { password, searchParams } = new URL(databaseUrl)
  return password !== '' || [...searchParams].some(([name, value]) => name.toLowerCase() === 'password' && value !== '')
}

function settingsFile(flags: GlobalFlags, environment: Io['environment']): string | undefined {
  const named = flags.config ?? environment.APPSVC_CONFIG
  if (named !== undefined && named !== '') return named
  const dataDir = flags['data-dir'] ?? environment.APPSVC_DATA_DIR ?? './data'
  return ['./appsvc.yaml', join(dataDir, 'appsvc.yaml')].find((file) => existsSync(file))
}

/** How long a command waits for another one that is changing the schema. */
const LOCK_WAIT_MS = 3000

/**
 * Brings the schema up to this program. On SQLite under the directory lock, because a running server of an older version must
 * not have its tables changed under it. Throws `config` when the schema is newer than we are.
 */
export async function migrateWhenNeeded(app: App): Promise<string[]> {
  const [{ migrationStatus }, { migrations }] = await Promise.all([
    import('../../platform/db/migrate.ts'),
    import('../../../migrations/index.ts'),
  ])
  const { pending, unknown } = await migrationStatus(app.kernel.db, migrations)
  if (pending.length === 0 && unknown.length === 0) return []
  if (unknown.length > 0) return app.migrate()
  return withDirectoryLock(app, 'restart the running server with this version of appsvc first', () => app.migrate())
}

/**
 * Changes the schema of an SQLite database while nobody serves it (PostgreSQL has locks of its own). `remedy` is what to do
 * when somebody does; then `unavailable` is thrown.
 */
export async function withDirectoryLock<T>(app: App, remedy: string, work: () => Promise<T>): Promise<T> {
  if (app.kernel.db.kind === 'postgres') return work()
  const { lockDirectory } = await import('../../platform/lock.ts')
  const lock = await lockDirectory(app.kernel.config.dataDir, { waitMs: LOCK_WAIT_MS }).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'unavailable') throw error
    throw new AppError('unavailable', `a server runs on this database, so its schema cannot be changed now: ${remedy}`)
  })
  try {
    return await work()
  } finally {
    lock.release()
  }
}
