import { Flags } from '@oclif/core'
import { chooseApp } from '../../input/app.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'
import { printable } from '../../output/output.ts'
import { startProgress } from '../../output/progress.ts'

export class AppsDelete extends BaseCommand {
  static override summary = 'Delete an app with its users, installs, notifications and credentials'
  static override description =
    'At once no key of the app is in force and nothing more is sent for it. Then its rows are deleted bit by bit, so that a server ' +
    'goes on serving other apps: with a million installs this takes some minutes. When the command is stopped in the middle, run ' +
    'it again: it goes on.'
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
    const { deleteApp } = await import('../../../domain/apps/deletion.ts')
    const progress = await startProgress(this.io, 'row')
    try {
      const { inTransaction, kernel } = app
      await deleteApp({ inTransaction, clock: kernel.clock, onProgress: (rows) => progress.update(rows) }, id)
    } finally {
      progress.stop()
    }
    this.out.value({ id, deleted: true })
    this.out.line(`App ${id} is deleted.`)
  }
}
