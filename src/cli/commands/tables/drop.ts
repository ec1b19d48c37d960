import { Flags } from '@oclif/core'
import { chooseApp } from '../../input/app.ts'
import { tableArgs } from '../../input/columns.ts'
import { BaseCommand } from '../../kinds/base.ts'
import { countOf } from '../../output/plural.ts'

export class TablesDrop extends BaseCommand {
  static override summary = 'Delete a data table with its records'
  static override examples = ['<%= config.bin %> tables drop 1 books', '<%= config.bin %> tables drop 1 books --yes']
  static override args = tableArgs
  static override flags = { yes: Flags.boolean({ char: 'y', description: 'do not ask' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(TablesDrop)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const { name, alias, ...table } = await app.tables.get(id, args.table)
    const records = await app.tables.count({ name, alias, ...table })
    await this.out.confirm(
      `Delete the table ${name} (${alias}) with its ${countOf(records, 'record')}, for good?`,
      flags.yes,
    )
    await app.inTransaction((tx) => tx.tables.drop(id, alias))
    this.out.value({ name, alias, records, dropped: true })
    this.out.line(`The table ${name} is deleted.`)
  }
}
