import { findGateway, type Platform } from '../../../domain/gateways/registry.ts'
import { platformArg } from '../../credentials.ts'
import { appArg, yesFlag } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'

export const GatewaysDelete = appCommand({
  summary: 'Delete the credential of a push gateway',
  examples: ['appsvc gateways delete --app 1 android'],
  args: { app: appArg, platform: platformArg('gateway', true) },
  flags: { yes: yesFlag },
  async work({ program, appId, args, flags, out }) {
    const platform = args.platform as Platform
    const { removalLoses } = findGateway(platform).commandLine
    const lost = removalLoses ? ` ${removalLoses}` : ''
    await out.confirm(
      `Delete the ${platform} credential of app ${appId}? Nothing more is sent through this gateway.${lost}`,
      flags.yes,
    )
    await program.inTransaction((tx) => tx.gateways.remove(appId, platform))
    out.value({ id: appId, platform, removed: true })
    out.line(`The ${platform} gateway of app ${appId} is removed.`)
  },
})
