import { findGateway, type Platform } from '../../../domain/gateways/registry.ts'
import { credentialExamples, credentialFlags, platformArg, readBlock } from '../../credentials.ts'
import { chooseApp } from '../../input/app.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'

export class GatewaysSet extends BaseCommand {
  static override summary = 'Configure a push gateway; replaces what is configured for that platform'
  static override description =
    'Takes the credential that the vendor gave you. It is checked as the PUT endpoint checks it and stored sealed. FILE may be - for standard input.'
  static override examples = credentialExamples().map((rest) => `<%= config.bin %> gateways set 1 ${rest}`)
  static override args = {
    app: textArg({ required: true, description: 'id or name of the app' }),
    platform: platformArg('which gateway', true),
  }
  static override flags = credentialFlags()

  async run(): Promise<void> {
    const { args, flags } = await this.parse(GatewaysSet)
    const platform = args.platform as Platform
    const block = await readBlock(this.io, platform, flags)
    const app = await this.open(flags)
    const found = await chooseApp(app, args.app)
    const stored = await app.gateways.find(found.id, platform)
    for (const name of findGateway(platform).commandLine.keptFacts ?? []) {
      if (block[name] === undefined && stored?.facts[name] !== undefined) block[name] = stored.facts[name]
    }
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
    const configured = configs.find((config) => config.platform === args.platform)
    for (const warning of configured?.facts.warnings ?? []) this.out.note(`warning: ${warning}`)
  }
}
