import { platformArg } from '../../credentials.ts'
import { chooseApp } from '../../input/app.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'

export class GatewaysShow extends BaseCommand {
  static override summary =
    'Show which push gateways an app has and what apps and pages need of them; never their secrets'
  static override examples = ['<%= config.bin %> gateways show 1', '<%= config.bin %> gateways show 1 ios']
  static override args = {
    app: textArg({ description: 'id or name of the app' }),
    platform: platformArg('only this one', false),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(GatewaysShow)
    const app = await this.open(flags)
    const found = await chooseApp(app, args.app)
    const [{ presentAppConfiguration }, { describeFacts }, { shortTime }] = await Promise.all([
      import('../../../server/present/gateways.ts'),
      import('../../gateway-facts.ts'),
      import('../../output/present.ts'),
    ])
    const configs = (await app.gateways.list(found.id)).filter(
      ({ platform }) => !args.platform || platform === args.platform,
    )
    this.out.value({
      ...presentAppConfiguration(found, configs),
      gateways: configs.map(({ platform, version, sendable, facts }) => ({ platform, version, sendable, facts })),
    })
    if (configs.length === 0)
      this.out.line(`App ${found.id} has no ${args.platform ?? 'push'} gateway: appsvc gateways set configures one.`)
    for (const [i, { platform, version, sendable, facts, updatedAt }] of configs.entries()) {
      if (i > 0) this.out.line()
      this.out.fields({
        gateway: platform,
        ...describeFacts(platform, facts),
        changed: `${shortTime(updatedAt)} (version ${version})`,
        sends: sendable ? 'yes' : 'no',
      })
      for (const warning of facts.warnings) this.out.line(this.out.paint('yellow', `warning: ${warning}`))
    }
  }
}
