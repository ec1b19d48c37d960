import { join } from 'node:path'
import type { App } from '../../app.ts'
import type { Config, ConfigInput } from '../../platform/config.ts'
import type { Log } from '../../platform/log.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { WorkerOptions } from '../../workers/index.ts'
import { BaseCommand, type GlobalFlags, migrateWhenNeeded } from './base.ts'
import { untilAskedToStop } from './signals.ts'

/** A predecessor that is just ending may take so long to let go of the data directory. */
const LOCK_WAIT_MS = 5000
/** The program promises to end within 25 s; what has not finished by then is cut off and recovered at the next start. */
const STOP_MS = 24_000
/** How often the marks change by which a start tells that the database was restored. */
const MARK_MS = 60_000

/** The program as a long-running process has it. */
export interface Opened {
  app: App
  /** What the worker threads share with this one (platform/db/write-turn.ts, soundness.ts, workers/clock-watch.ts). */
  cells: Pick<WorkerOptions, 'turnCell' | 'soundnessCell' | 'clockCell'>
  /** Says who hears of new work once there are workers. */
  connectWake(ring: () => void): void
}

/** What `serve` and `worker` share: they own the data directory, run until they are asked to stop, and stop in order. */
export abstract class Daemon extends BaseCommand {
  protected sandbox: Sandbox | undefined
  /** What makes commands of other processes send to the stand-ins too. */
  protected sandboxSettings: NonNullable<ConfigInput['flags']> = {}
  #log: Log | undefined
  #asked: Promise<NodeJS.Signals> | undefined

  /** Takes the data directory, opens the program in it with a log, migrates. Everything is undone at the end. */
  protected async openLocked(
    flags: GlobalFlags,
    settings: ConfigInput['flags'],
    { demo }: { demo: boolean },
  ): Promise<Opened> {
    let { config } = await this.settings(flags, settings)
    // Early: a signal during the start stops as soon as the start is through.
    this.#asked = untilAskedToStop(this.#onTerminal() ? {} : { onHangup: () => this.#ignoreHangup() })
    const [
      { openApp, prepareStorage, refuseToMakeKey, settleMasterKey },
      { createLog },
      { newWriteTurnCell },
      { newSoundnessCell },
      { newClockWatchCell },
    ] = await Promise.all([
      import('../../open.ts'),
      import('../../platform/log.ts'),
      import('../../platform/db/write-turn.ts'),
      import('../../platform/db/soundness.ts'),
      import('../../workers/clock-watch.ts'),
    ])
    const log = createLog(config['log.level'])
    this.#log = log
    this.onEnd(() => log.flush())
    endOnFault(log)
    prepareStorage(config)
    await this.#lock(config)
    if (demo) {
      await this.#startSandbox(config, log)
      config = (await this.settings(flags, { ...settings, ...this.sandboxSettings })).config
    }

    const cells = { turnCell: newWriteTurnCell(), soundnessCell: newSoundnessCell(), clockCell: newClockWatchCell() }
    let ring = () => {}
    await refuseToMakeKey(config, log)
    const app = openApp({ config, log, ...cells, wake: () => ring() })
    this.onEnd(() => app.close())
    // Under our own lock already, so without the one that other commands take.
    const applied = await (config['database.url'].reveal() === '' ? app.migrate() : migrateWhenNeeded(app))
    if (applied.length > 0) log.info({ applied }, 'schema migrated')
    await settleMasterKey(app)
    await this.#takeCustody(app)
    await this.#watch(app, cells)
    return {
      app,
      cells,
      connectWake(wake) {
        ring = wake
      },
    }
  }

