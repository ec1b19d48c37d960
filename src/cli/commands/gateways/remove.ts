import { Flags } from '@oclif/core'
import type { Platform } from '../../../domain/gateways/gateway.ts'
import { chooseApp } from '../../input/app.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'

export class GatewaysRemove extends BaseCommand {
  static override summary = 'Forget the credential of a push gateway'
  static override examples = ['<%= config.bin %> gateways remove 1 android']
  static override args = {
    app: textArg({ required: true, description: 'id or name of the app' }),
    platform: textArg({
      required: true,
      options: ['ios', 'android', 'web', 'safari', 'hcm'],
      description: 'which gateway',
    }),
  }
  static override flags = { yes: Flags.boolean({ char: 'y', description: 'do not ask' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(GatewaysRemove)
    const app = await this.open(flags)
    const found = await chooseApp(app, args.app)
    const lost = args.platform === 'web' ? ' Its keys are lost: browsers that subscribed must subscribe again.' : ''
    await this.out.confirm(
      `Forget the ${args.platform} credential of app ${found.id}? Nothing more is sent that way.${lost}`,
      flags.yes,
    )
    await app.inTransaction((tx) => tx.gateways.remove(found.id, args.platform as Platform))
    this.out.value({ id: found.id, platform: args.platform, removed: true })
    this.out.line(`The ${args.platform} gateway of app ${found.id} is removed.`)
  }
}
