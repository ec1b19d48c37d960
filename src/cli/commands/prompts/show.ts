import { chooseApp } from '../../input/app.ts'
import { promptArgs } from '../../input/prompt.ts'
import { BaseCommand } from '../../kinds/base.ts'
import { printable } from '../../output/output.ts'

export class PromptsShow extends BaseCommand {
  static override summary = 'Show a prompt with every default'
  static override examples = ['<%= config.bin %> prompts show 1 welcome']
  static override args = promptArgs

  async run(): Promise<void> {
    const { args, flags } = await this.parse(PromptsShow)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const [{ presentPrompt }, { shortTime }] = await Promise.all([
      import('../../../server/present/web-config.ts'),
      import('../../output/present.ts'),
    ])
    const prompt = await app.prompts.get(id, args.name)
    const { name, uuid, ...design } = presentPrompt(prompt)
    this.out.value({ name, uuid, ...design })
    this.out.fields({ prompt: name, uuid, created: shortTime(prompt.createdAt), changed: shortTime(prompt.updatedAt) })
    this.out.line()
    for (const line of JSON.stringify(design, null, 2).split('\n')) this.out.line(printable(line))
  }
}
