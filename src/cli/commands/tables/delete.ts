import { tableArgs } from '../../input/args.ts'
import { deleteCommand } from '../../kinds/delete-command.ts'
import { countOf } from '../../output/plural.ts'

export const TablesDelete = deleteCommand({
  summary: 'Delete a data table with its records',
  examples: ['appsvc tables delete --app 1 books', 'appsvc tables delete --app 1 books --yes'],
  args: tableArgs,
  async find({ program, appId, args }) {
    const table = await program.tables.get(appId, args.table)
    const { name, alias } = table
    const records = await program.tables.count(table)
    return {
      what: `table ${name} (${alias}) with its ${countOf(records, 'record')}`,
      remove: (tx) => tx.tables.drop(appId, alias),
      json: { name, alias, records, dropped: true },
      done: `Table ${name} is deleted.`,
    }
  },
})
