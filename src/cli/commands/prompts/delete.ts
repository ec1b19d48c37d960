import { Flags } from '@oclif/core'
import { chooseApp } from '../../input/app.ts'
import { promptArgs } from '../../input/prompt.ts'
import { BaseCommand } from '../../kinds/base.ts'

export class PromptsDelete extends BaseCommand {
  static override summary = 'Delete a prompt'
  static override examples = ['<%= config.bin %> prompts delete 1 welcome --yes']
  static override args = promptArgs
  static override flags = { yes: Flags.boolean({ char: 'y', description: 'do not ask' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(PromptsDelete)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const { name, design } = await app.prompts.get(id, args.name)
    await this.out.confirm(`Delete the prompt ${name} (${design.type})?`, flags.yes)
    await app.inTransaction((tx) => tx.prompts.delete(id, name))
    this.out.value({ name, deleted: true })
    this.out.line(`Prompt ${name} is deleted.`)
  }
}
