import { chunks } from '../../../platform/concurrency/chunks.ts'
import { invalid } from '../../../platform/errors.ts'
import { markLength } from '../../../platform/text/csv.ts'
import { isUtf16 } from '../../../platform/text/text-files.ts'
import { appArg, textArg } from '../../input/args.ts'
import { readInput } from '../../input/files.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { countOf } from '../../output/plural.ts'
import { startProgress } from '../../output/progress.ts'
import { catchInterruption, Interrupted } from '../../process/interruption.ts'
import type { Io } from '../../process/io.ts'
import { reasonFlag } from './reason.ts'

export const SuppressionsImport = appCommand({
  summary: 'Put the users listed in a CSV file on the suppression list: one identifier per line, no header',
  description:
    'The whole file, of at most 16 MiB, is checked before the first user is listed. If the command is interrupted, run it again.',
  examples: ['appsvc suppressions import --app 1 unsubscribed.csv --reason "list of the former provider"'],
  args: { app: appArg, file: textArg({ required: true, description: 'CSV file, or - for standard input' }) },
  flags: { reason: reasonFlag },
  read: ({ args, io }) => readIdentifiers(io, args.file),
  async work({ program, appId, flags, input: identifiers, out, io, onEnd }) {
    const { MAX_SUPPRESSED_AT_ONCE } = await import('../../../domain/consent/schema.ts')
    const progress = await startProgress(io, 'line')
    const interruption = catchInterruption(io)
    onEnd(() => interruption.end())
    let added = 0
    let done = 0
    try {
      for (const some of chunks(identifiers, MAX_SUPPRESSED_AT_ONCE)) {
        added += await program.inTransaction((tx) => tx.suppressions.putAll(appId, some, flags.reason ?? null))
        done += some.length
        progress.update(done, identifiers.length)
        interruption.check()
      }
    } catch (error) {
      if (error instanceof Interrupted || done > 0)
        out.note(`${done} of ${countOf(identifiers.length, 'user')} done. Run the same command again to continue.`)
      throw error
    } finally {
      progress.stop()
    }
    const known = identifiers.length - added
    out.value({ added, known })
    out.line(`${countOf(added, 'user')} added to the suppression list; ${known} on it already.`)
  },
})

/** The identifiers of a file, each once. Throws `invalid` naming the line. */
async function readIdentifiers(io: Io, file: string): Promise<string[]> {
  const bytes = await readInput(io, file, 'the file')
  const { IS_UTF16, LineError, readColumn } = await import('../../../domain/channels/one-column.ts')
  try {
    if (isUtf16(bytes)) throw new LineError(1, IS_UTF16)
    const { values } = readColumn(bytes.subarray(markLength(bytes)), { line: 1, last: true })
    if (values.length === 0) throw invalid({ file: ['is empty'] })
    return [...new Set(values)]
  } catch (error) {
    if (error instanceof LineError) throw invalid({ file: [`line ${error.line} ${error.message}`] })
    throw error
  }
}
