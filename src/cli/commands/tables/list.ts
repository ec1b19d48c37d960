import { optionalAppArg } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { shortTime } from '../../output/present.ts'

export const TablesList = appCommand({
  summary: 'List the data tables of an app',
  examples: ['appsvc tables list --app 1', 'appsvc tables list --app 1 --json'],
  args: { app: optionalAppArg },
  async work({ program, appId, out }) {
    const { presentTable } = await import('../../../present/api/tables.ts')
    const tables = await program.tables.list(appId)
    const counted = await Promise.all(
      tables.map(async (table) => ({ ...presentTable(table, tables), records: await program.tables.count(table) })),
    )
    out.value({ tables: counted })
    out.table(
      ['NAME', 'ALIAS', 'COLUMNS', 'RECORDS', 'CHANGED'],
      tables.map(({ name, alias, columns, updatedAt }, i) => [
        name,
        alias,
        columns.length,
        counted[i]!.records,
        shortTime(updatedAt),
      ]),
      'There are no tables yet. Create one with appsvc tables create.',
    )
  },
})
