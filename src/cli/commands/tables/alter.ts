import { Flags } from '@oclif/core'
import type { TableChange } from '../../../domain/tables/types.ts'
import { AppError } from '../../../platform/errors.ts'
import { chooseApp } from '../../input/app.ts'
import { COLUMN_HELP, parseColumn, parseRename, parseSetting, tableArgs } from '../../input/columns.ts'
import { BaseCommand } from '../../kinds/base.ts'
import { countOf } from '../../output/plural.ts'

const LIST = { multiple: true, multipleNonGreedy: true } as const

export class TablesAlter extends BaseCommand {
  static override summary = 'Change the columns of a data table, with the records in it'
  static override description =
    'All changes happen together or none does, in this order: drop, rename, add, set, unset. Records that are in the way are ' +
    'counted and nothing is changed. The server may run meanwhile.'
  static override examples = [
    '<%= config.bin %> tables alter 1 books --add isbn:string:unique --rename year=published',
    '<%= config.bin %> tables alter 1 books --set title:required --unset published:indexed',
    '<%= config.bin %> tables alter 1 books --drop isbn --yes',
  ]
  static override args = tableArgs
  static override flags = {
    add: Flags.string({ ...LIST, helpValue: 'COLUMN', description: `new column: ${COLUMN_HELP}` }),
    drop: Flags.string({ ...LIST, helpValue: 'NAME', description: 'column that goes, with its values' }),
    rename: Flags.string({ ...LIST, helpValue: 'OLD=NEW', description: 'column that gets another name' }),
    set: Flags.string({
      ...LIST,
      helpValue: 'SETTING',
      description: 'NAME:required, :unique, :indexed or :default=VALUE',
    }),
    unset: Flags.string({ ...LIST, helpValue: 'SETTING', description: 'NAME:required, :unique, :indexed or :default' }),
    'rename-to': Flags.string({ helpValue: 'NAME', description: 'new name of the table; its alias changes with it' }),
    recount: Flags.boolean({ description: 'count the records anew, after other programs wrote to the table' }),
    yes: Flags.boolean({ char: 'y', description: 'do not ask' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(TablesAlter)
    const { add = [], drop = [], rename = [], set = [], unset = [] } = flags
    if (
      add.length + drop.length + rename.length + set.length + unset.length === 0 &&
      !flags['rename-to'] &&
      !flags.recount
    ) {
      throw new AppError(
        'usage',
        'say what to change: --add, --drop, --rename, --set, --unset, --rename-to or --recount',
      )
    }
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const before = await app.tables.get(id, args.table)
    const renames = rename.map(parseRename)
    const added = add.map(parseColumn)
    // A setting may be of a column that has just got its name.
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
      const records = await app.tables.count(before)
      await this.out.confirm(
        `Drop ${drop.join(', ')} with the values of ${countOf(records, 'record')}, for good?`,
        flags.yes,
      )
    }
    const table = await app.inTransaction(async (tx) => {
      if (flags.recount) await tx.tables.recount(id, before.alias)
      return tx.tables.alter(id, before.alias, changes, flags['rename-to'])
    })
    const { presentTable } = await import('../../../server/present/tables.ts')
    this.out.value(presentTable(table, await app.tables.list(id)))
    this.out.line(`The table ${table.name} (${table.alias}) is changed.`)
  }
}

function newName(renames: readonly TableChange[], name: string): string {
  const found = renames.find((change) => change.do === 'rename' && change.name === name)
  return found?.do === 'rename' ? found.to : name
}
