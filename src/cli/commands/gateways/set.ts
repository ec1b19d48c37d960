import { Flags } from '@oclif/core'
import type { Platform } from '../../../domain/gateways/gateway.ts'
import { chooseApp } from '../../input/app.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'

export class GatewaysSet extends BaseCommand {
  static override summary = 'Configure a push gateway; replaces what is configured for that platform'
  static override description =
    'Takes the credential that the vendor gave you. It is checked as the PUT endpoint checks it and stored sealed. FILE may be - for standard input.'
  static override examples = [
    '<%= config.bin %> gateways set 1 ios --p8 AuthKey_ABC1234567.p8 --key-id ABC1234567 --team-id DEF1234567 --topic com.example.app',
    '<%= config.bin %> gateways set 1 ios --p12 push.p12 --password-file push.p12.password --mode production',
    '<%= config.bin %> gateways set 1 android --service-account service-account.json',
    '<%= config.bin %> gateways set 1 web --icon-url https://example.com/icon.png --subject mailto:push@example.com',
    '<%= config.bin %> gateways set 1 safari --p12 website.p12 --password-file website.p12.password --site-url https://example.com --icon-url https://example.com/icon.png',
    '<%= config.bin %> gateways set 1 hcm --app-id 101234567 --app-id-password-file client-secret.txt',
  ]
  static override args = {
    app: textArg({ required: true, description: 'id or name of the app' }),
    platform: textArg({
      required: true,
      options: ['ios', 'android', 'web', 'safari', 'hcm'],
      description: 'which gateway',
    }),
  }
  static override flags = {
    p12: Flags.string({
      helpValue: 'FILE',
      helpGroup: 'IOS, SAFARI',
      description: 'push certificate with its key (PKCS#12)',
    }),
    'password-file': Flags.string({
      helpValue: 'FILE',
      helpGroup: 'IOS, SAFARI',
      description: 'password of the --p12 file',
    }),
    p8: Flags.string({ helpValue: 'FILE', helpGroup: 'IOS', description: 'signing key of the team (.p8)' }),
    'key-id': Flags.string({ helpValue: 'ID', helpGroup: 'IOS', description: 'ten characters, with --p8' }),
    'team-id': Flags.string({ helpValue: 'ID', helpGroup: 'IOS', description: 'ten characters, with --p8' }),
    topic: Flags.string({
      helpValue: 'BUNDLE',
      helpGroup: 'IOS',
      description: 'bundle id for installs that do not say theirs',
    }),
    mode: Flags.string({
      helpGroup: 'IOS',
      helpValue: 'sandbox|production',
      description: 'which of Apple’s two worlds (with --p8: production)',
    }),
    'service-account': Flags.string({
      helpValue: 'FILE',
      helpGroup: 'ANDROID',
      description: 'JSON file from the Google console',
    }),
    'server-key-file': Flags.string({
      helpValue: 'FILE',
      helpGroup: 'ANDROID',
      description: 'legacy server key (its interface is shut down)',
    }),
    'icon-url': Flags.string({
      helpValue: 'URL',
      helpGroup: 'WEB, SAFARI',
      description: 'picture of notifications that bring none (web); icon of the website (safari)',
    }),
    subject: Flags.string({
      helpValue: 'mailto:ADDRESS|URL',
      helpGroup: 'WEB',
      description: 'whom push services turn to when something is wrong',
    }),
    'vapid-file': Flags.string({
      helpValue: 'FILE',
      helpGroup: 'WEB',
      description: 'VAPID keys that pages subscribe with already; without any, a pair is made',
    }),
    rotate: Flags.boolean({
      helpGroup: 'WEB',
      description: 'make a new VAPID pair; subscriptions with the old one go on working',
    }),
    'site-url': Flags.string({ helpValue: 'URL', helpGroup: 'SAFARI', description: 'address of the website' }),
    'website-name': Flags.string({
      helpValue: 'NAME',
      helpGroup: 'SAFARI',
      description: 'shown above notifications; else the host of --site-url',
    }),
    intermediate: Flags.string({
      helpValue: 'FILE',
      helpGroup: 'SAFARI',
      description: 'Apple’s certificate that issued the one in --p12, when that holds no other',
    }),
    'app-id': Flags.string({ helpValue: 'ID', helpGroup: 'HCM', description: 'App ID of AppGallery Connect' }),
    'app-id-password-file': Flags.string({
      helpValue: 'FILE',
      helpGroup: 'HCM',
      description: 'client secret of the app',
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(GatewaysSet)
    const { readBlock } = await import('../../credentials.ts')
    const platform = args.platform as Platform
    const block = await readBlock(this.io, platform, flags)
    const app = await this.open(flags)
    const found = await chooseApp(app, args.app)
    // A change of keys or subject is not meant to take the icon away.
    const icon = platform === 'web' && (await app.gateways.find(found.id, platform))?.facts['iconUrl']
    if (icon && block['iconUrl'] === undefined) block['iconUrl'] = icon
    const [{ checkBlocks }, { presentAppConfiguration }] = await Promise.all([
      import('../../../domain/gateways/service.ts'),
      import('../../../server/present/gateways.ts'),
    ])
    const blocks = await checkBlocks({ [platform]: block }, app.kernel.clock.now())
    await app.inTransaction((tx) => tx.gateways.configure(found.id, blocks))
    const configs = await app.gateways.list(found.id)
    this.out.value(presentAppConfiguration(found, configs))
    this.out.line(
      `The ${args.platform} gateway of app ${found.id} is configured. appsvc gateways check ${found.id} tries it.`,
    )
    const stored = configs.find((config) => config.platform === args.platform)
    for (const warning of stored?.facts.warnings ?? []) this.out.note(`warning: ${warning}`)
  }
}
