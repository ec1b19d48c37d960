import { BaseCommand } from '../../base.ts'

export class MigrateStatus extends BaseCommand {
  static override summary = 'Show which schema steps the database has; changes nothing'
  static override examples = ['<%= config.bin %> migrate status']

  async run(): Promise<void> {
    const { flags } = await this.parse(MigrateStatus)
    const app = await this.open(flags, { migrate: false })
    const [{ migrationStatus }, { migrations }] = await Promise.all([
      import('../../../platform/db/migrate.ts'),
      import('../../../../migrations/index.ts'),
    ])
    const status = await migrationStatus(app.kernel.db, migrations)
    this.out.value(status)
    this.out.table(
      ['STEP', 'STATE'],
      [
        ...status.applied.map((name) => [
          name,
          status.unknown.includes(name) ? 'applied by a newer appsvc' : 'applied',
        ]),
        ...status.pending.map((name) => [name, 'pending']),
      ],
      'no steps',
    )
  }
}
