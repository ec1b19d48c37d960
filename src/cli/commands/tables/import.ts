import { Flags } from '@oclif/core'
import type { ImportOptions, ImportProgress, RefusedLine } from '../../../domain/tables/files/import.ts'
import type { Table } from '../../../domain/tables/types.ts'
import { AppError, ERRORS, isAppError } from '../../../platform/errors.ts'
import type { Program } from '../../../program.ts'
import { tableArgs, textArg } from '../../input/args.ts'
import { openSource, refuseAsOutput, type Source } from '../../input/source.ts'
import { type FileWriter, FORMATS, formatOf, writeFile } from '../../input/table-files.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { type Output, printable } from '../../output/output.ts'
import { countOf } from '../../output/plural.ts'
import { startProgress } from '../../output/progress.ts'
import { catchInterruption, Interrupted, type Interruption } from '../../process/interruption.ts'
import type { Io } from '../../process/io.ts'

/** Maximum number of refused lines that are printed. */
const MAX_SHOWN = 20

export const TablesImport = appCommand({
  summary: 'Import records from a file: CSV with a header, or JSON lines',
  description:
    'Lines that the table refuses are reported and skipped. The other lines are stored, a thousand per transaction. The server may be ' +
    'running. In CSV, an empty cell is no value and "" is an empty text. Exits with 65 if a line was refused.',
  examples: [
    'appsvc tables import --app 1 books books.csv --refused refused.jsonl',
    'appsvc tables import --app 2 books books.jsonl --keep-ids',
  ],
  args: { ...tableArgs, file: textArg({ required: true, description: 'input file, or - for standard input' }) },
  flags: {
    format: Flags.string({
      options: [...FORMATS],
      description: 'default: by the file extension; jsonl for standard input',
    }),
    refused: Flags.string({
      helpValue: 'FILE',
      description: 'write refused lines and their reasons to this file as JSON lines',
    }),
    'keep-ids': Flags.boolean({ description: 'keep id, createdAt and updatedAt of the records in the file' }),
    raw: Flags.boolean({ description: 'CSV: read texts unchanged (exported with --raw or by another program)' }),
    dates: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'COLUMN=UNIT',
      description:
        'numbers in this column of dates are seconds, milliseconds or microseconds since 1970; may be repeated',
    }),
    'from-line': Flags.integer({ default: 1, min: 1, helpValue: 'N', description: 'skip the lines before this one' }),
  },
  async read({ args, flags, io }) {
    if (flags.refused !== undefined) await refuseAsOutput(io, '--refused', flags.refused, [args.file])
    return formatOf(args.file, flags.format, args.file === '-' ? 'jsonl' : undefined)
  },
  async work({ program, appId, args, flags, input: format, out, io, onEnd, exit }) {
    const table = await program.tables.get(appId, args.table)
    const interruption = catchInterruption(io)
    onEnd(() => interruption.end())
    const source = await openSource(io, args.file, interruption)
    const [{ readUnits }, { readCsv }, { readJsonLines }] = await Promise.all([
      import('../../../domain/tables/files/values.ts'),
      import('../../../domain/tables/files/csv.ts'),
      import('../../../domain/tables/files/json-lines.ts'),
    ])
    const units = readUnits(flags.dates ?? [], table)
    const lines = format === 'csv' ? readCsv(source.pieces, table) : readJsonLines(source.pieces)
    const refused = flags.refused === undefined ? undefined : await writeFile(io, flags.refused)
    const { 'keep-ids': keepIds, raw, 'from-line': fromLine } = flags
    const watched = { source, interruption, again: args.file !== '-' }
    const done = await store(program, table, { lines, refused, keepIds, raw, units, fromLine, ...watched }, out, io)
    await refused?.end()
    out.value({ alias: table.alias, imported: done.imported, refused: done.refused })
    out.line(`${were(done.imported, 'record')} stored in ${table.name}; ${were(done.refused, 'line')} refused.`)
    if (done.refused > MAX_SHOWN && !refused) out.note('Use --refused FILE to keep all refused lines.')
    if (done.refused > 0) exit(ERRORS.invalid.exit)
  },
})

interface StoreOptions extends Pick<ImportOptions, 'lines' | 'units'> {
  refused: FileWriter | undefined
  keepIds: boolean
  raw: boolean
  fromLine: number
  source: Source
  interruption: Interruption
  /** True when the input can be read a second time. */
  again: boolean
}

async function store(
  program: Program,
  table: Table,
  options: StoreOptions,
  out: Output,
  io: Io,
): Promise<ImportProgress> {
  const { importRecords } = await import('../../../domain/tables/files/import.ts')
  const progress = await startProgress(io, 'line')
  let last: ImportProgress = { imported: 0, refused: 0, line: 0 }
  let shown = 0
  try {
    return await importRecords({
      ...options,
      appId: table.appId,
      alias: table.alias,
      bytesRead: options.source.read,
      inTransaction: (work) => program.inTransaction((tx) => work(tx.records)),
      onRefused: async (line) => {
        if (shown++ < MAX_SHOWN) out.note(describe(line))
        await options.refused?.write(`${JSON.stringify(line)}\n`)
      },
      onProgress: (now) => {
        last = { ...now }
        progress.update(now.imported + now.refused, undefined, options.source.part())
        options.interruption.check()
      },
    })
  } catch (error) {
    if (last.line > 0)
      out.note(
        `${were(last.imported, 'record')} stored; continue with the same command and --from-line ${last.line + 1}`,
      )
    else out.note('Nothing was stored.')
    throw isAppError(error) || error instanceof Interrupted
      ? error
      : new AppError('unavailable', `the import stopped: ${String(error)}`)
  } finally {
    progress.stop()
  }
}

function describe({ line, errors }: RefusedLine): string {
  const reasons = Object.entries(errors).map(([key, messages]) => `${key === '' ? 'it' : key} ${messages.join(', ')}`)
  return printable(`line ${line}: ${reasons.slice(0, 5).join('; ')}`)
}

function were(count: number, noun: string): string {
  return `${countOf(count, noun)} ${count === 1 ? 'was' : 'were'}`
}
