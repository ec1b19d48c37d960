import { Flags } from '@oclif/core'
import { chooseApp } from '../../app-ref.ts'
import { BaseCommand, textArg } from '../../base.ts'
import { printable } from '../../output.ts'

export class AppsDelete extends BaseCommand {
  static override summary = 'Delete an app with its users, installs, notifications and credentials'
  static override examples = ['<%= config.bin %> apps delete 2', '<%= config.bin %> apps delete 2 --yes']
  static override args = { app: textArg({ required: true, description: 'id or name' }) }
  static override flags = { yes: Flags.boolean({ char: 'y', description: 'do not ask' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AppsDelete)
    const app = await this.open(flags)
    const { id, name } = await chooseApp(app, args.app)
    await this.out.confirm(
      `Delete app ${id} (${printable(name)}) and everything that belongs to it, for good?`,
      flags.yes,
    )
    await app.inTransaction((tx) => tx.apps.delete(id))
    this.out.value({ id, deleted: true })
    this.out.line(`App ${id} is deleted.`)
  }
}
