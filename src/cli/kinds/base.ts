import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Command, Flags } from '@oclif/core'
import type { Migrated } from '../../open.ts'
import type { ConfigInput, LoadedConfig } from '../../platform/config/config.ts'
import type { Config } from '../../platform/config/settings.ts'
import { AppError } from '../../platform/errors.ts'
import type { Log } from '../../platform/log/log.ts'
import type { Program } from '../../program.ts'
import { isExit } from '../failure.ts'
import { createOutput, type Output } from '../output/output.ts'
import type { Caller } from '../process/caller.ts'
import { type Io, processIo } from '../process/io.ts'
import { type AppDeclaration, readNamedApp, shownInput } from './named-app.ts'

/** The flags that every command takes. */
export interface GlobalFlags {
  config?: string | undefined
  'data-dir'?: string | undefined
  'database-url'?: string | undefined
}

const GROUP = { helpGroup: 'GLOBAL' }

/**
 * Base of every command: settings, the program opened in this process, output. Commands import heavy modules inside
 * `run`, so that `--help` and other commands do not load them.
 */
export abstract class BaseCommand extends Command {
  static override baseFlags = {
    config: Flags.string({
      ...GROUP,
      helpValue: 'FILE',
      description: 'settings file; default: APPSVC_CONFIG, then ./appsvc.yaml',
    }),
    'data-dir': Flags.string({
      ...GROUP,
      helpValue: 'DIR',
      description: 'directory of the database and the master key',
    }),
    'database-url': Flags.string({
      ...GROUP,
      helpValue: 'URL',
      description:
        'postgres://… without a password (put that in APPSVC_DATABASE_URL); default: SQLite in the data directory',
    }),
    url: Flags.string({
      ...GROUP,
      helpValue: 'URL',
      description: 'run on this server, with a personal token (appsvc login)',
    }),
    ca: Flags.string({
      ...GROUP,
      helpValue: 'FILE',
      description: 'with --url: certificate authorities (PEM) that the server is verified with, besides the usual ones',
    }),
    json: Flags.boolean({ ...GROUP, description: 'print one JSON value instead of text' }),
    quiet: Flags.boolean({ ...GROUP, char: 'q', description: 'print results and errors only, no remarks or progress' }),
    'no-color': Flags.boolean({ ...GROUP, description: 'turn off colours' }),
  }

  protected out!: Output
  protected io!: Io
  /** Called in reverse order when the command ends, also after an error. */
  readonly #releasers: (() => Promise<void> | void)[] = []

  override async init(): Promise<void> {
    await super.init()
    const io = (this.config.options as { io?: Io }).io ?? (await processIo())
    const given = new Set(this.argv.slice(0, this.argv.includes('--') ? this.argv.indexOf('--') : undefined))
    const quiet = given.has('--quiet') || given.has('-q')
    this.io = quiet ? { ...io, quiet } : io
    if ((this.config.options as { io?: Io }).io === undefined) await this.#useZoneRules()
    this.out = createOutput(this.io, { json: given.has('--json'), color: !given.has('--no-color') })
  }

  /**
   * Reads the time zone rules. Called before anything is read from standard input, which would be lost when the process starts
   * again.
   */
  async #useZoneRules(): Promise<void> {
    const { environment } = this.io
    const { readZoneFile, ZONE_VARIABLE, zoneFolder } = await import('../../platform/time/zone-file.ts')
    const isSet = environment[ZONE_VARIABLE] !== undefined
    const flags = { config: this.#given('config'), 'data-dir': this.#given('data-dir') }
    const file = settingsFile(flags, environment)
    const dataDir = flags['data-dir'] ?? environment.APPSVC_DATA_DIR ?? './data'
    const usual = { dataDir, 'timezones.dir': environment.APPSVC_TIMEZONES_DIR ?? '' }
    // Most processes have neither: they need not even load the settings.
    if (!isSet && file === undefined && readZoneFile(zoneFolder(usual)).state === 'absent') return
    const { refuseBrokenZones, useZoneRules } = await import('../zone-rules.ts')
    refuseBrokenZones(environment)
    if (isSet) return
    const { loadConfig } = await import('../../config.ts')
    const loaded = await loadConfig({ file, environment, flags: { dataDir: flags['data-dir'] } }).catch(() => undefined)
    // Settings that cannot be read are refused when they are needed.
    if (loaded) useZoneRules({ config: loaded.config, environment })
  }

