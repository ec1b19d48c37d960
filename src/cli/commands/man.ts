import { Flags } from '@oclif/core'
import packageJson from '../../../package.json' with { type: 'json' }
import { BaseCommand } from '../kinds/base.ts'

export class Man extends BaseCommand {
  static override summary = 'Print the man page, or the reference of all commands as Markdown'
  static override examples = ['appsvc man > /usr/local/share/man/man1/appsvc.1', 'appsvc man --markdown']
  static override flags = {
    markdown: Flags.boolean({ description: 'print the page of docs/reference/commands.md' }),
    write: Flags.string({ helpValue: 'FILE', description: 'write to this file instead' }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(Man)
    const [{ commandsPage, manPage }, { catalogueOf, flagsOf, referenceOf }] = await Promise.all([
      import('../manual/manual.ts'),
      import('../manual/reference.ts'),
    ])
    const { commands, topics } = catalogueOf(this.config)
    const manual = {
      version: packageJson.version,
      summary: 'the self-hosted backend of a mobile app',
      commands: referenceOf(commands),
      global: flagsOf(BaseCommand.baseFlags),
      topics,
    }
    const text = flags.markdown ? commandsPage(manual) : manPage(manual, new Date().toISOString().slice(0, 10))
    if (flags.write !== undefined) {
      const { writeOutput } = await import('../output/file.ts')
      await writeOutput(this.io, flags.write, text, '--write')
      this.out.value({ file: flags.write })
      return this.out.line(`${flags.write} is written.`)
    }
    this.out.value({ format: flags.markdown ? 'markdown' : 'man', text })
    this.out.line(text.trimEnd())
  }
}
