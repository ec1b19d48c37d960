import { Flags } from '@oclif/core'
import { AppError } from '../../../platform/errors.ts'
import { chooseApp } from '../../input/app.ts'
import { readTemplateFile, templateArgs } from '../../input/template.ts'
import { BaseCommand } from '../../kinds/base.ts'
import { printable } from '../../output/output.ts'

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
    const [before, template] = await app.inTransaction(async ({ templates }) => [
      await templates.find(id, args.uid),
      await templates.update(id, args.uid, change),
    ])
    this.out.value(presentWholeTemplate(template))
    const { uid, version } = template
    const name = printable(template.name)
    if (version !== before.version) this.out.line(`Template ${uid} (${name}) is now version ${version}.`)
    else if (template.name !== before.name)
      this.out.line(`Template ${uid} is now called ${name}; it stays version ${version}.`)
    else this.out.line(`Template ${uid} (${name}) says so already; it stays version ${version}.`)
  }
}
