import { tableArgs } from '../../input/args.ts'
import { settingsOf } from '../../input/columns.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { shortTime } from '../../output/present.ts'

export const TablesShow = appCommand({
  summary: 'Show a data table and its columns',
  examples: ['appsvc tables show --app 1 books', 'appsvc tables show --app 1 books --json'],
  args: tableArgs,
  async work({ program, appId, args, out }) {
    const { presentTable } = await import('../../../present/api/tables.ts')
    const table = await program.tables.get(appId, args.table)
    const shown = {
      ...presentTable(table, await program.tables.list(appId)),
      records: await program.tables.count(table),
    }
    out.value(shown)
    out.fields({
      table: table.name,
      alias: table.alias,
      path: `/data/v1/data/${table.alias}`,
      'in the database': `data_${table.alias}`,
      records: shown.records,
      created: shortTime(table.createdAt),
      changed: shortTime(table.updatedAt),
    })
    out.line()
    out.table(
      ['COLUMN', 'TYPE', 'SETTINGS'],
      shown.columns.map((column) => [
        column.name,
        column.references === null ? column.type : `reference=${column.references}`,
        settingsOf(column),
      ]),
      'It has no columns.',
    )
  },
})
