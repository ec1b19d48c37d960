import { Flags } from '@oclif/core'
import { BaseCommand, withDirectoryLock } from '../../kinds/base.ts'

export class MigrateDown extends BaseCommand {
  static override summary = 'Revert the newest migrations; the data in their tables is lost'
  static override examples = ['appsvc migrate down --steps 1 --yes']
  static override flags = {
    steps: Flags.integer({ default: 1, min: 1, helpValue: 'N', description: 'number of migrations' }),
    yes: Flags.boolean({ char: 'y', description: 'skip the confirmation prompt' }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(MigrateDown)
    const program = await this.open(flags, { migrate: false })
    const [{ migrateDown, migrationStatus }, { migrations }] = await Promise.all([
      import('../../../platform/db/migrate.ts'),
      import('../../../../migrations/index.ts'),
    ])
    const { applied } = await migrationStatus(program.kernel.db, migrations)
    const names = applied.slice(-flags.steps).reverse()
    if (names.length > 0) {
      await this.out.confirm(`Revert ${names.join(', ')} and delete all data in their tables?`, flags.yes)
      await withDirectoryLock(program, 'stop the running server first', () =>
        migrateDown(program.kernel.db, migrations, flags.steps),
      )
    }
    this.out.value({ reverted: names })
    this.out.line(names.length === 0 ? 'There is nothing to revert.' : `Reverted ${names.join(', ')}.`)
  }
}
