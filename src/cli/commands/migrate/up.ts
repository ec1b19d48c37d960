import { BaseCommand, migrateWhenNeeded } from '../../kinds/base.ts'

export class MigrateUp extends BaseCommand {
  static override summary = 'Migrate the schema to this version (appsvc serve does this itself)'
  static override examples = ['appsvc migrate up']

  async run(): Promise<void> {
    const { flags } = await this.parse(MigrateUp)
    const app = await this.open(flags, { migrate: false, make: true })
    const applied = await migrateWhenNeeded(app)
    this.out.value({ applied })
    this.out.line(applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`)
  }
}
