import { appFlag, textArg } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { shortTime } from '../../output/present.ts'

export const InstallsShow = appCommand({
  summary: 'Show an install',
  examples: ['appsvc installs show 3f0c1f2e-8f5e-4b0b-9a57-0c5f3c5b7f10'],
  args: { install: textArg({ required: true, description: 'install id' }) },
  flags: { app: appFlag },
  async work({ program, appId, args, out }) {
    const [{ presentWholeInstall }, { platformOf }, { transportOf }] = await Promise.all([
      import('../../../present/api/crm.ts'),
      import('../../../domain/gateways/registry.ts'),
      import('../../../domain/crm/store/transport.ts'),
    ])
    const install = await program.crm.showInstall(appId, args.install)
    const platform = install.platform === null ? null : (platformOf(install.platform) ?? null)
    out.value({ ...presentWholeInstall(install), userIdentifier: install.userIdentifier, gateway: platform })
    out.fields({
      install: install.installId,
      user: install.userIdentifier,
      push: pushState(install.subscribed, transportOf(install), install.notificationsEnabled),
      os: [install.os, install.osVersion].filter(Boolean).join(' ') || null,
      device: [install.deviceName, install.deviceModel].filter(Boolean).join(', ') || null,
      sdk: [install.sdkType, install.sdkVersion].filter(Boolean).join(' ') || null,
      app: [install.appVersion, install.buildKind].filter(Boolean).join(', ') || null,
      simulator: yesOrNoOf(install.simulator),
      'time-sensitive': yesOrNoOf(install.timeSensitive),
      country: install.countryIsoCode,
      locale: install.locale,
      'time zone': install.timezone,
      'first seen': shortTime(install.createdAt),
      'last active': shortTime(install.lastActive),
    })
  },
})

/** Words for a yes or no; null where the device never said. */
function yesOrNoOf(said: boolean | null): string | null {
  return said === null ? null : said ? 'yes' : 'no'
}

function pushState(subscribed: boolean, transport: string | null, enabled: boolean): string {
  if (subscribed) return `subscribed (${transport})`
  if (!enabled) return 'not subscribed: notifications of the app are turned off on the device'
  return 'not subscribed: it has no push token'
}
