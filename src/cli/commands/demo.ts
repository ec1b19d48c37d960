import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { type Config, Flags } from '@oclif/core'
import type { NewApp } from '../../domain/apps/types.ts'
import { AppError } from '../../platform/errors.ts'
import { Daemon } from '../daemon.ts'
import { printable } from '../output.ts'
import { Notify } from './notify.ts'

export class Demo extends Daemon {
  static override summary = 'See everything work: a server, five devices, a notification, and who opened it'
  static override description =
    'Everything is local and in a directory of its own that is deleted at the end: your settings and data are not looked at.'
  static override examples = ['<%= config.bin %> demo', '<%= config.bin %> demo --once']
  static override flags = {
    once: Flags.boolean({ description: 'end after the story instead of staying up' }),
    port: Flags.integer({
      char: 'p',
      default: 0,
      min: 0,
      max: 65_535,
      helpValue: 'N',
      description: 'port to listen on; 0 lets the system choose',
    }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(Demo)
    const { out } = this
    const dir = await mkdtemp(join(tmpdir(), 'appsvc-demo-'))
    this.onEnd(() => rm(dir, { recursive: true, force: true }))
    // Whatever this shell or folder configures is somebody's real server.
    const settingsFile = join(dir, 'appsvc.yaml')
    await writeFile(settingsFile, '# the demo uses the defaults\n')
    this.io = { ...this.io, environment: withoutSettings(this.io.environment) }
    const own = { config: settingsFile, 'data-dir': dir }

    const opened = await this.openLocked(own, { port: String(flags.port), 'log.level': 'warn' }, { demo: true })
    const address = await this.startServing(opened, { workers: true })
    const sandbox = this.sandbox!
    out.line(out.paint('bold', '1. A server, and stand-ins for the push gateways'))
    out.line(`   server   ${address}`)
    out.line(`   gateways ${sandbox.urls.http} (shows every message as a phone would)`)

    const { bringDevices, getJson, makeApp, MESSAGE, receive, untilSent } = await import('../demo/story.ts')
    const app = await makeApp(opened.app, sandbox)
    out.line()
    out.line(out.paint('bold', `2. An app, ${app.name}, with its keys`))
    out.line(`   API key    ${app.apiKey}`)
    out.line(`   server key ${app.serverKey}`)
    out.line(`   secret key ${app.secretKey}`)

    const api = { url: `${address}/events`, apiKey: app.apiKey, secretKey: app.secretKey }
    const devices = await bringDevices(api)
    out.line()
    out.line(out.paint('bold', `3. ${devices.length} devices register through the device API`))
    const installs = await opened.app.crm.listInstalls(app.id, 0, devices.length)
    const known = new Map(installs.map((install) => [install.installId, install]))
    for (const { name, user, installId } of devices) {
      const { os, osVersion, sdkType } = known.get(installId)!
      out.line(`   ${name.padEnd(16)} ${user.padEnd(7)} ${`${os} ${osVersion}`.padEnd(12)} ${sdkType}`)
    }

    const text = JSON.stringify(MESSAGE)
    out.line()
    out.line(out.paint('bold', '4. A notification, piped into appsvc notify'))
    out.line(`   $ echo '${text}' | appsvc notify --data-dir ${dir}`)
    const id = await this.#notify(text, own)
    out.line(`   notification ${id} is queued`)

    const received = await receive(sandbox, api, devices, id)
    await untilSent(opened.app, app.id, id)
    out.line()
    out.line(out.paint('bold', '5. What each device received'))
    for (const { device, card } of received) {
      out.line(`   ${device.name.padEnd(16)} ${printable(card.title)}: ${printable(card.body)}`)
    }

    const opens = (await getJson(`${address}/messages/notifications/${id}/user-opens`, app)) as { userId: string }[]
    const report = (await getJson(`${address}/messages/v2/notifications/${id}`, app)) as {
      counts: Record<string, number>
    }
    const { accepted, audience, delivered, opened: openedCount } = report.counts
    out.line()
    out.line(out.paint('bold', '6. Who opened it'))
    out.line(`   ${opens.map(({ userId }) => userId).join(', ')}`)
    out.line(`   ${audience} recipients, ${accepted} accepted, ${delivered} delivered, ${openedCount} opened`)
    if (accepted !== devices.length || openedCount !== devices.filter((device) => device.opens).length) {
      throw new AppError('unavailable', 'the story did not end as it should: the counts are wrong')
    }
    out.value({
      listening: address,
      sandbox: sandbox.urls.http,
      dataDir: dir,
      app: { id: app.id, apiKey: app.apiKey, serverKey: app.serverKey, secretKey: app.secretKey },
      notification: report,
      received: received.map(({ device, card }) => ({ device: device.name, installId: device.installId, card })),
      openedBy: opens.map(({ userId }) => userId),
    })
    if (flags.once) return
    this.#invite(address, app, id, dir)
    await this.untilStopped()
  }

  /** `appsvc notify` itself, with a pipe for its standard input. Returns the id of the notification. */
  async #notify(text: string, { config, 'data-dir': dir }: { config: string; 'data-dir': string }): Promise<number> {
    let output = ''
    const stdout = new Writable({
      write(chunk, _encoding, done) {
        output += String(chunk)
        done()
      },
    })
    const io = { ...this.io, stdin: Readable.from([Buffer.from(`${text}\n`)]), stdout }
    const withIo = Object.assign(Object.create(this.config) as Config, { options: { ...this.config.options, io } })
    await Notify.run(['--json', '--data-dir', dir, '--config', config], withIo)
    const { notification } = JSON.parse(output) as { notification: { id: number } }
    return notification.id
  }

  #invite(address: string, app: NewApp, id: number, dir: string): void {
    const { out } = this
    const keys = `-u ${app.apiKey}:${app.serverKey}`
    const body = '{"target":{"userIds":["anna","emi"]},"content":{"title":"Hello","message":"from curl"}}'
    out.line()
    out.line(out.paint('bold', '7. Your turn'))
    out.line(`   curl ${keys} -H 'Content-Type: application/json' -d '${body}' ${address}/messages/v2/notifications`)
    out.line(`   curl ${keys} ${address}/messages/v2/notifications/${id}`)
    out.line(`   curl ${keys} '${address}/crm/v2/users?currentPage=1&numberPerPage=10'`)
    out.line()
    out.line(`   Commands work too: appsvc notifications list --data-dir ${dir}`)
    out.line(`   What arrives: ${out.paint('cyan', this.sandbox!.urls.http)}`)
    out.line('   Stop with Ctrl-C; then everything is deleted.')
  }
}

function withoutSettings(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('APPSVC_')))
}
