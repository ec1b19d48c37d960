import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { join } from 'node:path'
import packageJson from '../../../package.json' with { type: 'json' }
import type { ConfigInput } from '../../platform/config/config.ts'
import type { Config } from '../../platform/config/settings.ts'
import type { NodeRole } from '../../platform/instance/nodes.repository.ts'
import type { Log } from '../../platform/log/log.ts'
import type { ReaderSource } from '../../platform/long-reads/client.ts'
import type { Kernel, Program } from '../../program.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { HttpCells, RunningServer } from '../../server/index.ts'
import type { WorkerOptions } from '../../workers/index.ts'
import type { Io } from '../process/io.ts'
import { untilAskedToStop } from '../process/signals.ts'
import { BaseCommand, type GlobalFlags, migrateWhenNeeded } from './base.ts'

/** The time (ms) to wait for a predecessor that is shutting down to release the data directory. */
const LOCK_WAIT_MS = 5000
/** The time (ms) after which unfinished work is cut off and recovered at the next start: the server promises to stop within 25 s. */
const STOP_MS = 24_000
/** Interval at which the marks are renewed that reveal a restored database at the next start. */
const MARK_MS = 60_000

/** Functions that run.ts hands over, because nothing may import what imports it. */
interface CommandRunner {
  runCommandLine(argv: string[], io: Io): Promise<number>
}

/** The program opened for a long-running process. */
export interface Opened {
  program: Program
  /** Memory shared with the worker threads (platform/db/write-turn.ts, soundness.ts, platform/timekeeping/cell.ts). */
  cells: Pick<WorkerOptions, 'turnCell' | 'soundnessCell' | 'clockCell' | 'changesCell'> & HttpCells
  /** The id of this node (platform/instance/nodes.ts). */
  node: string
  /** Sets the function that is called when there is new work for the workers. */
  connectWake(ring: Kernel['wake']): void
}

/**
 * Base of `serve`, `worker` and `demo`: they own the data directory, run until they are asked to stop, and shut down in
 * order.
 */
export abstract class Daemon extends BaseCommand {
  protected sandbox: Sandbox | undefined
  /** Settings with which commands in other processes send to the stand-ins too. */
  protected sandboxSettings: NonNullable<ConfigInput['flags']> = {}
  #log: Log | undefined
  #server: RunningServer | undefined
  #asked: Promise<NodeJS.Signals> | undefined
  /** Rejects when this node must not work on the database any more. */
  readonly #expelled = Promise.withResolvers<never>()

  /**
   * Locks the data directory, opens the program with a log, and migrates. Everything is undone when the command ends.
   */
  protected async openLocked(
    flags: GlobalFlags,
    settings: ConfigInput['flags'],
    { sandbox, roles }: { sandbox: boolean; roles: NodeRole[] },
  ): Promise<Opened> {
    let { config } = await this.settings(flags, settings)
    // Installed early: a signal during the start takes effect as soon as the start is complete.
    const { asked, end } = untilAskedToStop(this.#onTerminal() ? {} : { onHangup: () => this.#onHangup() })
    this.#asked = asked
    this.onEnd(end)
    const { prepareStorage } = await import('../../open.ts')
    const { refuseBadStart } = await import('../../server/start-checks.ts')
    // Nobody waits for it yet.
    this.#expelled.promise.catch(() => {})
    const log = await this.#openLog(config)
    await refuseBadStart(config, { http: roles.includes('http') })
    prepareStorage(config)
    await this.#lock(config)
    if (sandbox) {
      await this.#startSandbox(config, log)
      config = (await this.settings(flags, { ...settings, ...this.sandboxSettings })).config
    }

    const cells = await newCells(config, log, roles)
    let ring: Kernel['wake'] = () => {}
    const program = await this.#openProgram(config, log, cells, (whom) => ring(whom))
    await this.#takeCustody(program)
    const node = randomBytes(6).toString('hex')
    await this.#join(program, node, roles)
    await this.#watch(program, node)
    return {
      program,
      cells,
      node,
      connectWake(wake) {
        ring = wake
      },
    }
  }

  async #openLog(config: Config): Promise<Log> {
    const { createLog } = await import('../../platform/log/log.ts')
    const log = createLog(config['log.level'], config['log.format'])
    this.#log = log
    this.onEnd(() => log.flush())
    this.onEnd(endOnFault(log))
    return log
  }

