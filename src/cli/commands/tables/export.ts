import { Flags } from '@oclif/core'
import type { App } from '../../../app.ts'
import type { Table, TableRecord } from '../../../domain/tables/types.ts'
import { chooseApp } from '../../input/app.ts'
import { tableArgs } from '../../input/columns.ts'
import { type FileWriter, FORMATS, formatOf, writeFile } from '../../input/table-files.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'
import { startProgress } from '../../output/progress.ts'

const PAGE = 1000
/** Characters that are written at once. */
const PIECE = 65_536

export class TablesExport extends BaseCommand {
  static override summary = 'Write all records of a data table: CSV with a head, or JSON lines'
  static override description =
    "In CSV, texts that a spreadsheet would take for formulas get a ' before them, which tables import takes off again; " +
    '--raw writes them as they are. JSON lines are always exact.'
  static override examples = [
    '<%= config.bin %> tables export 1 books books.csv',
    '<%= config.bin %> tables export 1 books > books.jsonl',
  ]
  static override args = {
    ...tableArgs,
    file: textArg({ default: '-', description: 'the file; - for standard output' }),
  }
  static override flags = {
    format: Flags.string({
      options: [...FORMATS],
      description: 'else by the name of the file; jsonl for standard output',
    }),
    raw: Flags.boolean({ description: 'CSV: leave texts as they are' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(TablesExport)
    const format = formatOf(args.file, flags.format, args.file === '-' ? 'jsonl' : undefined)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const table = await app.tables.get(id, args.table)
    const file = args.file === '-' ? undefined : await writeFile(args.file)
    const exported = await this.#write(app, table, file ?? this.#standardOutput(), format === 'csv', flags.raw)
    if (!file) return this.out.note(`${exported} records`)
    await file.end()
    this.out.value({ alias: table.alias, exported, file: args.file })
    this.out.line(`${exported} records are in ${args.file}.`)
  }

  async #write(app: App, table: Table, to: Pick<FileWriter, 'write'>, isCsv: boolean, raw: boolean): Promise<number> {
    const [{ csvLine }, { OWN_FIELDS }, { presentRecord }] = await Promise.all([
      import('../../../domain/tables/csv.ts'),
      import('../../../domain/tables/names.ts'),
      import('../../../server/present/tables.ts'),
    ])
    const [id, ...times] = OWN_FIELDS
    const head = [id!, ...table.columns, ...times]
    const textOf = (current: Table, record: TableRecord): string => {
      const shown: Record<string, unknown> = presentRecord(current, record)
      if (!isCsv) return `${JSON.stringify(shown)}\n`
      return csvLine(
        head.map(({ name, type }) => ({ value: Object.hasOwn(shown, name) ? shown[name] : null, type })),
        raw,
      )
    }
    if (isCsv)
      await to.write(
        csvLine(
          head.map(({ name }) => ({ value: name, type: 'string' })),
          true,
        ),
      )
    const progress = await startProgress(this.io, 'record')
    try {
      let exported = 0
      for (let from: number | undefined = 0; from !== undefined && !this.out.closed(); ) {
        const { table: current, records, last } = await app.records.behind(table.appId, table.alias, from, PAGE)
        let text = ''
        for await (const record of records) {
          text += textOf(current, record)
          exported++
          if (text.length < PIECE) continue
          await to.write(text)
          text = ''
        }
        if (text !== '') await to.write(text)
        from = last
        progress.update(exported)
      }
      return exported
    } finally {
      progress.stop()
    }
  }

  #standardOutput(): Pick<FileWriter, 'write'> {
    return {
      write: async (text) => {
        if (this.out.closed()) return
        this.io.stdout.write(text)
        await this.out.drained()
      },
    }
  }
}
