import { Flags } from '@oclif/core'
import { chooseApp } from '../../input/app.ts'
import { readJsonFile } from '../../input/files.ts'
import { promptArgs } from '../../input/prompt.ts'
import { BaseCommand } from '../../kinds/base.ts'

export class PromptsCreate extends BaseCommand {
  static override summary = 'Make a prompt with which web pages ask whether they may send pushes'
  static override description =
    'The file holds the type, the labels and how the prompt looks; docs/gateways/web.md explains every field.'
  static override examples = [
    '<%= config.bin %> prompts create 1 welcome --file prompt.json',
    `echo '{"type": "bell"}' | <%= config.bin %> prompts create 1 bell --file -`,
  ]
  static override args = promptArgs
  static override flags = {
    file: Flags.string({ required: true, helpValue: 'FILE', description: 'JSON file; - for standard input' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(PromptsCreate)
    const file = await readJsonFile(this.io, flags.file, '--file')
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const { presentPrompt } = await import('../../../server/present/web-config.ts')
    const prompt = await app.inTransaction((tx) => tx.prompts.create(id, args.name, file))
    this.out.value(presentPrompt(prompt))
    this.out.fields({ prompt: prompt.name, type: prompt.design.type })
    if (!(await app.gateways.find(id, 'web'))) {
      this.out.note('Browsers show no prompts before the app has a web gateway: appsvc gateways set makes its keys.')
    } else this.out.note('Browsers that have asked for prompts already ask again within an hour.')
  }
}