  /** Opens the program, unless the database is lost or of another key, and migrates. */
  async #openProgram(config: Config, log: Log, cells: Opened['cells'], wake: Kernel['wake']): Promise<Program> {
    const open = await import('../../open.ts')
    const { openSharing } = await import('../../platform/threads/sharing.ts')
    const { followZoneRules, warnOfUnusedZones } = await import('../../workers/zone-rules.ts')
    await open.refuseUnknownPooler(config)
    await open.finishRotation(config, log)
    await open.refuseToMakeKey(config, log)
    const sharing = cells.sharingCells && openSharing(cells.sharingCells)
    const program = open.openProgram({ config, log, ...cells, sharing, wake })
    this.onEnd(() => program.close())
    await open.refuseWrongKey(program)
    await open.refuseLostDatabase(program)
    await open.hearDatabaseTime(program)
    // This process already holds the directory lock, so it must not take the one that commands use for migrations.
    const { applied, snapshot } = await (config['database.url'].reveal() === ''
      ? open.migrateSafely(program)
      : migrateWhenNeeded(program))
    if (snapshot) log[snapshot.kind === 'skipped' ? 'warn' : 'info']({ snapshot }, open.snapshotSentence(snapshot))
    if (applied.length > 0) log.info({ steps: applied.length, newest: applied.at(-1) }, 'schema migrated')
    await open.settleMasterKey(program)
    warnOfUnusedZones(program, log)
    await followZoneRules(program, log)
    return program
  }

  /** Tells whether the server was started at a terminal: it ends when the terminal is closed. */
  #onTerminal(): boolean {
    return [this.io.stdin, this.io.stdout, this.io.stderr].some(({ isTTY }) => isTTY === true)
  }

  /**
   * Keeps serving: for a service SIGHUP conventionally means "reload the settings", and log rotation sends it. Only certificates
   * are read again.
   */
  #onHangup(): void {
    if (this.#server?.secureAddress !== undefined) {
      this.#log?.info({ signal: 'SIGHUP' }, 'SIGHUP: reading the certificates again; other settings need a restart')
      return void this.#server.reload()
    }
    this.#log?.warn(
      { signal: 'SIGHUP' },
      'SIGHUP ignored: settings are read only at startup; restart to change them, or send SIGTERM to stop',
    )
  }

  /** Holds the database if it was restored, and renews its marks so that the next start can tell. */
  async #takeCustody(program: Program): Promise<void> {
    const { custodyOf } = await import('../../open.ts')
    const custody = custodyOf(program)
    await custody.takeOver()
    // Not awaited: until the new marks are written, those of the last shutdown stay valid.
    void custody.advance()
    const timer = setInterval(() => void custody.advance(), MARK_MS)
    timer.unref()
    this.onEnd(async () => {
      clearInterval(timer)
      await custody.advance()
    })
  }

  /** Enters the table of nodes. A node that must not go on ends with the reason, as if it had not started. */
  async #join(program: Program, id: string, roles: NodeRole[]): Promise<void> {
    const [{ joinNodes, keyPrintOf }, { refuseToGoOn }, { migrations }] = await Promise.all([
      import('../../platform/instance/nodes.ts'),
      import('../../open.ts'),
      import('../../../migrations/index.ts'),
    ])
    const { db, clock, log, vault } = program.kernel
    const membership = await joinNodes({
      db,
      clock,
      log,
      facts: {
        id,
        host: hostname(),
        pid: process.pid,
        version: packageJson.version,
        schemaStep: Object.keys(migrations).at(-1)!,
        keyPrint: keyPrintOf(vault.keyCheck()),
        roles,
      },
      check: () => refuseToGoOn(program),
      expelled: (error) => this.#expelled.reject(error),
    })
    this.onEnd(() => membership.close())
  }

  async #watch(program: Program, node: string): Promise<void> {
    const { startWatch } = await import('../../workers/watch.ts')
    const watch = await startWatch(program, { alone: program.kernel.db.kind === 'sqlite', node })
    this.onEnd(() => watch.close())
  }

  async #lock(config: Config): Promise<void> {
    if (config['database.url'].reveal() !== '') return
    const { lockDirectory } = await import('../../platform/files/lock.ts')
    const lock = await lockDirectory(config.dataDir, { waitMs: LOCK_WAIT_MS })
    this.onEnd(() => lock.release())
  }

  /** Starts the stand-ins and sets the gateway URLs so that this server sends to them only. */
  async #startSandbox(config: Config, log: Log): Promise<void> {
    const [{ startSandbox }, { settingsBeside }] = await Promise.all([
      import('../../sandbox/sandbox.ts'),
      import('../../sandbox/beside.ts'),
    ])
    const dir = join(config.dataDir, 'sandbox')
    const sandbox = await startSandbox({ dir, log: (line) => log.debug({ sandbox: line }, 'sandbox') })
    this.sandbox = sandbox
    this.onEnd(() => sandbox.close())
    this.sandboxSettings = settingsBeside(config, sandbox, dir)
  }

  /** Starts listening and, if wanted, the workers. */
  protected async startServing(opened: Opened, { workers }: { workers: boolean }): Promise<RunningServer> {
    let stopWorkers: (() => Promise<void>) | undefined
    // Registered before the server, so that it runs after it: requests stop first, then the threads finish.
    this.onEnd(() => stopWorkers?.())
    const { keepNewObjectsYoung } = await import('../../platform/threads/heaps.ts')
    keepNewObjectsYoung()
    const readers = await this.#startReaders(opened)
    const { listen } = await import('../../server/index.ts')
    await this.#offerCommands(opened.program)
    const server = await listen(opened.program, { cells: opened.cells, readers })
    this.#server = server
    this.onEnd(() => server.close())
    const [{ settingsForOthers }, { writeServerFile }] = await Promise.all([
      import('../../config.ts'),
      import('../../platform/instance/server-file.ts'),
    ])
    const { config, port } = opened.program.kernel
    // The port that it got, also where the setting is 0.
    this.onEnd(writeServerFile(config.dataDir, { ...settingsForOthers(config), port: String(port) }))
    if (workers) stopWorkers = await startThreads(opened)
    await this.#reportLoad(opened.program, server)
    await this.#collectAtRest()
    return server
  }

  /** Lets people on other machines run commands on the server. */
  async #offerCommands(program: Program): Promise<void> {
    const [{ offerCommands }, { createCommandRunner }] = await Promise.all([
      import('../../server/admin/command-runner.ts'),
      import('../remote/runner.ts'),
    ])
    const { runCommandLine } = (this.config as unknown as { options: CommandRunner }).options
    offerCommands(program, createCommandRunner(runCommandLine))
  }

  /** Starts the thread for long reads with the first of them. */
  async #startReaders({ program, cells }: Opened): Promise<ReaderSource> {
    const [{ startReaders }, { createLongReads }] = await Promise.all([
      import('../../workers/readers.ts'),
      import('../../platform/long-reads/client.ts'),
    ])
    const readers = startReaders(program, cells)
    const longReads = createLongReads(readers, program.kernel.clock)
    program.kernel.longReads = longReads
    this.onEnd(async () => {
      longReads.close()
      await readers.close()
    })
    return readers
  }

  /** Gives back what the start has left behind. */
  async #collectAtRest(): Promise<void> {
    const { collectAtRest } = await import('../../platform/threads/rest.ts')
    this.onEnd(collectAtRest())
  }

  /** Starts the workers only. */
  protected async startWorking(opened: Opened): Promise<void> {
    this.onEnd(await startThreads(opened))
    await this.#reportLoad(opened.program)
    await this.#collectAtRest()
  }

  /** Stores the load of this process once a minute. */
  async #reportLoad(program: Program, server?: RunningServer): Promise<void> {
    const { startLoadReports } = await import('../../workers/load.ts')
    const reports = startLoadReports(program, { requests: server?.requests })
    this.onEnd(() => reports.close())
  }

  /** Resolves when the process is asked to stop, and starts the shutdown deadline. */
  protected async untilStopped(): Promise<void> {
    const signal = await Promise.race([this.#asked, this.#expelled.promise]).finally(() => this.#limitStop())
    this.#log?.info({ signal }, 'stopping')
  }

  #limitStop(): void {
    setTimeout(() => {
      this.#log?.error({}, 'shutdown timed out: unfinished work is recovered at the next start')
      this.#log?.flush()
      process.exit(1)
    }, STOP_MS).unref()
  }
}

