import { Flags } from '@oclif/core'
import type { App } from '../../../app.ts'
import type { ImportOptions, ImportProgress, RefusedLine } from '../../../domain/tables/import.ts'
import type { Table } from '../../../domain/tables/types.ts'
import { AppError, ERRORS, isAppError } from '../../../platform/errors.ts'
import { chooseApp } from '../../input/app.ts'
import { tableArgs } from '../../input/columns.ts'
import { type FileWriter, FORMATS, formatOf, readPieces, writeFile } from '../../input/table-files.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'
import { printable } from '../../output/output.ts'
import { countOf } from '../../output/plural.ts'
import { startProgress } from '../../output/progress.ts'

/** Refused lines that people see at once. */
const MOST_SHOWN = 20

export class TablesImport extends BaseCommand {
  static override summary = 'Store the records of a file: CSV with a head, or JSON lines'
  static override description =
    'Lines that the table does not take are told and passed over; the others are stored, a thousand in one transaction. The server ' +
    'may run meanwhile. A CSV cell that is empty is no value, "" is an empty text. Ends with 65 when a line was refused.'
  static override examples = [
    '<%= config.bin %> tables import 1 books books.csv --refused refused.jsonl',
    '<%= config.bin %> tables import 2 books books.jsonl --keep-ids',
  ]
  static override args = {
    ...tableArgs,
    file: textArg({ required: true, description: 'the file; - for standard input' }),
  }
  static override flags = {
    format: Flags.string({
      options: [...FORMATS],
      description: 'else by the name of the file; jsonl for standard input',
    }),
    refused: Flags.string({
      helpValue: 'FILE',
      description: 'write refused lines there, with the reasons, as JSON lines',
    }),
    'keep-ids': Flags.boolean({ description: 'records keep id, createdAt and updatedAt of the file' }),
    raw: Flags.boolean({ description: 'CSV: leave texts as they are (exported with --raw, or by others)' }),
    'from-line': Flags.integer({ default: 1, min: 1, helpValue: 'N', description: 'pass over the lines before' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(TablesImport)
    const format = formatOf(args.file, flags.format, args.file === '-' ? 'jsonl' : undefined)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const table = await app.tables.get(id, args.table)
    const pieces = await readPieces(this.io, args.file)
    const [{ readCsv }, { readJsonLines }] = await Promise.all([
      import('../../../domain/tables/csv.ts'),
      import('../../../domain/tables/json-lines.ts'),
    ])
    const lines = format === 'csv' ? readCsv(pieces, table) : readJsonLines(pieces)
    const refused = flags.refused === undefined ? undefined : await writeFile(flags.refused)
    const done = await this.#store(app, table, {
      lines,
      refused,
      keepIds: flags['keep-ids'],
      raw: flags.raw,
      fromLine: flags['from-line'],
    })
    await refused?.end()
    this.out.value({ alias: table.alias, imported: done.imported, refused: done.refused })
    this.out.line(
      `${done.imported === 1 ? '1 record is' : `${done.imported} records are`} stored in ${table.name}; ${countOf(done.refused, 'line')} ${done.refused === 1 ? 'was' : 'were'} refused.`,
    )
    if (done.refused > MOST_SHOWN && !refused) this.out.note('--refused FILE keeps all refused lines')
    if (done.refused > 0) this.exit(ERRORS.invalid.exit)
  }

  async #store(
    app: App,
    table: Table,
    options: {
      lines: ImportOptions['lines']
      refused: FileWriter | undefined
      keepIds: boolean
      raw: boolean
      fromLine: number
    },
  ): Promise<ImportProgress> {
    const { importRecords } = await import('../../../domain/tables/import.ts')
    const progress = await startProgress(this.io, 'line')
    let last: ImportProgress = { imported: 0, refused: 0, line: 0 }
    let shown = 0
    try {
      return await importRecords({
        ...options,
        appId: table.appId,
        alias: table.alias,
        inTransaction: (work) => app.inTransaction((tx) => work(tx.records)),
        onRefused: async (line) => {
          if (shown++ < MOST_SHOWN) this.out.note(describe(line))
          await options.refused?.write(`${JSON.stringify(line)}\n`)
        },
        onProgress: (now) => {
          last = { ...now }
          progress.update(now.imported + now.refused)
        },
      })
    } catch (error) {
      if (last.line > 0) this.out.note(`${last.imported} records are stored; go on with --from-line ${last.line + 1}`)
      throw isAppError(error) ? error : new AppError('unavailable', `the import stopped: ${String(error)}`)
    } finally {
      progress.stop()
    }
  }
}

function describe({ line, errors }: RefusedLine): string {
  const reasons = Object.entries(errors).map(([key, messages]) => `${key === '' ? 'it' : key} ${messages.join(', ')}`)
  return printable(`line ${line}: ${reasons.slice(0, 5).join('; ')}`)
}
