import { Flags } from '@oclif/core'
import { AppError } from '../../../platform/errors.ts'
import { chooseApp } from '../../input/app.ts'
import { readTemplateFile } from '../../input/template.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'
import { printable } from '../../output/output.ts'

export class TemplatesCreate extends BaseCommand {
  static override summary = 'Make a template of in-app messages, from a file or from a starter'
  static override description = 'The file is JSON; docs/templates.md explains it.'
  static override examples = [
    '<%= config.bin %> templates create 1 --uid welcome --starter welcome',
    '<%= config.bin %> templates create 1 --uid news --name "News of the week" --file news.json',
    `echo '{"content": {"ver": 1, "frame": {"type": "alert", "nodes": [{"type": "heading", "text": "{{Title}}"}]}}, "tags": [{"title": "Title", "type": "text"}]}' | <%= config.bin %> templates create 1 --uid note --file -`,
  ]
  static override args = { app: textArg({ required: true, description: 'id or name of the app' }) }
  static override flags = {
    uid: Flags.string({
      helpValue: 'UID',
      description: 'what messages name it by; else that of the file, or a new one',
    }),
    name: Flags.string({ helpValue: 'NAME', description: 'what people call it' }),
    file: Flags.string({ helpValue: 'FILE', description: 'JSON file with the template; - for standard input' }),
    starter: Flags.string({
      helpValue: 'NAME',
      description: 'a template to start from; appsvc templates starters lists them',
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(TemplatesCreate)
    if ((flags.file === undefined) === (flags.starter === undefined)) {
      throw new AppError('usage', 'give --file FILE or --starter NAME: one of the two')
    }
    const [{ createTemplate, newTemplate }, { parseJson }, { presentWholeTemplate }] = await Promise.all([
      import('../../../domain/templates/schema.ts'),
      import('../../../platform/parse.ts'),
      import('../../../server/present/templates.ts'),
    ])
    const { uid, name, starter } = flags
    const input = newTemplate(
      parseJson(createTemplate, await readTemplateFile(this.io, flags.file, { uid, name, starter })),
    )
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const template = await app.inTransaction((tx) => tx.templates.create(id, input))
    this.out.value(presentWholeTemplate(template))
    this.out.fields({ template: template.uid, name: template.name, version: template.version })
    this.out.note(
      `What it looks like with its sample values: appsvc templates preview ${printable(args.app)} ${template.uid}`,
    )
  }
}