/** Makes the memory that the threads of this process share. */
async function newCells(config: Config, log: Log, roles: readonly NodeRole[]): Promise<Opened['cells']> {
  const [{ newWriteTurnCell }, { newSoundnessCell }, { newClockCell }, { newChangesCell }, { newSharingCells }] =
    await Promise.all([
      import('../../platform/db/write-turn.ts'),
      import('../../platform/db/soundness.ts'),
      import('../../platform/timekeeping/cell.ts'),
      import('../../platform/threads/changes.ts'),
      import('../../platform/threads/sharing.ts'),
    ])
  const threads = roles.includes('http') ? await (await import('../../server/index.ts')).httpThreadsOf(config, log) : 1
  const maxConnections = config['http.maxConnections']
  return {
    turnCell: newWriteTurnCell(),
    soundnessCell: newSoundnessCell(),
    clockCell: newClockCell(),
    changesCell: newChangesCell(),
    sharingCells: threads > 1 ? newSharingCells({ threads, maxConnections }) : undefined,
  }
}

async function startThreads({ program, cells, node, connectWake }: Opened): Promise<() => Promise<void>> {
  const { startWorkers } = await import('../../workers/index.ts')
  const running = await startWorkers(program, { ...cells, node, alone: program.kernel.db.kind === 'sqlite' })
  connectWake((whom) => running.wake(whom))
  return () => running.close()
}

/**
 * An uncaught error leaves the program in an unknown state: log it and exit, so that a supervisor restarts it. Returns a function
 * that ends this, for a process that goes on behind the command.
 */
function endOnFault(log: Log): () => void {
  const endWith = (what: string) => (error: unknown) => {
    log.error({ err: error }, what)
    log.flush()
    process.exit(1)
  }
  const onException = endWith('uncaught exception')
  const onRejection = endWith('unhandled rejection')
  process.on('uncaughtException', onException)
  process.on('unhandledRejection', onRejection)
  return () => {
    process.off('uncaughtException', onException)
    process.off('unhandledRejection', onRejection)
  }
}
