import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Flags } from '@oclif/core'
import type { NewApp } from '../../domain/apps/types.ts'
import { AppError, messageOf } from '../../platform/errors.ts'
import { check } from '../demo/check.ts'
import type { InAppReport, InAppStory } from '../demo/in-app.ts'
import { type Runnable, runPiped } from '../demo/piped.ts'
import type { DeviceApi } from '../demo/sdk.ts'
import type { ServerApi, StartedDevice } from '../demo/story.ts'
import { Daemon, type Opened } from '../kinds/daemon.ts'
import { printable } from '../output/output.ts'
import { countOf } from '../output/plural.ts'
import { programName } from '../output/shell.ts'
import { Notify } from './notify.ts'
import { TemplatesCreate } from './templates/create.ts'
import { TemplatesPreview } from './templates/preview.ts'

/** The state that the chapters of the demo share. */
interface Stage {
  opened: Opened
  address: string
  app: NewApp
  /** The server as devices call it, and as the app's own server does. */
  api: DeviceApi
  server: ServerApi
  /** Flags that make a command use the data of the demo. */
  own: string[]
  dir: string
}

const NAME_WIDTH = 17

export class Demo extends Daemon {
  static override summary =
    'Run a demo: a server, seven devices on five platforms, a notification, an in-app message, and a report of who opened what'
  static override description =
    'The demo runs locally in a temporary directory, which it deletes at the end. It does not use your settings or data.'
  static override examples = ['appsvc demo', 'appsvc demo --once']
  static override flags = {
    once: Flags.boolean({ description: 'exit after the last step instead of keeping the server running' }),
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
    const dir = await mkdtemp(join(tmpdir(), 'appsvc-demo-')).catch((error: unknown) => {
      throw new AppError(
        'config',
        `the demo cannot create its data directory in ${tmpdir()}: ${messageOf(error)}; set TMPDIR to another directory`,
      )
    })
    this.onEnd(() => rm(dir, { recursive: true, force: true }))
    // The settings of this shell and folder belong to a real server.
    const settingsFile = join(dir, 'appsvc.yaml')
    await writeFile(settingsFile, '# the demo uses the defaults\n', { mode: 0o600 })
    this.io = { ...this.io, environment: withoutSettings(this.io.environment) }
    const globals = { config: settingsFile, 'data-dir': dir }
    const opened = await this.openLocked(
      globals,
      { port: String(flags.port), 'log.level': 'warn' },
      { sandbox: true, roles: ['http', 'workers'] },
    )
    const { address, consoleAddress } = await this.startServing(opened, { workers: true })
    // Commands in another terminal find this file in the data directory. JSON is valid YAML.
    await writeFile(settingsFile, JSON.stringify({ port: new URL(address).port, ...this.sandboxSettings }))
    const sandbox = this.sandbox!
    this.#chapter(1, 'A server, and stand-ins for the push gateways')
    this.#fact('server', address)
    this.#fact('gateways', `${sandbox.urls.http} (shows every message as a device would)`)
    this.#fact('data', `${dir} (APPSVC_DATA_DIR of the commands below)`)

    const { makeApp, serverApi } = await import('../demo/story.ts')
    const app = await makeApp(opened.program, sandbox)
    const gateways = await opened.program.gateways.platforms(app.id)
    this.#chapter(2, `An app, ${app.name}, with its keys and gateways`)
    this.#fact('API key', app.apiKey)
    this.#fact('server key', app.serverKey)
    this.#fact('secret key', app.secretKey)
    this.#fact('gateways', gateways.join(', '))

    const api = { address, apiKey: app.apiKey, secretKey: app.secretKey }
    const own = ['--data-dir', dir, '--config', settingsFile]
    const stage: Stage = { opened, address, app, api, server: serverApi(address, app), own, dir }
    const started = await this.#register(stage)
    const push = await this.#send(stage, started)
    const inApp = await this.#sendInApp(stage, started)
    this.out.value({
      listening: address,
      sandbox: sandbox.urls.http,
      renderer: `${address}/iar`,
      dataDir: dir,
      app: { id: app.id, apiKey: app.apiKey, serverKey: app.serverKey, secretKey: app.secretKey },
      gateways,
      ...push,
      inApp,
    })
    if (flags.once) return
    await this.#goOn(stage, started, () => this.#invite(stage, push.notification.id, consoleAddress))
  }

