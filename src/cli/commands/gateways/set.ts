import { Flags } from '@oclif/core'
import { chooseApp } from '../../app-ref.ts'
import { BaseCommand, textArg } from '../../base.ts'

export class GatewaysSet extends BaseCommand {
  static override summary = 'Configure a push gateway; replaces what is configured for that platform'
  static override description =
    'Takes the credential that the vendor gave you. It is checked as the PUT endpoint checks it and stored sealed. FILE may be - for standard input.'
  static override examples = [
    '<%= config.bin %> gateways set 1 ios --p8 AuthKey_ABC1234567.p8 --key-id ABC1234567 --team-id DEF1234567 --topic com.example.app',
    '<%= config.bin %> gateways set 1 ios --p12 push.p12 --password-file push.p12.password --mode production',
    '<%= config.bin %> gateways set 1 android --service-account service-account.json',
  ]
  static override args = {
    app: textArg({ required: true, description: 'id or name of the app' }),
    platform: textArg({ required: true, options: ['ios', 'android'], description: 'which gateway' }),
  }
  static override flags = {
    p12: Flags.string({ helpValue: 'FILE', helpGroup: 'IOS', description: 'push certificate with its key (PKCS#12)' }),
    'password-file': Flags.string({ helpValue: 'FILE', helpGroup: 'IOS', description: 'password of the --p12 file' }),
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
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(GatewaysSet)
    const { readBlock } = await import('../../credentials.ts')
    const block = await readBlock(this.io, args.platform as 'ios' | 'android', flags)
    const app = await this.open(flags)
    const found = await chooseApp(app, args.app)
    const [{ checkBlocks }, { presentAppConfiguration }] = await Promise.all([
      import('../../../domain/gateways/service.ts'),
      import('../../../server/present/gateways.ts'),
    ])
    const blocks = await checkBlocks({ [args.platform]: block }, app.kernel.clock.now())
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
