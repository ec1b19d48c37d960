import { BaseCommand } from '../../kinds/base.ts'

export class MigrateUp extends BaseCommand {
  static override summary = 'Migrate the schema to this version (appsvc serve does this itself)'
  static override description =
    'An SQLite database is first copied to backups/before-<step>.sqlite in the data directory; the last two copies are kept.'
  static override examples = ['appsvc migrate up']

  async run(): Promise<void> {
    const { flags } = await this.parse(MigrateUp)
    const program = await this.open(flags, { migrate: false, make: true })
    const { applied, snapshot } = await this.migrate(program)
    this.out.value({ applied, ...(snapshot && { snapshot: 'file' in snapshot ? snapshot.file : null }) })
    this.out.line(applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`)
  }
}
