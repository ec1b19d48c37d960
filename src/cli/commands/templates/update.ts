import { Flags } from '@oclif/core'
import { AppError } from '../../../platform/errors.ts'
import { chooseApp } from '../../app-ref.ts'
import { BaseCommand } from '../../base.ts'
import { printable } from '../../output.ts'
import { readTemplateFile, templateArgs } from '../../template-input.ts'

export class TemplatesUpdate extends BaseCommand {
  static override summary = 'Change a template: what the file has is replaced, the rest stays'
  static override description =
    'Makes a new version, unless nothing but the name changes. Messages that there are, scheduled ones too, stay as they are.'
  static override examples = [
    '<%= config.bin %> templates update 1 welcome --file welcome.json',
    '<%= config.bin %> templates update 1 welcome --name "Hello"',
  ]
  static override args = templateArgs
  static override flags = {
    name: Flags.string({ helpValue: 'NAME', description: 'what people call it' }),
    file: Flags.string({ helpValue: 'FILE', description: 'JSON file with what changes; - for standard input' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(TemplatesUpdate)
    if (flags.name === undefined && flags.file === undefined) {
      throw new AppError('usage', 'there is nothing to change: give --name, --file or both')
    }
    const [{ templateChange, updateTemplate }, { parseJson }, { presentWholeTemplate }] = await Promise.all([
      import('../../../domain/templates/schema.ts'),
      import('../../../platform/parse.ts'),
      import('../../../server/present/templates.ts'),
    ])
    const given = await readTemplateFile(this.io, flags.file, { name: flags.name })
    const change = templateChange(parseJson(updateTemplate, given))
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const template = await app.inTransaction((tx) => tx.templates.update(id, args.uid, change))
    this.out.value(presentWholeTemplate(template))
    const isNew = change.content !== undefined || change.tags !== undefined || change.sample !== undefined
    this.out.line(
      isNew
        ? `Template ${template.uid} (${printable(template.name)}) is now version ${template.version}.`
        : `Template ${template.uid} is now called ${printable(template.name)}; it stays version ${template.version}.`,
    )
  }
}
