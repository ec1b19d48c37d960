import { Flags } from '@oclif/core'
import { LAST_VERSION } from '../../../platform/values/version.ts'
import { templateArgs } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { printable } from '../../output/output.ts'
import { shortTime } from '../../output/present.ts'

export const TemplatesShow = appCommand({
  summary: 'Show a template: its tags and its document',
  description: 'With --json, prints a file that templates create and templates update accept.',
  examples: [
    'appsvc templates show --app 1 welcome',
    'appsvc templates show --app 1 welcome --version 1',
    'appsvc templates show --app 1 welcome --json > welcome.json',
  ],
  args: templateArgs,
  flags: {
    version: Flags.integer({ min: 1, max: LAST_VERSION, helpValue: 'N', description: 'an earlier version' }),
  },
  async work({ program, appId, args, flags, out }) {
    const { presentVersion, presentWholeTemplate } = await import('../../../present/api/templates.ts')
    const template = await program.templates.get(appId, args.uid)
    const version =
      flags.version === undefined ? undefined : await program.templates.version(appId, args.uid, flags.version)
    const { content, tags, sample } = version ?? template
    out.value(version ? presentVersion(template, version) : presentWholeTemplate(template))
    out.fields({
      template: template.uid,
      name: template.name,
      version: version ? `${version.version} of ${template.version}` : template.version,
      created: shortTime(version ? version.createdAt : template.createdAt),
      changed: version ? undefined : shortTime(template.updatedAt),
    })
    out.line()
    out.table(
      ['TAG', 'TYPE', 'REQUIRED', 'DEFAULT', 'SAMPLE'],
      tags.map((tag) => [
        printable(tag.title),
        tag.type,
        tag.required && tag.default === undefined ? 'yes' : 'no',
        printable(tag.default ?? '-'),
        printable(Object.hasOwn(sample, tag.title) ? String(sample[tag.title]) : '-'),
      ]),
      'It has no tags.',
    )
    out.line()
    out.document(content)
  },
})
