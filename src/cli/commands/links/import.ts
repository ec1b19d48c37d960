import { Flags } from '@oclif/core'
import type { Service } from '../../../domain/links/make/import-formats.ts'
import { AppError } from '../../../platform/errors.ts'
import { appArg, textArg } from '../../input/args.ts'
import { openSource } from '../../input/source.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { printable } from '../../output/output.ts'
import { countOf } from '../../output/plural.ts'
import { startProgress } from '../../output/progress.ts'
import { catchInterruption, Interrupted } from '../../process/interruption.ts'

/** Maximum number of refused rows that are printed. */
const MAX_SHOWN = 20

export const LinksImport = appCommand({
  summary: 'Import the links of another service, so that its domain can point at this server',
  description:
    'Reads CSV with a header, a JSON array, or JSON lines. The path of each old short link becomes the slug. Running it again creates no duplicates. Exits with 65 if rows were refused; the other rows are imported. docs/links.md lists the columns.',
  examples: [
    'appsvc links import --app 1 example.page.link.csv --from firebase',
    'appsvc links import --app 1 branch-links.json --from branch --fallback https://example.com',
  ],
  args: { app: appArg, file: textArg({ required: true, description: 'exported file, or - for standard input' }) },
  flags: {
    from: Flags.string({
      required: true,
      options: ['firebase', 'branch'],
      description: 'service that exported the file',
    }),
    fallback: Flags.string({
      helpValue: 'URL',
      description: 'where people without the app are sent if a link has no target of its own',
    }),
  },
  async read({ flags: { fallback } }) {
    const { targetProblem } = await import('../../../domain/links/make/schema.ts')
    const problem = fallback === undefined ? undefined : targetProblem(fallback)
    if (problem !== undefined) throw new AppError('usage', `--fallback ${problem}`)
    return undefined
  },
  async work({ program, appId, args, flags, out, io, onEnd, exit }) {
    const [{ importLinks, noSeenLinks }, { printRemarks }] = await Promise.all([
      import('../../../domain/links/make/import.ts'),
      import('../../import/links.ts'),
    ])
    const seen = noSeenLinks()
    onEnd(() => seen.close())
    const progress = await startProgress(io, 'row')
    const interruption = catchInterruption(io)
    onEnd(() => interruption.end())
    let done = 0
    let refused = false
    try {
      const source = await openSource(io, args.file, interruption)
      const report = await importLinks(
        source.pieces,
        flags.from as Service,
        { fallback: flags.fallback },
        {
          adopt: (links) => program.inTransaction((tx) => tx.links.adopt(appId, links)),
          findEach: (slugs) => program.links.findEach(appId, slugs),
          refusalOf: (link) => program.links.tooLarge(link),
          seen,
          onProgress(rows) {
            done = rows
            progress.update(rows, undefined, source.part())
            interruption.check()
          },
        },
      )
      progress.stop()
      out.value(report)
      out.line(
        `${were(report.created, 'link')} created, ${were(report.existing)} already present, ${were(report.refused, 'row')} refused.`,
      )
      printRemarks(out, report, seen.domains())
      for (const { line, problem } of report.refusedRows.slice(0, MAX_SHOWN)) {
        out.note(`line ${line}: ${printable(problem)}`)
      }
      if (report.refused > MAX_SHOWN) out.note(`${report.refused - MAX_SHOWN} more; --json lists the first thousand`)
      if (report.refused > 0) refused = true
    } catch (error) {
      if (error instanceof Interrupted || done > 0)
        out.note(
          `${countOf(done, 'row')} done. Run the same command again: it leaves the links alone that are there already.`,
        )
      throw error
    } finally {
      progress.stop()
    }
    if (refused) exit(65)
  },
})

/** `1 link was`, `2 links were`; without a noun `1 was`. */
function were(count: number, noun?: string): string {
  return `${noun === undefined ? count : countOf(count, noun)} ${count === 1 ? 'was' : 'were'}`
}
