import { exitOf, verdictOf } from '../../../doctor/verdict.ts'
import { AppError } from '../../../platform/errors.ts'
import { textArg } from '../../input/args.ts'
import { BaseCommand } from '../../kinds/base.ts'
import { printFindings } from '../../output/findings.ts'

export class LinksCheck extends BaseCommand {
  static override summary =
    'Check a link domain as Apple and Google do: DNS, certificate, and the two association files'
  static override description =
    'Exits with 78 if a check fails. Phones get the Apple file through a cache run by Apple; https://app-site-association.cdn-apple.com/a/v1/DOMAIN shows the cached file.'
  static override examples = ['appsvc links check go.example.com', 'appsvc links check go.example.com --json']
  static override args = { domain: textArg({ required: true, description: 'host name' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(LinksCheck)
    const domain = args.domain.toLowerCase()
    if (!/^[a-z0-9.-]+(:\d{1,5})?$/.test(domain)) {
      throw new AppError('usage', 'DOMAIN must be a host name such as go.example.com, without https:// and path')
    }
    const program = await this.open(flags)
    const [{ checkDomain }, { gatewaySettings }, { sendOutbound }] = await Promise.all([
      import('../../../domain/links/settings/check.ts'),
      import('../../../domain/gateways/settings.ts'),
      import('../../../platform/net/outbound.ts'),
    ])
    const { config, clock } = program.kernel
    const site = await program.links.siteOfHost(domain)
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
    printFindings(this.out, findings)
    const verdict = verdictOf(findings)
    if (!verdict.ok) this.exit(exitOf(verdict))
  }
}
