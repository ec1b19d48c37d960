import { setTimeout } from 'node:timers/promises'
import { Flags } from '@oclif/core'
import { lacksKeys } from '../../../domain/tables/service.ts'
import type { TableChange } from '../../../domain/tables/types.ts'
import { AppError } from '../../../platform/errors.ts'
import { tableArgs, yesFlag } from '../../input/args.ts'
import { COLUMN_HELP, parseColumn, parseRename, parseSetting } from '../../input/columns.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { countOf } from '../../output/plural.ts'

/** The pause (ms) between two parts of the sort keys, in which other writers of the database get their turn. */
const PAUSE_MS = 10

const LIST = { multiple: true, multipleNonGreedy: true } as const

export const TablesAlter = appCommand({
  summary: 'Change the columns of a data table and of its records',
  description:
    'Changes are applied in this order: drop, rename, add, set, unset. Either all of them are applied or none. If records prevent a ' +
    'change, the command prints their number and changes nothing. The server may be running. A collate is stored with the other changes; then the command computes the order of the records, a ' +
    'thousand at a time. If it is stopped, the column has its former order until the command is repeated.',
  examples: [
    'appsvc tables alter --app 1 books --add isbn:string:unique --rename year=published',
    'appsvc tables alter --app 1 books --set title:required --unset published:indexed',
    'appsvc tables alter --app 1 books --set title:collate=de',
    'appsvc tables alter --app 1 books --drop isbn --yes',
  ],
  args: tableArgs,
  flags: {
    add: Flags.string({ ...LIST, helpValue: 'COLUMN', description: `new column: ${COLUMN_HELP}` }),
    drop: Flags.string({ ...LIST, helpValue: 'NAME', description: 'column to delete with its values' }),
    rename: Flags.string({ ...LIST, helpValue: 'OLD=NEW', description: 'column to rename' }),
    set: Flags.string({
      ...LIST,
      helpValue: 'SETTING',
      description: 'NAME:required, :unique, :indexed, :collate=LANGUAGE or :default=VALUE',
    }),
    unset: Flags.string({
      ...LIST,
      helpValue: 'SETTING',
      description: 'NAME:required, :unique, :indexed, :collate or :default',
    }),
    'rename-to': Flags.string({ helpValue: 'NAME', description: 'new name of the table; its alias changes with it' }),
    recount: Flags.boolean({ description: 'count the records again, after other programs wrote to the table' }),
    yes: yesFlag,
  },
  read({ flags }) {
    const { add = [], drop = [], rename = [], set = [], unset = [] } = flags
    const changes = [...add, ...drop, ...rename, ...set, ...unset]
    if (changes.length === 0 && !flags['rename-to'] && !flags.recount) {
      throw new AppError(
        'usage',
        'nothing to change: give --add, --drop, --rename, --set, --unset, --rename-to or --recount',
      )
    }
    return { add, drop, rename, set, unset }
  },
  async work({ program, appId, args, flags, input: { add, drop, rename, set, unset }, out }) {
    const before = await program.tables.get(appId, args.table)
    const renames = rename.map(parseRename)
    const added = add.map(parseColumn)
    // A setting may refer to a column by the name it gets in the same command.
    const named = [
      ...before.columns.map((column) => ({ ...column, name: newName(renames, column.name) })),
      ...added.map((column) => ({ ...column, id: 0, references: null })),
    ]
    const changes: TableChange[] = [
      ...drop.map((name): TableChange => ({ do: 'drop', name })),
      ...renames,
      ...added.map((column): TableChange => ({ do: 'add', column })),
      ...set.map((text) => parseSetting(text, true, named)),
      ...unset.map((text) => parseSetting(text, false, named)),
    ]
    if (drop.length > 0) {
      const records = countOf(await program.tables.count(before), 'record')
      await out.confirm(`Permanently delete ${drop.join(', ')} with the values of ${records}?`, flags.yes)
    }
    let table = await program.inTransaction(async (tx) => {
      if (flags.recount) await tx.tables.recount(appId, before.alias)
      return tx.tables.alter(appId, before.alias, changes, flags['rename-to'])
    })
    while (lacksKeys(table)) {
      const { alias } = table
      table = await program.inTransaction((tx) => tx.tables.storeKeys(appId, alias))
      await setTimeout(PAUSE_MS)
    }
    const { presentTable } = await import('../../../present/api/tables.ts')
    out.value(presentTable(table, await program.tables.list(appId)))
    out.line(`Table ${table.name} (${table.alias}) is changed.`)
  },
})

function newName(renames: readonly TableChange[], name: string): string {
  const found = renames.find((change) => change.do === 'rename' && change.name === name)
  return found?.do === 'rename' ? found.to : name
}
