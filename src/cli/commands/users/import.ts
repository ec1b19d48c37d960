import { Flags } from '@oclif/core'
import type { UserLine } from '../../../domain/imports/users/file.ts'
import type { UsersStored } from '../../../domain/imports/users/service.ts'
import { batches, growthOf } from '../../../platform/concurrency/chunks.ts'
import { AppError, ERRORS } from '../../../platform/errors.ts'
import type { Program } from '../../../program.ts'
import { appFlag, textArg } from '../../input/args.ts'
import { openSource, refuseAsOutput, type Source } from '../../input/source.ts'
import { FORMATS, type Format, formatOf, writeFile } from '../../input/table-files.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { type Output, printable } from '../../output/output.ts'
import { countOf } from '../../output/plural.ts'
import { startProgress } from '../../output/progress.ts'
import { catchInterruption, type Interruption } from '../../process/interruption.ts'
import type { Io } from '../../process/io.ts'

/** Maximum number of refused lines that are printed. */
const MAX_SHOWN = 20

interface Input {
  format: Format
  columns: readonly string[]
}

export const UsersImport = appCommand({
  summary: 'Store users and their attributes from a file: CSV with a header, or JSON lines',
  description:
    'A column is an attribute of its name, as text unless --column says otherwise; address.city is stored within address. An empty cell changes ' +
    'nothing. Users who are not there are created. Lines that are refused keep no other from being stored; the command may be repeated. Exits ' +
    'with 65 if a line was refused.',
  examples: [
    'appsvc users import --app 1 users.csv --dry-run',
    'appsvc users import --app 1 users.csv --id customer --column visits=number --refused refused.jsonl',
  ],
  args: { file: textArg({ required: true, description: 'input file, or - for standard input' }) },
  flags: {
    app: appFlag,
    format: Flags.string({
      options: [...FORMATS],
      description: 'default: by the file extension; csv for standard input',
    }),
    id: Flags.string({
      helpValue: 'COLUMN',
      description: 'the column with the user id (default: user_id, id and the like)',
    }),
    column: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'COLUMN=FORM',
      description: 'text, number, boolean, json, or skip, which leaves the column out; may be repeated',
    }),
    replace: Flags.boolean({ description: 'replace all attributes of the users in the file' }),
    'known-only': Flags.boolean({ description: 'create nobody: refuse users who are not there' }),
    'include-erased': Flags.boolean({ description: 'also users who were erased here' }),
    refused: Flags.string({
      helpValue: 'FILE',
      description: 'write refused lines and their reasons to this file as JSON lines',
    }),
    'dry-run': Flags.boolean({ description: 'say what would become of the lines, and store nothing' }),
  },
  async read({ args, flags, io }): Promise<Input> {
    const { column: columns = [] } = flags
    const format = formatOf(args.file, flags.format, args.file === '-' ? 'csv' : undefined)
    const { readForms } = await import('../../../domain/imports/users/file.ts')
    readForms(columns)
    if (format === 'jsonl' && columns.length > 0)
      throw new AppError('usage', '--column is for CSV: JSON lines say what a value is')
    if (flags.refused !== undefined) await refuseAsOutput(io, '--refused', flags.refused, [args.file])
    return { format, columns }
  },
  async work(job) {
    const { flags, out, exit } = job
    const isTrial = flags['dry-run']
    const interruption = catchInterruption(job.io)
    job.onEnd(() => interruption.end())
    // Before a file is written: a caller on another machine sends it now, and compares the two.
    const source = await openSource(job.io, job.args.file, interruption)
    const refused = flags.refused === undefined ? undefined : await writeFile(job.io, flags.refused)
    const sum = await storeAll({ ...job, source, interruption }, async (line, reason, count) => {
      if (count <= MAX_SHOWN) out.note(printable(`line ${line}: ${reason}`))
      await refused?.write(`${JSON.stringify({ line, reason })}\n`)
    })
    await refused?.end()
    out.value({ ...sum, dryRun: isTrial })
    const [created, changed] = isTrial ? ['would be created', 'would be changed'] : ['created', 'changed']
    const stored = `${countOf(sum.created, 'user')} ${created}, ${sum.changed} ${changed}, ${sum.unchanged} the same`
    out.line(`${stored}; ${countOf(sum.refused, 'line')} refused.`)
    if (sum.refused > MAX_SHOWN && !refused) out.note('Use --refused FILE to keep all refused lines.')
    if (sum.refused > 0) exit(ERRORS.invalid.exit)
  },
})

/** The parts of the command that storing needs. */
interface Storing {
  program: Program
  appId: number
  flags: {
    id?: string | undefined
    replace: boolean
    'known-only': boolean
    'include-erased': boolean
    'dry-run': boolean
  }
  input: Input
  out: Output
  io: Io
  source: Source
  interruption: Interruption
}

/** Stores the lines of the file, batch by batch; `refuse` hears of each line that is refused, and how many there are by then. */
async function storeAll(
  { program, appId, flags, input, out, io, source, interruption }: Storing,
  refuse: (line: number, reason: string, count: number) => Promise<void>,
) {
  const { replace: replaces, 'known-only': knownOnly, 'include-erased': includeErased, 'dry-run': isTrial } = flags
  const options = { replaces, knownOnly, includeErased, isTrial }
  const sum = { created: 0, changed: 0, unchanged: 0, refused: 0 }
  const progress = await startProgress(io, 'line')
  try {
    const lines = await linesOf(source, input, flags.id)
    const { MAX_USER_ROWS } = await import('../../../domain/imports/users/schema.ts')
    for await (const batch of batches(lines, { size: MAX_USER_ROWS, bytesOf: growthOf(source.read) })) {
      const found = batch.flatMap(({ line, ...one }) => ('row' in one ? [{ line, row: one.row }] : []))
      const rows = found.map(({ row }) => row)
      const stored = await program.inTransaction((tx) => tx.userImports.store(appId, rows, options))
      add(sum, stored)
      const reasons = [
        ...batch.flatMap(({ line, fault }) => (fault === undefined ? [] : [{ line, reason: fault }])),
        ...stored.refused.map(({ index, reason }) => ({ line: found[index]!.line, reason })),
      ]
      for (const { line, reason } of reasons.sort((a, b) => a.line - b.line)) await refuse(line, reason, ++sum.refused)
      progress.update(sum.created + sum.changed + sum.unchanged + sum.refused, undefined, source.part())
      interruption.check()
    }
    return sum
  } catch (error) {
    if (!isTrial && sum.created + sum.changed > 0)
      out.note(`${countOf(sum.created + sum.changed, 'user')} stored; repeat the same command to go on`)
    throw error
  } finally {
    progress.stop()
  }
}

function add(sum: { created: number; changed: number; unchanged: number }, stored: UsersStored): void {
  sum.created += stored.created
  sum.changed += stored.changed
  sum.unchanged += stored.unchanged
}

async function linesOf(
  source: Source,
  { format, columns }: Input,
  id: string | undefined,
): Promise<AsyncIterable<UserLine>> {
  const { readForms, readUsersCsv, readUsersJson } = await import('../../../domain/imports/users/file.ts')
  const rules = { id, forms: readForms(columns) }
  if (format === 'csv') return readUsersCsv(source.pieces, rules)
  const { readJsonLines } = await import('../../../domain/tables/files/json-lines.ts')
  return readUsersJson(readJsonLines(source.pieces), rules)
}
