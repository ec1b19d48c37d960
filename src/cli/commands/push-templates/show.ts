import { Flags } from '@oclif/core'
import { LAST_VERSION } from '../../../platform/values/version.ts'
import { pushTemplateArgs } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { shortTime } from '../../output/present.ts'

export const PushTemplatesShow = appCommand({
  summary: 'Show a push template: what it says',
  description: 'With --json, prints a file that push-templates create and push-templates update accept.',
  examples: [
    'appsvc push-templates show --app 1 shipped',
    'appsvc push-templates show --app 1 shipped --version 1',
    'appsvc push-templates show --app 1 shipped --json > shipped.json',
  ],
  args: pushTemplateArgs,
  flags: {
    version: Flags.integer({ min: 1, max: LAST_VERSION, helpValue: 'N', description: 'an earlier version' }),
  },
  async work({ program, appId, args, flags, out }) {
    const { presentPushTemplate, presentPushTemplateVersion } = await import('../../../present/api/push-templates.ts')
    const template = await program.pushTemplates.get(appId, args.uid)
    const version =
      flags.version === undefined ? undefined : await program.pushTemplates.version(appId, args.uid, flags.version)
    out.value(version ? presentPushTemplateVersion(template, version) : presentPushTemplate(template))
    out.fields({
      'push template': template.uid,
      name: template.name,
      version: version ? `${version.version} of ${template.version}` : template.version,
      created: shortTime(version ? version.createdAt : template.createdAt),
      changed: version ? undefined : shortTime(template.updatedAt),
    })
    out.line()
    out.document((version ?? template).body)
  },
})
