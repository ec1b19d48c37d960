import { findGateway, type Platform } from '../../../domain/gateways/registry.ts'
import { credentialExamples, credentialFlags, platformArg, readBlock } from '../../credentials.ts'
import { appArg } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'

export const GatewaysSet = appCommand({
  summary: 'Configure a push gateway; replaces the existing configuration of that platform',
  description:
    'Takes the credential that you got from the vendor, checks it as the PUT endpoint does, and stores it encrypted. FILE may be - for standard input.',
  examples: credentialExamples().map((rest) => `appsvc gateways set --app 1 ${rest}`),
  args: { app: appArg, platform: platformArg('gateway', true) },
  flags: credentialFlags(),
  read: ({ args, flags, io }) => readBlock(io, args.platform as Platform, flags),
  async work({ program, appId, chosen, args, input: block, out }) {
    const platform = args.platform as Platform
    const stored = await program.gateways.find(appId, platform)
    for (const name of findGateway(platform).commandLine.keptFacts ?? []) {
      if (block[name] === undefined && stored?.facts[name] !== undefined) block[name] = stored.facts[name]
    }
    const [{ checkBlocks }, { presentAppConfiguration }] = await Promise.all([
      import('../../../domain/gateways/service.ts'),
      import('../../../present/api/gateways.ts'),
    ])
    const blocks = await checkBlocks({ [platform]: block }, program.kernel.clock.now())
    await program.inTransaction((tx) => tx.gateways.configure(appId, blocks))
    const configs = await program.gateways.list(appId)
    out.value(presentAppConfiguration(chosen, configs))
    out.line(`The ${platform} gateway of app ${appId} is configured. appsvc gateways check --app ${appId} tests it.`)
    const configured = configs.find((config) => config.platform === platform)
    for (const warning of configured?.facts.warnings ?? []) out.note(`warning: ${warning}`)
  },
})
