import { chooseApp } from '../../input/app.ts'
import { settingsOf, tableArgs } from '../../input/columns.ts'
import { BaseCommand } from '../../kinds/base.ts'

export class TablesShow extends BaseCommand {
  static override summary = 'Show a data table and its columns'
  static override examples = ['<%= config.bin %> tables show 1 books', '<%= config.bin %> tables show 1 books --json']
  static override args = tableArgs

  async run(): Promise<void> {
    const { args, flags } = await this.parse(TablesShow)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const [{ presentTable }, { shortTime }] = await Promise.all([
      import('../../../server/present/tables.ts'),
      import('../../output/present.ts'),
    ])
    const table = await app.tables.get(id, args.table)
    const shown = { ...presentTable(table, await app.tables.list(id)), records: await app.tables.count(table) }
    this.out.value(shown)
    this.out.fields({
      table: table.name,
      alias: table.alias,
      path: `/data/v1/data/${table.alias}`,
      'in the database': `data_${table.alias}`,
      records: shown.records,
      created: shortTime(table.createdAt),
      changed: shortTime(table.updatedAt),
    })
    this.out.line()
    this.out.table(
      ['COLUMN', 'TYPE', 'SETTINGS'],
      shown.columns.map((column) => [
        column.name,
        column.references === null ? column.type : `reference=${column.references}`,
        settingsOf(column),
      ]),
      'It has no columns.',
    )
  }
}
