import { join, resolve } from 'node:path'
import { Flags } from '@oclif/core'
import { standInEntries, standInNames } from '../../sandbox/stand-ins.ts'
import { BaseCommand } from '../kinds/base.ts'
import { untilAskedToStop } from '../process/signals.ts'

const port = (what: string) =>
  Flags.integer({
    default: 0,
    min: 0,
    max: 65_535,
    helpValue: 'N',
    description: `port of ${what}; 0 lets the system choose`,
  })

export class SandboxCommand extends BaseCommand {
  static override summary = 'Run stand-ins for the push gateways, to try out and test appsvc without a vendor account'
  static override description =
    'The stand-ins check requests and respond as the vendors do. A plan makes them simulate faults (docs/sandbox.md). A web page shows the received messages.'
  static override examples = [
    'appsvc sandbox',
    'appsvc sandbox --port 8090 --dir ./sandbox',
    'appsvc sandbox --plan faults.json',
  ]
  static override flags = {
    plan: Flags.string({
      helpValue: 'FILE',
      description: 'JSON file with the faults to simulate, or - for standard input',
    }),
    dir: Flags.string({
      default: './sandbox',
      helpValue: 'DIR',
      description: 'keys, certificates and credential files; kept for the next start',
    }),
    host: Flags.string({ default: '127.0.0.1', helpValue: 'ADDRESS', description: 'address to listen on' }),
    port: port('the page that shows received messages'),
    'apns-port': port('APNs, production'),
    'apns-sandbox-port': port('APNs, sandbox'),
    'fcm-port': port('FCM'),
    ...Object.fromEntries(standInEntries.map(([name, { label }]) => [`${name}-port`, port(label)])),
    'web-port': port('Web Push'),
    topic: Flags.string({
      multiple: true,
      helpValue: 'BUNDLE',
      description: 'topics of the push certificate; the first is the bundle id',
    }),
    keep: Flags.integer({
      min: 0,
      helpValue: 'N',
      description: 'number of messages to keep; with 0, messages are only counted',
    }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(SandboxCommand)
    const ports: Readonly<Record<string, unknown>> = flags
    const { asked, end } = untilAskedToStop()
    this.onEnd(end)
    const [{ parsePlan, startSandbox }, { readJsonFile }] = await Promise.all([
      import('../../sandbox/sandbox.ts'),
      import('../input/files.ts'),
    ])
    const plan = flags.plan === undefined ? undefined : parsePlan(await readJsonFile(this.io, flags.plan, '--plan'))
    const dir = resolve(flags.dir)
    const sandbox = await startSandbox({
      dir,
      host: flags.host,
      httpPort: flags.port,
      apnsPort: flags['apns-port'],
      apnsSandboxPort: flags['apns-sandbox-port'],
      fcmPort: flags['fcm-port'],
      ...Object.fromEntries(standInNames.map((name) => [`${name}Port`, ports[`${name}-port`] as number])),
      webPort: flags['web-port'],
      log: (line) => this.out.note(line),
      ...(plan && { plan }),
      ...(flags.topic && { topics: flags.topic }),
      ...(flags.keep !== undefined && { keep: flags.keep }),
    })
    this.onEnd(() => sandbox.close())
    const environment = { ...sandbox.environment, APPSVC_GATEWAYS_CA_FILE: join(dir, 'ca.pem') }
    this.out.value({ urls: sandbox.urls, environment, dir })
    const { out } = this
    out.line(`${out.paint('bold', 'Received messages')}: ${out.paint('cyan', sandbox.urls.http)}`)
    out.line(`Credential files: ${dir}`)
    out.line()
    out.line('Point a server here:')
    for (const [name, value] of Object.entries(environment)) out.line(`  export ${name}=${shellWord(value)}`)
    out.line()
    out.line('Give an app these credentials:')
    out.line(
      `  appsvc gateways set --app APP ios --p12 ${join(dir, 'push.p12')} --password-file ${join(dir, 'push.p12.password')} --mode production`,
    )
    out.line(`  appsvc gateways set --app APP android --service-account ${join(dir, 'service-account.json')}`)
    for (const [name, { setFlags }] of standInEntries) {
      const flags = setFlags(sandbox.credentials[name], (file) => join(dir, file))
      out.line(`  appsvc gateways set --app APP ${name} ${flags}`)
    }
    out.line('  appsvc gateways set --app APP web')
    out.line(
      `  appsvc gateways set --app APP safari --p12 ${join(dir, 'website.p12')} --password-file ${join(dir, 'website.p12.password')} --intermediate ${join(dir, 'ca.pem')} --site-url https://shop.example --icon-url /icon.png`,
    )
    out.line()
    out.line('Stop with Ctrl-C.')
    await asked
  }
}

function shellWord(value: string): string {
  return /^[\w./:@-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`
}
