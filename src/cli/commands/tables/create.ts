import { Flags } from '@oclif/core'
import { appArg, textArg } from '../../input/args.ts'
import { COLUMN_HELP, parseColumn } from '../../input/columns.ts'
import { appCommand } from '../../kinds/app-command.ts'

export const TablesCreate = appCommand({
  summary: 'Create a data table',
  description:
    'Every record also has the fields id, createdAt and updatedAt. URLs refer to the table by its alias, which the command prints.',
  examples: [
    'appsvc tables create --app 1 books --column title:string:required --column year:integer:indexed',
    'appsvc tables create --app 1 authors --column name:string:indexed:collate=und',
    'appsvc tables create --app 1 reviews --column book:reference=books:required --column stars:integer:default=5',
  ],
  args: {
    app: appArg,
    name: textArg({ required: true, description: 'letters, digits and underscores, at most 40' }),
  },
  flags: {
    column: Flags.string({
      char: 'c',
      required: true,
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'COLUMN',
      description: COLUMN_HELP,
    }),
  },
  read: ({ flags }) => flags.column.map(parseColumn),
  async work({ program, appId, args, input: columns, out }) {
    const table = await program.inTransaction((tx) => tx.tables.create(appId, args.name, columns))
    const { presentTable } = await import('../../../present/api/tables.ts')
    out.value(presentTable(table, await program.tables.list(appId)))
    out.fields({ table: table.name, alias: table.alias, path: `/data/v1/data/${table.alias}` })
    out.note(`To create a key for it: appsvc keys create --app ${appId} --scope create,read,update,delete`)
  },
})
