import { Flags } from '@oclif/core'
import { chooseApp } from '../../input/app.ts'
import { COLUMN_HELP, parseColumn } from '../../input/columns.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'

export class TablesCreate extends BaseCommand {
  static override summary = 'Create a data table'
  static override description =
    'Every record has the fields id, createdAt and updatedAt besides. The alias that is printed is what URLs call the table.'
  static override examples = [
    '<%= config.bin %> tables create 1 books --column title:string:required --column year:integer:indexed',
    '<%= config.bin %> tables create 1 reviews --column book:reference=books:required --column stars:integer:default=5',
  ]
  static override args = {
    app: textArg({ required: true, description: 'id or name' }),
    name: textArg({ required: true, description: 'letters, digits and underscores, at most 40' }),
  }
  static override flags = {
    column: Flags.string({
      char: 'c',
      required: true,
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'COLUMN',
      description: COLUMN_HELP,
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(TablesCreate)
    const columns = flags.column.map(parseColumn)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const table = await app.inTransaction((tx) => tx.tables.create(id, args.name, columns))
    const { presentTable } = await import('../../../server/present/tables.ts')
    this.out.value(presentTable(table, await app.tables.list(id)))
    this.out.fields({ table: table.name, alias: table.alias, path: `/data/v1/data/${table.alias}` })
    this.out.note(`A key for it: appsvc keys create --app ${id} --scope create,read,update,delete`)
  }
}
