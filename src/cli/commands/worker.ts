import { resolve } from 'node:path'
import packageJson from '../../../package.json' with { type: 'json' }
import { Daemon } from '../kinds/daemon.ts'

export class Worker extends Daemon {
  static override summary = 'Run the workers without HTTP, next to serve --no-workers on PostgreSQL'
  static override examples = ['appsvc worker --config /etc/appsvc.yaml']

  async run(): Promise<void> {
    const { flags } = await this.parse(Worker)
    const opened = await this.openLocked(flags, {}, { demo: false, roles: ['workers'] })
    const { app } = opened
    await this.startWorking(opened)
    const dataDir = resolve(app.kernel.config.dataDir)
    app.kernel.log.info({ dataDir, database: app.kernel.db.kind, version: packageJson.version }, 'working')
    this.out.value({
      listening: null,
      pid: process.pid,
      version: packageJson.version,
      dataDir,
      database: app.kernel.db.kind,
      workers: true,
    })
    this.out.line(`appsvc ${packageJson.version} is delivering. Stop with Ctrl-C.`)
    await this.untilStopped()
  }
}
