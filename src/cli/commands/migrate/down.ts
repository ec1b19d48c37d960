import { Flags } from '@oclif/core'
import { BaseCommand, withDirectoryLock } from '../../kinds/base.ts'

export class MigrateDown extends BaseCommand {
  static override summary = 'Take back the newest schema steps; the data in their tables is lost'
  static override examples = ['<%= config.bin %> migrate down --steps 1 --yes']
  static override flags = {
    steps: Flags.integer({ default: 1, min: 1, helpValue: 'N', description: 'how many' }),
    yes: Flags.boolean({ char: 'y', description: 'do not ask' }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(MigrateDown)
    const app = await this.open(flags, { migrate: false })
    const [{ migrateDown, migrationStatus }, { migrations }] = await Promise.all([
      import('../../../platform/db/migrate.ts'),
      import('../../../../migrations/index.ts'),
    ])
    const { applied } = await migrationStatus(app.kernel.db, migrations)
    const names = applied.slice(-flags.steps).reverse()
    if (names.length > 0) {
      await this.out.confirm(`Take back ${names.join(', ')} with all data in their tables?`, flags.yes)
      await withDirectoryLock(app, 'stop the running server first', () =>
        migrateDown(app.kernel.db, migrations, flags.steps),
      )
    }
    this.out.value({ reverted: names })
    this.out.line(names.length === 0 ? 'There is nothing to take back.' : `Took back ${names.join(', ')}.`)
  }
}