  /** Whoever started it at a terminal ends it by closing that. */
  #onTerminal(): boolean {
    return [this.io.stdin, this.io.stdout, this.io.stderr].some(({ isTTY }) => isTTY === true)
  }

  /** To a service a hang-up means "read your settings again", which log rotation and habit send: no reason to stop serving. */
  #ignoreHangup(): void {
    this.#log?.warn({ signal: 'SIGHUP' }, 'settings are read at the start only: restart to change them; SIGTERM stops')
  }

  /** Makes sure that a restored database is held, and marks this one so that the next start can tell. */
  async #takeCustody(app: App): Promise<void> {
    const { custodyOf } = await import('../../open.ts')
    const custody = custodyOf(app)
    await custody.takeOver()
    // Nobody waits for the marks of this start: until they are written those of the last end are in force.
    void custody.advance()
    const timer = setInterval(() => void custody.advance(), MARK_MS)
    timer.unref()
    this.onEnd(async () => {
      clearInterval(timer)
      await custody.advance()
    })
  }

  async #watch(app: App, { clockCell }: Opened['cells']): Promise<void> {
    const [{ startWatch }, { createClockWatch }] = await Promise.all([
      import('../../workers/watch.ts'),
      import('../../workers/clock-watch.ts'),
    ])
    const watch = await startWatch(app, {
      clockWatch: createClockWatch(clockCell),
      alone: app.kernel.db.kind === 'sqlite',
    })
    this.onEnd(() => watch.close())
  }

  async #lock(config: Config): Promise<void> {
    if (config['database.url'].reveal() !== '') return
    const { lockDirectory } = await import('../../platform/lock.ts')
    const lock = await lockDirectory(config.dataDir, { waitMs: LOCK_WAIT_MS })
    this.onEnd(() => lock.release())
  }

  /** The stand-ins, with the settings that make us send to them and to nobody else. */
  async #startSandbox(config: Config, log: Log): Promise<void> {
    const { startSandbox } = await import('../../sandbox/sandbox.ts')
    const dir = join(config.dataDir, 'sandbox')
    const sandbox = await startSandbox({ dir, log: (line) => log.debug({ sandbox: line }, 'sandbox') })
    this.sandbox = sandbox
    this.onEnd(() => sandbox.close())
    this.sandboxSettings = {
      ...sandbox.settings,
      'gateways.caFile': join(dir, 'ca.pem'),
    }
  }

  /** Listens and, when wanted, starts the workers. Returns the address. */
  protected async startServing(opened: Opened, { workers }: { workers: boolean }): Promise<string> {
    let stopWorkers: (() => Promise<void>) | undefined
    // Registered before the server, so that it runs after: first nobody comes in any more, then the threads finish.
    this.onEnd(() => stopWorkers?.())
    const { listen } = await import('../../server/index.ts')
    const server = await listen(opened.app)
    this.onEnd(() => server.close())
    if (workers) stopWorkers = await startThreads(opened)
    return server.address
  }

  /** The workers alone. */
  protected async startWorking(opened: Opened): Promise<void> {
    this.onEnd(await startThreads(opened))
  }

  /** Returns when somebody asks to stop; from then on the clock runs. */
  protected async untilStopped(): Promise<void> {
    const signal = await this.#asked
    this.#log?.info({ signal }, 'stopping')
    setTimeout(() => {
      this.#log?.error({}, 'could not stop in time: what was under way is recovered at the next start')
      this.#log?.flush()
      process.exit(1)
    }, STOP_MS).unref()
  }
}

async function startThreads({ app, cells, connectWake }: Opened): Promise<() => Promise<void>> {
  const { startWorkers } = await import('../../workers/index.ts')
  const running = await startWorkers(app, { ...cells, alone: app.kernel.db.kind === 'sqlite' })
  connectWake(() => running.wake())
  return () => running.close()
}

/** What nobody caught leaves the program in a state that nobody knows: say so and end; a supervisor starts it again. */
function endOnFault(log: Log): void {
  const end = (error: unknown, what: string) => {
    log.error({ err: error }, what)
    log.flush()
    process.exit(1)
  }
  process.on('uncaughtException', (error) => end(error, 'an error that nobody caught'))
  process.on('unhandledRejection', (error) => end(error, 'a rejection that nobody handled'))
}
