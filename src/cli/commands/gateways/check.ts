import type { Finding } from '../../../domain/gateways/gateway.ts'
import { platformArg } from '../../credentials.ts'
import { optionalAppArg } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { printFindings } from '../../output/findings.ts'

type PlatformFinding = Finding & { platform: string }

export const GatewaysCheck = appCommand({
  summary: 'Connect to the configured push gateways and report problems; sends nothing',
  description: 'Exits with 78 if a check fails.',
  examples: ['appsvc gateways check --app 1', 'appsvc gateways check --app 1 android --json'],
  args: { app: optionalAppArg, platform: platformArg('only this gateway', false) },
  async work({ app, appId, args, out, onEnd, exit }) {
    const configs = (await app.gateways.list(appId)).filter(
      ({ platform }) => !args.platform || platform === args.platform,
    )
    const [{ gatewaySettings }, { createSenders }] = await Promise.all([
      import('../../../domain/gateways/configure/settings.ts'),
      import('../../../domain/gateways/send/senders.ts'),
    ])
    const senders = createSenders(app.gateways, gatewaySettings(app.kernel.config), () => app.kernel.clock.now())
    onEnd(() => senders.close())

    const findings: PlatformFinding[] = []
    if (configs.length === 0) {
      const what = `app ${appId} has no ${args.platform ?? 'push'} gateway`
      const remedy = 'configure one with appsvc gateways set'
      findings.push({ platform: args.platform ?? '', level: 'error', what, remedy })
    }
    for (const { platform } of configs) {
      const sender = await senders.find(appId, platform)
      if (!sender) findings.push({ platform, level: 'error', what: 'the configured credential cannot send' })
      else findings.push(...(await sender.probe()).map((finding) => ({ platform, ...finding })))
    }
    out.value({ findings })
    printFindings(out, findings, { of: ({ platform }) => platform, width: 7 })
    if (findings.some(({ level }) => level === 'error')) exit(78)
  },
})
