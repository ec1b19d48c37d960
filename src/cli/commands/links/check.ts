import { AppError } from '../../../platform/errors.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'
import { printable } from '../../output/output.ts'

const MARKS = { ok: ['green', 'ok'], warning: ['yellow', 'warning'], error: ['red', 'error'] } as const

export class LinksCheck extends BaseCommand {
  static override summary =
    'Look at a link domain as Apple and Google do: DNS, certificate, and the two association files'
  static override description =
    'Exit code 78 when something is wrong. Phones get the Apple file through a cache of Apple: https://app-site-association.cdn-apple.com/a/v1/DOMAIN shows what is in it.'
  static override examples = [
    '<%= config.bin %> links check go.example.com',
    '<%= config.bin %> links check go.example.com --json',
  ]
  static override args = { domain: textArg({ required: true, description: 'host name' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(LinksCheck)
    const domain = args.domain.toLowerCase()
    if (!/^[a-z0-9.-]+(:\d{1,5})?$/.test(domain)) {
      throw new AppError('usage', 'DOMAIN is a host name such as go.example.com, without https:// and path')
    }
    const app = await this.open(flags)
    const [{ checkDomain }, { gatewaySettings }, { sendOutbound }] = await Promise.all([
      import('../../../domain/links/settings/check.ts'),
      import('../../../domain/gateways/configure/settings.ts'),
      import('../../../platform/outbound.ts'),
    ])
    const { config, clock } = app.kernel
    const site = await app.links.siteOfHost(domain)
    const findings = await checkDomain({
      domain,
      settings: site?.settings,
      send: sendOutbound,
      ca: gatewaySettings(config).ca,
      allowPrivate: config['outbound.allowPrivate'],
      monotonic: () => clock.monotonic(),
      now: clock.now(),
    })
    this.out.value({ domain, appId: site?.appId ?? null, findings })
    for (const { level, what, remedy } of findings) {
      const [style, word] = MARKS[level]
      this.out.line(`${this.out.paint(style, word.padEnd(7))}  ${printable(what)}`)
      if (remedy) this.out.line(`${' '.repeat(9)}${this.out.paint('dim', printable(remedy))}`)
    }
    if (findings.some(({ level }) => level === 'error')) this.exit(78)
  }
}
