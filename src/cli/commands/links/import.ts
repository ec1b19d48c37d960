import { createReadStream } from 'node:fs'
import { Flags } from '@oclif/core'
import type { Service } from '../../../domain/links/make/import-formats.ts'
import { AppError } from '../../../platform/errors.ts'
import { chooseApp } from '../../input/app.ts'
import { unreadable } from '../../input/files.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'
import { printable } from '../../output/output.ts'
import { countOf } from '../../output/plural.ts'
import { startProgress } from '../../output/progress.ts'

/** Refused rows that people see at once. */
const MOST_SHOWN = 20

export class LinksImport extends BaseCommand {
  static override summary = 'Take over the links of another service, so that its domain can point at this server'
  static override description =
    'CSV with a head, a JSON list, or JSON lines. The path of each old short link becomes the slug. Run again it makes nothing twice. Exit code 65 when rows were refused; the others are taken. docs/links.md names the columns.'
  static override examples = [
    '<%= config.bin %> links import 1 example.page.link.csv --from firebase',
    '<%= config.bin %> links import 1 branch-links.json --from branch --fallback https://example.com',
  ]
  static override args = {
    app: textArg({ required: true, description: 'id or name of the app' }),
    file: textArg({ required: true, description: 'the export; - for standard input' }),
  }
  static override flags = {
    from: Flags.string({ required: true, options: ['firebase', 'branch'], description: 'service that it comes from' }),
    fallback: Flags.string({
      helpValue: 'URL',
      description: 'where people without the app go when a link does not say it',
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(LinksImport)
    const [{ importLinks }, { targetProblem }] = await Promise.all([
      import('../../../domain/links/make/import.ts'),
      import('../../../domain/links/make/schema.ts'),
    ])
    const { fallback } = flags
    const problem = fallback === undefined ? undefined : targetProblem(fallback)
    if (problem !== undefined) throw new AppError('usage', `--fallback ${problem}`)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const progress = await startProgress(this.io, 'row')
    try {
      const input = args.file === '-' ? this.io.stdin : createReadStream(args.file, { highWaterMark: 256 * 1024 })
      const report = await importLinks(
        input,
        flags.from as Service,
        { fallback },
        {
          adopt: (links) => app.inTransaction((tx) => tx.links.adopt(id, links)),
          onProgress: (rows) => progress.update(rows),
        },
      )
      progress.stop()
      this.out.value(report)
      this.out.line(
        `${was(report.created, 'link')} made, ${was(report.existing)} there already, ${was(report.refused, 'row')} refused.`,
      )
      for (const { line, problem: why } of report.refusedRows.slice(0, MOST_SHOWN)) {
        this.out.note(`line ${line}: ${printable(why)}`)
      }
      if (report.refused > MOST_SHOWN)
        this.out.note(`${report.refused - MOST_SHOWN} more: --json lists the first thousand`)
      if (report.refused > 0) this.exit(65)
    } catch (error) {
      throw unreadable(error, args.file)
    } finally {
      progress.stop()
    }
  }
}

/** `1 link was`, `2 links were`; without a noun `1 was`. */
function was(count: number, noun?: string): string {
  return `${noun === undefined ? count : countOf(count, noun)} ${count === 1 ? 'was' : 'were'}`
}