  /** The value of a flag before the line is parsed; undefined when it is not given. */
  #given(name: string): string | undefined {
    const end = this.argv.indexOf('--')
    const words = end < 0 ? this.argv : this.argv.slice(0, end)
    const at = words.findLastIndex((word) => word === `--${name}` || word.startsWith(`--${name}=`))
    if (at < 0) return undefined
    const word = words[at]!
    return word.includes('=') ? word.slice(word.indexOf('=') + 1) : words[at + 1]
  }

  /** Keeps oclif from printing the error: run.ts prints it. */
  override catch(error: Error): Promise<never> {
    return Promise.reject(error)
  }

  override async finally(error: Error | undefined): Promise<void> {
    for (const release of this.#releasers.splice(0).reverse()) await release()
    if (error === undefined || isExit(error)) await this.out.written()
  }

  /** Registers something to undo when the command ends. */
  protected onEnd(release: () => Promise<void> | void): void {
    this.#releasers.push(release)
  }

  /**
   * Parses a command line that may name an app: by `--app`, or by a word before the other arguments. `ref` is the app as it
   * was named.
   */
  protected async parseWithApp(declared: AppDeclaration) {
    const { flags } = shownInput(declared)
    // The number of words tells which of them is which, and flags with values are not words.
    const loose = await this.parse({ flags, baseFlags: BaseCommand.baseFlags, args: {}, strict: false })
    const words = loose.argv as string[]
    // What is a file on another machine is not known here.
    const isApp = this.io.caller && declared.appLeads && words.length > 0 && (await this.io.caller.isApp(words[0]!))
    const { ref, args } = readNamedApp(declared, words, loose.flags, isApp)
    const parsed = await this.parse({ flags, baseFlags: BaseCommand.baseFlags, args, strict: true })
    return { ...parsed, ref }
  }

  /**
   * The settings from flags, environment, file and defaults. `settings` are further flags of the command. Throws
   * `config` naming every error.
   */
  protected async settings(
    flags: GlobalFlags,
    settings: ConfigInput['flags'] = {},
  ): Promise<LoadedConfig & { file?: string }> {
    if (this.io.caller) return this.#settingsOfServer(flags, this.io.caller)
    await refusePassword(flags['database-url'])
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

  /** The settings for a caller on another machine, whose flags must not lead to other files of this machine. */
  #settingsOfServer(flags: GlobalFlags, { program }: Caller): LoadedConfig {
    const wrong = ['config', 'data-dir', 'database-url'].find((name) => Object.hasOwn(flags, name))
    if (wrong !== undefined)
      throw new AppError('usage', `--${wrong} cannot be combined with a server on another machine`)
    const { config } = program.kernel
    const sources = Object.fromEntries(Object.keys(config).map((name) => [name, 'file']))
    return { config, sources: sources as LoadedConfig['sources'] }
  }

  /**
   * Opens the program on the configured database and migrates it; it is closed when the command ends. Throws
   * `not_found` if there is no SQLite database, because a mistyped path would look like an empty one. With `make` it
   * creates the database, and prints a note on standard error if it created the data directory.
   */
  protected async open(flags: GlobalFlags, { migrate = true, make = false } = {}): Promise<Program> {
    const loaded = await this.settings(flags)
    const { keepingReserve } = await import('./reserve.ts')
    if (this.io.caller) return keepingReserve(this.io.caller.program, this.id ?? '')
    await untilMade(loaded.config)
    const config = await asTheServer(loaded.config)
    const {
      finishRotation,
      hearDatabaseTime,
      openProgram,
      prepareStorage,
      refuseLostDatabase,
      refuseToMakeKey,
      refuseWrongKey,
      requireDatabase,
      settleMasterKey,
    } = await import('../../open.ts')
    if (!make) requireDatabase(config)
    if (prepareStorage(config) !== undefined) this.out.note(`created the data directory ${resolve(config.dataDir)}`)
    await finishRotation(config)
    await refuseToMakeKey(config)
    const program = openProgram({ config, log: await this.openLog() })
    this.onEnd(() => program.close())
    await refuseWrongKey(program)
    await refuseLostDatabase(program)
    await hearDatabaseTime(program)
    if (migrate) await this.migrate(program)
    await settleMasterKey(program)
    return keepingReserve(program, this.id ?? '')
  }

  /** Migrates when needed, and says on standard error where the snapshot is. */
  protected async migrate(program: Program): Promise<Migrated> {
    const migrated = await migrateWhenNeeded(program)
    if (migrated.snapshot) this.out.note((await import('../../open.ts')).snapshotSentence(migrated.snapshot))
    return migrated
  }

  /** Commands print only their results, unless APPSVC_LOG_LEVEL=debug. */
  protected async openLog(): Promise<Log> {
    const { createLog, silentLog } = await import('../../platform/log/log.ts')
    return this.io.environment.APPSVC_LOG_LEVEL === 'debug' ? createLog('debug', 'auto') : silentLog
  }
}

/** Refuses an address with a password: every user of the machine can read the command lines of all processes. */
async function refusePassword(databaseUrl: string | undefined): Promise<void> {
  if (databaseUrl === undefined) return
  const { containsPassword } = await import('../../platform/config/config.ts')
  if (!containsPassword(databaseUrl)) return
  throw new AppError(
    'usage',
    '--database-url must not contain a password, because the process list shows it: ' +
      'set APPSVC_DATABASE_URL instead, or database.url in a settings file (--config)',
  )
}

