import { BaseCommand } from '../../kinds/base.ts'

export class MigrateStatus extends BaseCommand {
  static override summary = 'Show which migrations are applied to the database'
  static override examples = ['appsvc migrate status']

  async run(): Promise<void> {
    const { flags } = await this.parse(MigrateStatus)
    const { config } = await this.settings(flags)
    const [{ hasDatabase }, { migrationStatus }, { migrations }] = await Promise.all([
      import('../../../open.ts'),
      import('../../../platform/db/migrate.ts'),
      import('../../../../migrations/index.ts'),
    ])
    const exists = hasDatabase(config)
    if (!exists) this.out.note(`There is no database in ${config.dataDir} yet; appsvc serve creates it.`)
    const status = exists
      ? await migrationStatus((await this.open(flags, { migrate: false })).kernel.db, migrations)
      : { applied: [], pending: Object.keys(migrations).sort(), unknown: [] as string[], breaking: [] as string[] }
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
      'no migrations',
    )
  }
}
