import { resolve } from 'node:path'
import { Flags } from '@oclif/core'
import packageJson from '../../../package.json' with { type: 'json' }
import type { ConfigInput } from '../../platform/config/config.ts'
import type { GlobalFlags } from '../kinds/base.ts'
import { Daemon } from '../kinds/daemon.ts'

export class Worker extends Daemon {
  static override summary = 'Run the workers without HTTP, next to serve --no-workers on PostgreSQL'
  static override examples = [
    'appsvc worker --config /etc/appsvc.yaml',
    'appsvc worker --config /etc/appsvc.yaml --metrics-port 9465',
  ]
  static override flags = {
    'metrics-port': Flags.integer({
      min: 0,
      max: 65_535,
      helpValue: 'N',
      description:
        'answer /metrics, /healthz and /readyz at this port, on the address of metrics.workerListen (default 127.0.0.1); 0 selects a free port',
    }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(Worker)
    const settings = await this.#settingsOf(flags)
    const opened = await this.openLocked(flags, settings, { sandbox: false, roles: ['workers'] })
    const { program } = opened
    const { listenForWorker } = await import('../../server/index.ts')
    const listener = await listenForWorker(program)
    this.onEnd(() => listener?.close())
    await this.startWorking(opened)
    const dataDir = resolve(program.kernel.config.dataDir)
    program.kernel.log.info({ dataDir, database: program.kernel.db.kind, version: packageJson.version }, 'working')
    this.out.value({
      listening: null,
      pid: process.pid,
      version: packageJson.version,
      dataDir,
      database: program.kernel.db.kind,
      workers: true,
      metrics: listener ? `${listener.address}/metrics` : null,
    })
    this.out.line(`appsvc ${packageJson.version} is delivering. Stop with Ctrl-C.`)
    if (listener) this.out.line(`Metrics: ${this.out.paint('cyan', `${listener.address}/metrics`)}`)
    await this.untilStopped()
  }

  /** The port of the flag, on the address of the setting. */
  async #settingsOf(flags: GlobalFlags & { 'metrics-port'?: number | undefined }): Promise<ConfigInput['flags']> {
    const port = flags['metrics-port']
    if (port === undefined) return {}
    const { config } = await this.settings(flags)
    const host = config['metrics.workerListen'].replace(/:\d+$/, '') || '127.0.0.1'
    return { 'metrics.workerListen': `${host}:${port}` }
  }
}
