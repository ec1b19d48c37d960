import { Flags } from '@oclif/core'
import { findGateway, type Platform } from '../../../domain/gateways/registry.ts'
import { platformArg } from '../../credentials.ts'
import { chooseApp } from '../../input/app.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'

export class GatewaysRemove extends BaseCommand {
  static override summary = 'Forget the credential of a push gateway'
  static override examples = ['<%= config.bin %> gateways remove 1 android']
  static override args = {
    app: textArg({ required: true, description: 'id or name of the app' }),
    platform: platformArg('which gateway', true),
  }
  static override flags = { yes: Flags.boolean({ char: 'y', description: 'do not ask' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(GatewaysRemove)
    const app = await this.open(flags)
    const found = await chooseApp(app, args.app)
    const platform = args.platform as Platform
    const { removalLoses } = findGateway(platform).commandLine
    await this.out.confirm(
      `Forget the ${args.platform} credential of app ${found.id}? Nothing more is sent that way.${removalLoses ? ` ${removalLoses}` : ''}`,
      flags.yes,
    )
    await app.inTransaction((tx) => tx.gateways.remove(found.id, platform))
    this.out.value({ id: found.id, platform: args.platform, removed: true })
    this.out.line(`The ${args.platform} gateway of app ${found.id} is removed.`)
  }
}
