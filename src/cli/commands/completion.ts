import { textArg } from '../input/args.ts'
import { BaseCommand } from '../kinds/base.ts'

export class Completion extends BaseCommand {
  static override summary = 'Print a shell script that completes commands and flags'
  static override examples = [
    'source <(appsvc completion bash)',
    'appsvc completion zsh > "${fpath[1]}/_appsvc"',
    'appsvc completion fish > ~/.config/fish/completions/appsvc.fish',
  ]
  static override args = {
    shell: textArg({ required: true, options: ['bash', 'zsh', 'fish'], description: 'shell' }),
  }

  async run(): Promise<void> {
    const { args } = await this.parse(Completion)
    const [{ COMPLETIONS }, { catalogueOf, flagsOf, referenceOf }] = await Promise.all([
      import('../manual/completion.ts'),
      import('../manual/reference.ts'),
    ])
    const { commands, topics } = catalogueOf(this.config)
    const completed = { commands: referenceOf(commands), global: flagsOf(BaseCommand.baseFlags), topics }
    const script = COMPLETIONS[args.shell as keyof typeof COMPLETIONS](completed)
    this.out.value({ shell: args.shell, script })
    this.out.line(script.trimEnd())
  }
}
