import { join, resolve } from 'node:path'
import { Flags } from '@oclif/core'
import packageJson from '../../../package.json' with { type: 'json' }
import type { NodeRole } from '../../platform/instance/nodes.repository.ts'
import { Daemon, type Opened } from '../kinds/daemon.ts'
import { programName } from '../output/shell.ts'
import { type Target, targetWords } from '../state/target.ts'

export class Serve extends Daemon {
  static override summary = 'Run the server and the workers'
  static override description =
    'The first start needs no configuration: it creates the data directory, the database and the master key. ' +
    'SIGTERM and Ctrl-C finish the work in progress and exit with 0.'
  static override examples = [
    'appsvc serve',
    'appsvc serve --port 9000 --data-dir /var/lib/appsvc',
    'appsvc serve --demo',
    'appsvc serve --sandbox',
  ]
  static override flags = {
    port: Flags.integer({
      char: 'p',
      min: 0,
      max: 65_535,
      helpValue: 'N',
      description: 'port to listen on; 0 selects a free port (default 8080)',
    }),
    host: Flags.string({
      helpValue: 'ADDRESS',
      description: 'address to listen on; 0.0.0.0 for all interfaces (default 127.0.0.1)',
    }),
    'no-workers': Flags.boolean({ description: 'serve HTTP only; appsvc worker delivers on another machine' }),
    sandbox: Flags.boolean({ description: 'also run stand-ins for the push gateways and send to them only' }),
    demo: Flags.boolean({
      description:
        'as --sandbox; a server without apps also gets one with gateways, devices and months of data, and an address that signs you in',
    }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(Serve)
    const settings = { port: flags.port?.toString(), host: flags.host }
    const roles: NodeRole[] = flags['no-workers'] ? ['http'] : ['http', 'workers']
    const opened = await this.openLocked(flags, settings, { sandbox: flags.sandbox || flags.demo, roles })
    const { config, log, db } = opened.program.kernel
    const { address, secureAddress, plainAddress, consoleAddress } = await this.startServing(opened, {
      workers: !flags['no-workers'],
    })

    const dataDir = resolve(config.dataDir)
    const secure = secureAddress === undefined ? {} : { https: secureAddress }
    log.info({ listening: address, ...secure, dataDir, database: db.kind, version: packageJson.version }, 'ready')
    const demo = flags.demo ? await this.#makeDemo(opened, address) : undefined
    const target = targetWords(await this.settings(flags, settings), {
      ...flags,
      config: flags.config ?? this.io.environment.APPSVC_CONFIG,
    })
    const isEmpty = (await opened.program.apps.list()).length === 0
    await this.#welcome({ address, secureAddress, consoleAddress }, dataDir, isEmpty ? target : undefined)
    const { announceFirstSignIn } = await import('../first-sign-in.ts')
    const announced = await announceFirstSignIn(opened.program, {
      io: this.io,
      out: this.out,
      consoleAddress,
      isDemo: flags.demo,
    })
    this.onEnd(announced.stop)
    this.out.value({
      listening: address,
      ...secure,
      ...(plainAddress !== undefined && { redirecting: plainAddress }),
      ...(consoleAddress !== undefined && { console: consoleAddress }),
      ...(flags.demo && announced.address !== undefined && { signIn: announced.address }),
      pid: process.pid,
      version: packageJson.version,
      dataDir,
      database: db.kind,
      workers: !flags['no-workers'],
      ...(this.sandbox && { sandbox: this.sandbox.urls.http }),
      ...(demo && { app: demo }),
    })
    await this.untilStopped()
  }

  /** Lets people react to pushes, and adds the app of the demo to a server without apps; undefined where there are some. */
  async #makeDemo(opened: Opened, address: string) {
    const [{ startDemoApp }, { startOwners }] = await Promise.all([
      import('../demo/app.ts'),
      import('../demo/owners.ts'),
    ])
    this.onEnd(startOwners(opened.program, this.sandbox!))
    if ((await opened.program.apps.list()).length > 0) return undefined
    const { app, stop } = await startDemoApp(opened.program, { address, sandbox: this.sandbox! })
    this.onEnd(stop)
    return app
  }

  /** `target` makes the commands of another terminal find this database; absent when there are apps already. */
  async #welcome(
    {
      address,
      secureAddress,
      consoleAddress,
    }: { address: string; secureAddress: string | undefined; consoleAddress: string | undefined },
    dataDir: string,
    target: Target | undefined,
  ): Promise<void> {
    const { out } = this
    const shown = secureAddress ?? address
    out.line(`${out.paint('bold', `appsvc ${packageJson.version}`)} is listening on ${out.paint('cyan', shown)}`)
    if (secureAddress !== undefined) out.line(`Without TLS, for this machine: ${address}`)
    if (consoleAddress !== undefined) out.line(`The console: ${out.paint('cyan', consoleAddress)}`)
    out.line(`In a browser, ${shown}/ says what this is, and ${shown}/docs describes its interface.`)
    out.line(`Data and master key: ${dataDir}`)
    if (this.sandbox) {
      out.line(`Stand-ins for the push gateways: ${out.paint('cyan', this.sandbox.urls.http)} shows received messages`)
      out.line(`Credentials for them: ${join(dataDir, 'sandbox')}`)
    }
    if (target) {
      const { variable, words } = target
      const where = variable ? `In another terminal with ${variable} set as here` : 'In another terminal'
      out.line(`There are no apps yet. ${where}, run: ${programName(this.io)} apps create "My app"${words}`)
    }
    out.line(`Stop with Ctrl-C.`)
  }
}
