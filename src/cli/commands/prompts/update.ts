import { Flags } from '@oclif/core'
import { chooseApp } from '../../input/app.ts'
import { readJsonFile } from '../../input/files.ts'
import { promptArgs } from '../../input/prompt.ts'
import { BaseCommand } from '../../kinds/base.ts'

export class PromptsUpdate extends BaseCommand {
  static override summary = 'Change a prompt: each part that the file has is replaced, null takes one away'
  static override examples = [
    `echo '{"trigger": {"event": "cartFilled"}}' | <%= config.bin %> prompts update 1 welcome --file -`,
  ]
  static override args = promptArgs
  static override flags = {
    file: Flags.string({ required: true, helpValue: 'FILE', description: 'JSON file; - for standard input' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(PromptsUpdate)
    const change = await readJsonFile(this.io, flags.file, '--file')
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const { presentPrompt } = await import('../../../server/present/web-config.ts')
    const prompt = await app.inTransaction((tx) => tx.prompts.update(id, args.name, change))
    this.out.value(presentPrompt(prompt))
    this.out.line(`Prompt ${prompt.name} is changed.`)
  }
}
