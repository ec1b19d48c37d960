import { chooseApp } from '../../input/app.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'
import { printable } from '../../output/output.ts'

export class PromptsList extends BaseCommand {
  static override summary = 'List the prompts of an app'
  static override examples = ['<%= config.bin %> prompts list 1', '<%= config.bin %> prompts list 1 --json']
  static override args = { app: textArg({ description: 'id or name of the app' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(PromptsList)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const [{ presentPrompt }, { shortTime }] = await Promise.all([
      import('../../../server/present/web-config.ts'),
      import('../../output/present.ts'),
    ])
    const prompts = await app.prompts.list(id)
    this.out.value({ prompts: prompts.map(presentPrompt) })
    this.out.table(
      ['NAME', 'TYPE', 'POSITION', 'AFTER EVENT', 'CHANGED'],
      prompts.map(({ name, design, updatedAt }) => [
        name,
        design.type,
        design.position,
        printable(design.trigger.event),
        shortTime(updatedAt),
      ]),
      'There are no prompts yet: appsvc prompts create makes one.',
    )
  }
}
