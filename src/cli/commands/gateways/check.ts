import { exitOf, verdictOf } from '../../../doctor/verdict.ts'
import type { Finding } from '../../../domain/gateways/gateway.ts'
import { platformArg } from '../../credentials.ts'
import { optionalAppArg } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { printFindings } from '../../output/findings.ts'

export const GatewaysCheck = appCommand({
  summary: 'Connect to the configured push gateways and report problems; sends nothing',
  description: 'Exits with 78 if a check fails.',
  examples: ['appsvc gateways check --app 1', 'appsvc gateways check --app 1 android --json'],
  args: { app: optionalAppArg, platform: platformArg('only this gateway', false) },
  async work({ program, appId, args, out, exit }) {
    const [{ gatewaySettings }, { probeApp }] = await Promise.all([
      import('../../../domain/gateways/settings.ts'),
      import('../../../domain/gateways/probe-app.ts'),
    ])
    const { config, clock } = program.kernel
    const parts = { gateways: program.gateways, settings: gatewaySettings(config), now: () => clock.now() }
    const findings: (Finding & { platform: string })[] = await probeApp(parts, appId, args.platform)
    const isConfigured = (await program.gateways.list(appId)).some(
      ({ platform }) => !args.platform || platform === args.platform,
    )
    if (!isConfigured) {
      const what = `app ${appId} has no ${args.platform ?? 'push'} gateway`
      const remedy = 'configure one with appsvc gateways set'
      findings.push({ platform: args.platform ?? '', level: 'error', what, remedy })
    }
    out.value({ findings })
    printFindings(out, findings, { of: ({ platform }) => platform, width: 7 })
    const verdict = verdictOf(findings)
    if (!verdict.ok) exit(exitOf(verdict))
  },
})
