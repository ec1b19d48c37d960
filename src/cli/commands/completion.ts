import { BaseCommand, textArg } from '../kinds/base.ts'

export class Completion extends BaseCommand {
  static override summary = 'Print a shell script that completes commands and flags'
  static override examples = [
    'source <(<%= config.bin %> completion bash)',
    '<%= config.bin %> completion zsh > "${fpath[1]}/_appsvc"',
  ]
  static override args = {
    shell: textArg({ required: true, options: ['bash', 'zsh'], description: 'which shell' }),
  }

  async run(): Promise<void> {
    const { args } = await this.parse(Completion)
    const { bashCompletion, zshCompletion } = await import('../completion.ts')
    const commands = this.config.commands.map((command) => ({
      words: command.id.split(':'),
      flags: Object.entries(command.flags).map(([name, flag]) => ({ name, value: flag.type === 'option' })),
      options: Object.values(command.args).map((arg) => arg.options ?? []),
    }))
    const script = args.shell === 'bash' ? bashCompletion(commands) : zshCompletion(commands)
    this.out.value({ shell: args.shell, script })
    this.out.line(script.trimEnd())
  }
}