  /** Keeps the server running, with people who react to pushes and with a history. */
  async #goOn({ opened, app }: Stage, started: readonly StartedDevice[], invite: () => Promise<void>): Promise<void> {
    const [{ nameTestDevices, startHistory }, { startOwners }] = await Promise.all([
      import('../demo/app.ts'),
      import('../demo/owners.ts'),
    ])
    await nameTestDevices(opened.program, app.id, started)
    this.onEnd(startOwners(opened.program, this.sandbox!))
    await invite()
    this.onEnd(startHistory(opened.program, app.id, this.sandbox!))
    await this.untilStopped()
  }

  async #register({ opened, app, api }: Stage): Promise<StartedDevice[]> {
    const { bringDevices } = await import('../demo/story.ts')
    const { wayTo } = await import('../demo/words.ts')
    const started = await bringDevices(api, this.sandbox!)
    this.#chapter(3, `${started.length} devices register through the device API`)
    const installs = await opened.program.crm.listInstalls(app.id, 0, started.length)
    const known = new Map(installs.map((install) => [install.installId, install]))
    for (const { device } of started) {
      const { os, osVersion, sdkType } = known.get(device.installId)!
      const columns = [device.user.padEnd(7), `${os} ${osVersion}`.padEnd(14), String(sdkType).padEnd(13)]
      this.#tell(device.name, `${columns.join(' ')} ${wayTo(device)}`)
    }
    return started
  }

  /** Sends the broadcast; devices receive and open it; prints the report. */
  async #send({ opened, app, api, server, own }: Stage, started: readonly StartedDevice[]) {
    const { MESSAGE, receive, untilSent } = await import('../demo/story.ts')
    const { reportPush } = await import('../demo/sdk.ts')
    const { remarkOn, shownBy } = await import('../demo/words.ts')
    const text = JSON.stringify(MESSAGE)
    this.#chapter(4, `A notification, piped into ${this.#program} notify`)
    this.#say(`$ echo '${text}' | ${this.#program} notify`)
    const { notification } = (await this.#command(Notify, own, text)) as { notification: { id: number } }
    const { id } = notification
    this.#say(`notification ${id} is queued`)

    const received = await receive(this.sandbox!, started, id)
    await Promise.all(received.map(({ device, push }) => reportPush(api, device, push, { isOpened: device.opens })))
    await untilSent(opened.program, app.id, id)
    this.#chapter(5, 'What each device received')
    for (const reception of received) {
      this.#tell(reception.device.name, shownBy(reception))
      const remark = remarkOn(reception)
      if (remark) this.#tell('', this.out.paint('dim', remark))
    }

    const opens = (await server.get(`/messages/notifications/${id}/user-opens`)) as { userId: string }[]
    const openedBy = opens.map(({ userId }) => userId)
    const report = (await server.get(`/messages/v2/notifications/${id}`)) as {
      id: number
      counts: Record<string, number>
    }
    const { accepted, audience, delivered, opened: openedCount } = report.counts
    this.#chapter(6, 'Who opened it')
    this.#say(openedBy.join(', '))
    this.#say(
      `${countOf(audience ?? 0, 'recipient')}, ${accepted} accepted, ${delivered} confirmed, ${openedCount} opened`,
    )
    this.#say(
      this.out.paint('dim', 'Old Safari reports openings but confirms nothing, so one confirmation is missing.'),
    )
    const expected = {
      accepted: started.length,
      delivered: started.filter(({ device }) => device.platform !== 'safari').length,
      opened: started.filter(({ device }) => device.opens).length,
    }
    for (const [name, count] of Object.entries(expected)) {
      check(report.counts[name] === count, `${report.counts[name]} ${name}, not ${count}`)
    }
    return {
      notification: report,
      received: received.map(({ device, card, push }) => ({
        device: device.name,
        platform: device.platform,
        installId: device.installId,
        card,
        ...(push.page !== undefined && { page: push.page }),
      })),
      openedBy,
    }
  }

  /** Sends an in-app message with a push; one device shows and closes it, and the other device learns of it. */
  async #sendInApp({ opened, app, api, server, own }: Stage, started: readonly StartedDevice[]) {
    const { untilSent } = await import('../demo/story.ts')
    const { headlineOf, IN_APP_MESSAGE, showInApp, STARTER } = await import('../demo/in-app.ts')
    const { showsInApp } = await import('../demo/devices.ts')
    const { shownBy, stateOf } = await import('../demo/words.ts')
    const create = [app.name, '--uid', STARTER, '--starter', STARTER]
    const text = JSON.stringify(IN_APP_MESSAGE)
    this.#chapter(7, 'An in-app message, with a template created from a starter')
    this.#say(`$ ${this.#program} templates create ${create.join(' ')}`)
    await this.#command(TemplatesCreate, [...create, ...own])
    this.#say(`$ echo '${text}' | ${this.#program} notify --in-app`)
    const { message } = (await this.#command(Notify, ['--in-app', ...own], text)) as { message: { id: number } }
    const path = `/messages/v1/in-app-messages/${message.id}`
    const { push } = (await server.get(path)) as InAppReport
    check(push !== null, 'the in-app message has no push')
    this.#say(`in-app message ${message.id} is queued, and notification ${push.notificationId} to announce it`)

    const story = await showInApp({ sandbox: this.sandbox!, api }, started, { id: message.id, ...push })
    await untilSent(opened.program, app.id, push.notificationId)
    const { phone, tablet, shown, before, after } = story
    this.#chapter(8, 'Two devices of one user')
    this.#tell(
      phone.name,
      `gets the push (${shownBy(story.received[0]!)}), syncs, shows "${printable(headlineOf(shown))}"`,
    )
    this.#tell(tablet.name, `syncs, has the message too, ${stateOf(before)}`)
    this.#tell(phone.name, 'its owner closes it')
    this.#tell(tablet.name, `syncs again: ${stateOf(after)}, so it is not shown here`)

    const report = (await server.get(path)) as InAppReport
    const { recipients, delivered, shown: seen, dismissed } = report.counts
    const { audience, accepted } = report.push!.counts
    this.#chapter(9, 'Its results')
    this.#say(`${countOf(recipients, 'user')}, ${delivered} delivered, ${seen} shown, ${dismissed} closed`)
    this.#say(`its push: ${countOf(audience, 'recipient')}, ${accepted} accepted`)
    const phones = started.filter(({ device }) => showsInApp(device))
    const users = new Set(phones.map(({ device }) => device.user)).size
    check(
      recipients === users && delivered === users,
      `${recipients} users have the message and ${delivered} got it, not ${users}`,
    )
    check(seen === 1 && dismissed === 1, `the message was shown to ${seen} and closed by ${dismissed}, not by one`)
    check(accepted === phones.length, `${accepted} pushes for the message, not ${phones.length}`)
    return { template: STARTER, message: report, ...devicesOf(story) }
  }

  /** The reader's name for this program. */
  get #program(): string {
    return programName(this.io)
  }

  #command(command: Runnable, argv: string[], input?: string) {
    return runPiped({ config: this.config, io: this.io }, command, argv, input)
  }

  async #invite(
    { opened, address, app, own, dir }: Stage,
    id: number,
    consoleAddress: string | undefined,
  ): Promise<void> {
    const { IN_APP_MESSAGE, STARTER } = await import('../demo/in-app.ts')
    const page = join(dir, `${STARTER}.html`)
    const preview = [app.name, STARTER, '--content', '-', '--html', page, ...own]
    await this.#command(TemplatesPreview, preview, JSON.stringify(IN_APP_MESSAGE.content))
    const keys = `-u ${app.apiKey}:${app.serverKey}`
    const body = '{"target":{"userIds":["anna","emi"]},"content":{"title":"Hello","message":"from curl"}}'
    const cyan = (text: string) => this.out.paint('cyan', text)
    this.#chapter(10, 'Your turn')
    this.#say(`curl ${keys} -H 'Content-Type: application/json' -d '${body}' ${address}/messages/v2/notifications`)
    this.#say(`curl ${keys} ${address}/messages/v2/notifications/${id}`)
    this.#say(`curl ${keys} '${address}/crm/v2/users?currentPage=1&numberPerPage=10'`)
    this.out.line()
    this.#say(`export APPSVC_DATA_DIR=${dir}`)
    this.#say(`${this.#program} notifications list`)
    this.#say(
      `${this.#program} templates preview --app ${app.name} ${STARTER} --set Title=Hello --set Text=World --html hello.html`,
    )
    this.out.line()
    this.#say(`Received messages:                ${cyan(this.sandbox!.urls.http)}`)
    this.#say(`The message, as phones show it:   ${cyan(pathToFileURL(page).href)}`)
    this.#say(`The page that shows it in apps:   ${cyan(`${address}/iar`)}`)
    this.#say('In half a minute the app also has months of users, sends, opens and links.')
    const { announceFirstSignIn } = await import('../first-sign-in.ts')
    const line = (text = '') => this.#say(text)
    this.out.line()
    const out = { line, paint: this.out.paint }
    const { stop } = await announceFirstSignIn(opened.program, { io: this.io, out, consoleAddress, isDemo: true })
    this.onEnd(stop)
    this.out.line()
    this.#say('Stop with Ctrl-C, which also deletes the data of the demo.')
  }

  #chapter(number: number, title: string): void {
    if (number > 1) this.out.line()
    this.out.line(this.out.paint('bold', `${number}. ${title}`))
  }

  #say(text: string): void {
    this.out.line(`   ${text}`)
  }

  #fact(name: string, value: string): void {
    this.#say(`${name.padEnd(10)} ${value}`)
  }

  /** Prints what happens on a device. `name` is empty for a second line about the same device. */
  #tell(name: string, text: string): void {
    this.#say(`${name.padEnd(NAME_WIDTH)} ${text}`)
  }
}

function devicesOf({ phone, tablet, shown, before, after }: InAppStory) {
  return { shownOn: phone.name, shown, learntBy: tablet.name, before: before.openedAt, after: after.openedAt }
}

function withoutSettings(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('APPSVC_')))
}