function settingsFile(flags: GlobalFlags, environment: Io['environment']): string | undefined {
  const named = flags.config ?? environment.APPSVC_CONFIG
  if (named !== undefined && named !== '') return named
  const dataDir = flags['data-dir'] ?? environment.APPSVC_DATA_DIR
  return settingsPlaces(dataDir, process.execPath, existsSync('./data')).find((file) => existsSync(file))
}

/**
 * The settings files that a command looks for when none is named, the first one first. The executable of the Debian package has one of its own, behind
 * those of a folder: where a data directory is named or lies in the folder, the server of the machine is not meant.
 */
export function settingsPlaces(dataDir: string | undefined, program: string, isDataHere: boolean): string[] {
  const places = ['./appsvc.yaml', join(dataDir ?? './data', 'appsvc.yaml')]
  const isPackaged = program === '/usr/bin/appsvc' && dataDir === undefined && !isDataHere
  return isPackaged ? [...places, '/etc/appsvc.yaml'] : places
}

/**
 * The settings of the server that runs on the data directory, or else those of this command line: the flags and variables of the server are unknown here,
 * and a command beside it means the same gateways, the same addresses and the same disk. Returns `config` itself without a server.
 */
export async function asTheServer(config: Config): Promise<Config> {
  const { readServerFile } = await import('../../platform/instance/server-file.ts')
  const told = readServerFile(config.dataDir)
  if (told === undefined) return config
  const { withSettingsOf } = await import('../../config.ts')
  return withSettingsOf(config, told)
}

/** The time (ms) for which a command waits for another command that is changing the schema. */
const LOCK_WAIT_MS = 3000
/** The time (ms) for which a command waits for a server that is starting, and the time between two looks. */
const START_WAIT_MS = 120_000
const START_LOOK_MS = 100

/** Waits while a server that is starting has not made its database yet. */
async function untilMade(config: Config): Promise<void> {
  const { hasDatabase } = await import('../../open.ts')
  if (!hasDatabase(config)) await whileStarting(config, () => Promise.resolve(!hasDatabase(config)))
}

/** Waits for the server that is starting on this directory, as long as `isPending`; at once without one. SQLite only. */
async function whileStarting(config: Config, isPending: () => Promise<boolean>): Promise<void> {
  const [{ readServerFile }, { isLocked }, { systemClock }] = await Promise.all([
    import('../../platform/instance/server-file.ts'),
    import('../../platform/files/lock.ts'),
    import('../../platform/time/clock.ts'),
  ])
  const until = systemClock.monotonic() + START_WAIT_MS
  while ((await isPending()) && isLocked(config.dataDir) && readServerFile(config.dataDir) === undefined) {
    if (systemClock.monotonic() > until) return
    await systemClock.sleep(START_LOOK_MS)
  }
}

/**
 * Migrates the schema to this version. On SQLite it takes the directory lock, because the schema must not change under
 * a running server of an older version. Throws `config` if the schema is newer than this version.
 */
export async function migrateWhenNeeded(program: Program): Promise<Migrated> {
  const { migrateSafely } = await import('../../open.ts')
  const { pending, unknown } = await program.schema()
  if (pending.length === 0 && unknown.length === 0) return { applied: [], snapshot: undefined }
  if (unknown.length > 0) return migrateSafely(program)
  if (program.kernel.db.kind === 'postgres') return migrateSafely(program)
  const { config, clock } = program.kernel
  const { readServerFile } = await import('../../platform/instance/server-file.ts')
  const isPending = async () => (await program.schema()).pending.length > 0
  const until = clock.monotonic() + START_WAIT_MS
  for (;;) {
    await whileStarting(config, isPending)
    if (!(await isPending())) return { applied: [], snapshot: undefined }
    const isRunning = readServerFile(config.dataDir) !== undefined
    const remedy = isRunning
      ? 'restart the running server with this version of appsvc first'
      : 'another appsvc is starting, restoring or copying there; try again when it has ended'
    let isOurs = false
    const work = () => {
      isOurs = true
      return migrateSafely(program)
    }
    try {
      return await withDirectoryLock(program, remedy, work)
    } catch (error) {
      // Of several that find an old schema at once, one changes it, and the others go on when it is through, however long that takes.
      if (isOurs || isRunning || clock.monotonic() > until) throw error
    }
  }
}

/**
 * Runs `work`, which changes the schema of an SQLite database, while no server uses it; PostgreSQL has its own locks.
 * Throws `unavailable` with `remedy` if a server is running.
 */
export async function withDirectoryLock<T>(program: Program, remedy: string, work: () => Promise<T>): Promise<T> {
  if (program.kernel.db.kind === 'postgres') return work()
  const { lockDirectory } = await import('../../platform/files/lock.ts')
  const lock = await lockDirectory(program.kernel.config.dataDir, { waitMs: LOCK_WAIT_MS }).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'unavailable') throw error
    throw new AppError('unavailable', `the schema cannot be changed while a server runs on this database: ${remedy}`)
  })
  try {
    return await work()
  } finally {
    lock.release()
  }
}
