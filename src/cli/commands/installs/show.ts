import { appFlag, chooseApp } from '../../input/app.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'

export class InstallsShow extends BaseCommand {
  static override summary = 'Show what is known of one install'
  static override examples = ['<%= config.bin %> installs show 3f0c1f2e-8f5e-4b0b-9a57-0c5f3c5b7f10']
  static override args = { install: textArg({ required: true, description: 'install id' }) }
  static override flags = { app: appFlag }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(InstallsShow)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, flags.app)
    const [{ presentInstall }, { shortTime }, { platformOf }] = await Promise.all([
      import('../../../server/present/crm.ts'),
      import('../../output/present.ts'),
      import('../../../domain/gateways/registry.ts'),
    ])
    const install = await app.crm.showInstall(id, args.install)
    const platform = install.platform === null ? null : (platformOf(install.platform) ?? null)
    this.out.value({ ...presentInstall(install), userIdentifier: install.userIdentifier, gateway: platform })
    this.out.fields({
      install: install.installId,
      user: install.userIdentifier,
      push: pushState(install.subscribed, platform, install.notificationsEnabled),
      os: [install.os, install.osVersion].filter(Boolean).join(' ') || null,
      device: [install.deviceName, install.deviceModel].filter(Boolean).join(', ') || null,
      sdk: [install.sdkType, install.sdkVersion].filter(Boolean).join(' ') || null,
      app: install.appVersion,
      country: install.countryIsoCode,
      locale: install.locale,
      timezone: install.timezone,
      'first seen': shortTime(install.createdAt),
      'last active': shortTime(install.lastActive),
    })
  }
}

function pushState(subscribed: boolean, platform: string | null, enabled: boolean): string {
  if (subscribed) return `subscribed (${platform})`
  if (!enabled) return 'not subscribed: the system does not show the app’s notifications'
  return 'not subscribed: it has no push token'
}
