import type { ImportReport, SeenLinks } from '../../domain/links/make/import.ts'
import type { Service } from '../../domain/links/make/import-formats.ts'
import type { NewLink } from '../../domain/links/types.ts'
import { AppError } from '../../platform/errors.ts'
import type { Program } from '../../program.ts'
import { readPieces, refuseAsOutput } from '../input/source.ts'
import { type Output, printable } from '../output/output.ts'
import { countOf } from '../output/plural.ts'
import { startProgress } from '../output/progress.ts'
import type { Io } from '../process/io.ts'
import { openRefusedFile } from './refused-file.ts'
import type { Given } from './steps.ts'

/** Refused rows that are printed for each file. */
const MAX_SHOWN = 20

interface MoveLinks {
  program: Program
  appId: number
  files: readonly string[]
  service: Service
  given: Pick<Given, 'dry-run' | 'yes' | 'fallback' | 'errors'>
  out: Output
  io: Io
  onEnd(release: () => Promise<void> | void): void
}

/**
 * Imports links. A first pass writes nothing and tells the fate of each row. Interrupted, it is run again: links whose slug is
 * here are left as they are. Returns the number of refused rows.
 */
export async function moveLinks(move: MoveLinks): Promise<number> {
  const { program, appId, files, given, out, io, onEnd } = move
  if (given.errors !== undefined) await refuseAsOutput(io, '--errors', given.errors, files)
  await checkFallback(given.fallback)
  if (given['dry-run'] || !given.yes) {
    const { report, samples, domains } = await pass(move, async (links) => links.length)
    out.line(
      `${countOf(report.created, 'link')} to create, ${report.existing} here already, ${countOf(report.refused, 'row')} refused.`,
    )
    out.table(
      ['sample', 'desktop', 'mobile'],
      samples.map((link) => [link.slug, link.desktopWebFallbackUrl, link.mobileWebFallbackUrl]),
      'No links.',
    )
    printRemarks(out, report, domains)
    printRefused(out, report)
    if (given['dry-run']) {
      out.value({ dryRun: true, ...report })
      out.note('Nothing was written: this was a dry run.')
      return 0
    }
    await out.confirm(`Import these links into app ${appId}?`, false)
  }
  const file = given.errors === undefined ? undefined : await openRefusedFile(io, given.errors, 0)
  if (file) onEnd(() => file.close())
  let written = 0
  const { report, domains } = await pass(
    move,
    (links) => program.inTransaction((tx) => tx.links.adopt(appId, links)),
    async (row) => {
      if (file) written = await file.put([row], written)
    },
  )
  out.value({ dryRun: false, ...report })
  out.line(
    `${countOf(report.created, 'link')} created, ${report.existing} here already, ${countOf(report.refused, 'row')} refused.`,
  )
  printRemarks(out, report, domains)
  printRefused(out, report)
  return report.refused
}

/** The old domains of the links. */
type Domains = ReturnType<SeenLinks['domains']>

interface RefusedLink {
  file: string
  line: number
  problem: string
  text: string
}

/** Reads all files, and hands their links to `adopt`. */
async function pass(
  { program, appId, files, service, given, io }: MoveLinks,
  adopt: (links: readonly NewLink[]) => Promise<number>,
  onRefused?: (row: RefusedLink) => Promise<void>,
): Promise<{ report: ImportReport; samples: NewLink[]; domains: Domains }> {
  const [{ addReport, emptyReport, importLinks, noSeenLinks }, { decodeExport }, { Readable }] = await Promise.all([
    import('../../domain/links/make/import.ts'),
    import('../../domain/imports/read/decode.ts'),
    import('node:stream'),
  ])
  const report = emptyReport()
  const seen = noSeenLinks()
  const samples: NewLink[] = []
  const progress = await startProgress(io, 'row')
  try {
    for (const file of files) {
      const before = report.created + report.existing + report.left + report.refused
      const input = Readable.from(decodeExport(await readPieces(io, file)), { objectMode: false })
      const done = await importLinks(
        input,
        service,
        { fallback: given.fallback },
        {
          adopt(links) {
            samples.push(...links.slice(0, Math.max(0, 5 - samples.length)))
            return adopt(links)
          },
          findEach: (slugs) => program.links.findEach(appId, slugs),
          refusalOf: (link) => program.links.tooLarge(link),
          seen,
          onRefused: (row, text) => onRefused?.({ file, ...row, text }),
          onProgress: (rows) => progress.update(before + rows),
        },
      )
      addReport(report, done)
    }
  } finally {
    seen.close()
    progress.stop()
  }
  return { report, samples, domains: seen.domains() }
}

/** Prints what was left behind, and what is not as it was. */
export function printRemarks(out: Output, { left, remarks }: ImportReport, { count, first }: Domains): void {
  if (left > 0) out.line(`${countOf(left, 'row')} left behind.`)
  for (const one of remarks) out.note(`${countOf(one.count, 'link')}: ${printable(one.what)}`)
  if (count > 1) {
    const names = first.map(printable).join(', ')
    out.note(`The links are of ${count} domains (${names}), and an app has one: import each into an app of its own.`)
  }
}

async function checkFallback(fallback: string | undefined): Promise<void> {
  if (fallback === undefined) return
  const { targetProblem } = await import('../../domain/links/make/schema.ts')
  const problem = targetProblem(fallback)
  if (problem !== undefined) throw new AppError('usage', `--fallback ${problem}`)
}

function printRefused(out: Output, { refused, refusedRows }: ImportReport): void {
  for (const { line, problem } of refusedRows.slice(0, MAX_SHOWN)) out.note(`line ${line}: ${printable(problem)}`)
  if (refused > MAX_SHOWN) out.note(`${refused - MAX_SHOWN} more: --errors FILE keeps all of them`)
}
