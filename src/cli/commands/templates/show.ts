import { Flags } from '@oclif/core'
import { LAST_VERSION } from '../../../domain/templates/types.ts'
import { chooseApp } from '../../input/app.ts'
import { templateArgs } from '../../input/template.ts'
import { BaseCommand } from '../../kinds/base.ts'
import { printable } from '../../output/output.ts'

export class TemplatesShow extends BaseCommand {
  static override summary = 'Show a template: its tags and its document'
  static override description = 'With --json: what templates create and update take as a file.'
  static override examples = [
    '<%= config.bin %> templates show 1 welcome',
    '<%= config.bin %> templates show 1 welcome --version 1',
    '<%= config.bin %> templates show 1 welcome --json > welcome.json',
  ]
  static override args = templateArgs
  static override flags = {
    version: Flags.integer({ min: 1, max: LAST_VERSION, helpValue: 'N', description: 'an earlier version' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(TemplatesShow)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const [{ presentVersion, presentWholeTemplate }, { shortTime }] = await Promise.all([
      import('../../../server/present/templates.ts'),
      import('../../output/present.ts'),
    ])
    const template = await app.templates.get(id, args.uid)
    const version = flags.version === undefined ? undefined : await app.templates.version(id, args.uid, flags.version)
    const { content, tags, sample } = version ?? template
    this.out.value(version ? presentVersion(template, version) : presentWholeTemplate(template))
    this.out.fields({
      template: template.uid,
      name: template.name,
      version: version ? `${version.version} of ${template.version}` : template.version,
      created: shortTime(version ? version.createdAt : template.createdAt),
      changed: version ? undefined : shortTime(template.updatedAt),
    })
    this.out.line()
    this.out.table(
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
    this.out.line()
    for (const line of JSON.stringify(content, null, 2).split('\n')) this.out.line(printable(line))
  }
}
