import { platformArg } from '../../credentials.ts'
import { describeFacts } from '../../gateway-facts.ts'
import { optionalAppArg } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { shortTime } from '../../output/present.ts'

export const GatewaysShow = appCommand({
  summary: 'Show the push gateways of an app and what apps and pages need to use them; never secrets',
  examples: ['appsvc gateways show --app 1', 'appsvc gateways show --app 1 ios'],
  args: { app: optionalAppArg, platform: platformArg('only this gateway', false) },
  async work({ program, appId, chosen, args, out }) {
    const { presentAppConfiguration } = await import('../../../present/api/gateways.ts')
    const configs = (await program.gateways.list(appId)).filter(
      ({ platform }) => !args.platform || platform === args.platform,
    )
    out.value({
      ...presentAppConfiguration(chosen, configs),
      gateways: configs.map(({ platform, version, sendable, facts }) => ({ platform, version, sendable, facts })),
    })
    if (configs.length === 0) {
      out.line(`App ${appId} has no ${args.platform ?? 'push'} gateway. Configure one with appsvc gateways set.`)
    }
    for (const [i, { platform, version, sendable, facts, updatedAt }] of configs.entries()) {
      if (i > 0) out.line()
      out.fields({
        gateway: platform,
        ...describeFacts(platform, facts),
        changed: `${shortTime(updatedAt)} (version ${version})`,
        sends: sendable ? 'yes' : 'no',
      })
      for (const warning of facts.warnings) out.line(out.paint('yellow', `warning: ${warning}`))
    }
  },
})
