import { BaseCommand, migrateWhenNeeded } from '../../kinds/base.ts'

export class MigrateUp extends BaseCommand {
  static override summary = 'Bring the schema up to this version (serve does it by itself)'
  static override examples = ['<%= config.bin %> migrate up']

  async run(): Promise<void> {
    const { flags } = await this.parse(MigrateUp)
    const app = await this.open(flags, { migrate: false, make: true })
    const applied = await migrateWhenNeeded(app)
    this.out.value({ applied })
    this.out.line(applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`)
  }
}
