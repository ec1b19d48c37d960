import { Flags } from '@oclif/core'
import type { Table, TableRecord } from '../../../domain/tables/types.ts'
import type { Program } from '../../../program.ts'
import { tableArgs, textArg } from '../../input/args.ts'
import { type FileWriter, FORMATS, formatOf, writeFile } from '../../input/table-files.ts'
import { appCommand } from '../../kinds/app-command.ts'
import type { Output } from '../../output/output.ts'
import { startProgress } from '../../output/progress.ts'
import { catchInterruption, type Interruption } from '../../process/interruption.ts'
import type { Io } from '../../process/io.ts'

const PAGE = 1000
/** Characters written at once. */
const PIECE = 65_536

export const TablesExport = appCommand({
  summary: 'Export all records of a data table as CSV with a header, or as JSON lines',
  description:
    "CSV texts that a spreadsheet would take for formulas are prefixed with '. tables import removes the prefix; --raw leaves it out. " +
    'JSON lines are always exact.',
  examples: ['appsvc tables export --app 1 books books.csv', 'appsvc tables export --app 1 books > books.jsonl'],
  args: { ...tableArgs, file: textArg({ default: '-', description: 'output file, or - for standard output' }) },
  flags: {
    format: Flags.string({
      options: [...FORMATS],
      description: 'default: by the file extension; jsonl for standard output',
    }),
    raw: Flags.boolean({ description: 'CSV: write texts unchanged' }),
  },
  read: ({ args, flags }) => formatOf(args.file, flags.format, args.file === '-' ? 'jsonl' : undefined),
  async work({ program, appId, args, flags, input: format, out, io, onEnd }) {
    const interruption = catchInterruption(io)
    onEnd(() => interruption.end())
    const table = await program.tables.get(appId, args.table)
    const file = args.file === '-' ? undefined : await writeFile(io, args.file)
    const options = { to: file ?? standardOutput(out, io), isCsv: format === 'csv', raw: flags.raw }
    const exported = await writeRecords(program, table, { ...options, interruption }, out, io).catch(
      (error: unknown) => {
        if (file) out.note(`${args.file} is incomplete: run the same command again.`)
        throw error
      },
    )
    if (!file) return out.note(`${exported} records`)
    await file.end()
    out.value({ alias: table.alias, exported, file: args.file })
    out.line(`${exported} records were written to ${args.file}.`)
  },
})

interface Target {
  to: Pick<FileWriter, 'write'>
  isCsv: boolean
  raw: boolean
  interruption: Interruption
}

async function writeRecords(
  program: Program,
  table: Table,
  { to, isCsv, raw, interruption }: Target,
  out: Output,
  io: Io,
): Promise<number> {
  const [{ csvLine }, { OWN_FIELDS }, { presentRecord }] = await Promise.all([
    import('../../../domain/tables/files/csv.ts'),
    import('../../../domain/tables/definition/names.ts'),
    import('../../../present/api/tables.ts'),
  ])
  const [id, ...times] = OWN_FIELDS
  const head = [id!, ...table.columns, ...times]
  const textOf = (current: Table, record: TableRecord): string => {
    const shown: Record<string, unknown> = presentRecord(current, record)
    if (!isCsv) return `${JSON.stringify(shown)}\n`
    const cells = head.map(({ name, type }) => ({ value: Object.hasOwn(shown, name) ? shown[name] : null, type }))
    return csvLine(cells, raw)
  }
  if (isCsv) {
    const names = head.map(({ name }) => ({ value: name, type: 'string' as const }))
    await to.write(csvLine(names, true))
  }
  const total = await program.tables.count(table)
  const progress = await startProgress(io, 'record')
  try {
    let exported = 0
    for (let from: number | undefined = 0; from !== undefined && !out.closed(); ) {
      const { table: current, records, last } = await program.records.behind(table.appId, table.alias, from, PAGE)
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
      progress.update(exported, Math.max(exported, total))
      interruption.check()
    }
    return exported
  } finally {
    progress.stop()
  }
}

function standardOutput(out: Output, io: Io): Pick<FileWriter, 'write'> {
  return {
    async write(text) {
      if (out.closed()) return
      io.stdout.write(text)
      await out.drained()
    },
  }
}
