import { chooseApp } from '../../input/app.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'

export class TablesList extends BaseCommand {
  static override summary = 'List the data tables of an app'
  static override examples = ['<%= config.bin %> tables list 1', '<%= config.bin %> tables list 1 --json']
  static override args = { app: textArg({ description: 'id or name' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(TablesList)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const [{ presentTable }, { shortTime }] = await Promise.all([
      import('../../../server/present/tables.ts'),
      import('../../output/present.ts'),
    ])
    const tables = await app.tables.list(id)
    const counted = await Promise.all(
      tables.map(async (table) => ({ ...presentTable(table, tables), records: await app.tables.count(table) })),
    )
    this.out.value({ tables: counted })
    this.out.table(
      ['NAME', 'ALIAS', 'COLUMNS', 'RECORDS', 'CHANGED'],
      tables.map((table, i) => [
        table.name,
        table.alias,
        table.columns.length,
        counted[i]!.records,
        shortTime(table.updatedAt),
      ]),
      'There are no tables yet: appsvc tables create makes one.',
    )
  }
}
