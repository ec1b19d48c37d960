import { Flags } from '@oclif/core'
import { chooseApp } from '../../input/app.ts'
import { readTagValues, templateArgs } from '../../input/template.ts'
import { BaseCommand } from '../../kinds/base.ts'
import { writeOutput } from '../../output/file.ts'
import { printable } from '../../output/output.ts'

export class TemplatesPreview extends BaseCommand {
  static override summary = 'Print the document that a message made from a template would show, or draw it'
  static override description = 'Without --content and --set: with the sample values of the template.'
  static override examples = [
    '<%= config.bin %> templates preview 1 welcome',
    '<%= config.bin %> templates preview 1 news --set "Title=Closed on Monday" --set Price=12.50',
    '<%= config.bin %> templates preview 1 welcome --html welcome.html',
    '<%= config.bin %> templates preview 1 news --content values.json --json',
  ]
  static override args = templateArgs
  static override flags = {
    content: Flags.string({ helpValue: 'FILE', description: 'JSON file with values by tag; - for standard input' }),
    set: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'TITLE=VALUE',
      description: 'the value of a tag; several times',
    }),
    html: Flags.string({ helpValue: 'FILE', description: 'write a page that shows the message, for a browser' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(TemplatesPreview)
    const values = await readTagValues(this.io, flags.content, flags.set)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const [rendered, { presentRendered }] = await Promise.all([
      app.templates.preview(id, args.uid, values),
      import('../../../server/present/templates.ts'),
    ])
    if (flags.html !== undefined) {
      const { previewPage } = await import('../../../server/renderer/preview.ts')
      await writeOutput(flags.html, previewPage(rendered.content, { title: args.uid }), '--html')
    }
    this.out.value({ ...presentRendered(rendered), ...(flags.html !== undefined && { file: flags.html }) })
    if (flags.html !== undefined)
      return this.out.line(`${flags.html} shows version ${rendered.version} of ${args.uid}.`)
    for (const line of JSON.stringify(rendered.content, null, 2).split('\n')) this.out.line(printable(line))
  }
}
