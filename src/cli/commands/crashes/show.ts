import { appFlag, chooseApp } from '../../input/app.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'
import { printable } from '../../output/output.ts'

/** Lines of the stack for people; --json has the whole report. */
const MOST_LINES = 100

export class CrashesShow extends BaseCommand {
  static override summary = 'Show a crash report with its stack; with --json all that it says'
  static override examples = ['<%= config.bin %> crashes show 12', '<%= config.bin %> crashes show 12 --json']
  static override args = { id: textArg({ required: true, description: 'id of the crash report' }) }
  static override flags = { app: appFlag }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(CrashesShow)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, flags.app)
    const [{ idSegment }, { traceOf }, { presentWholeCrash }, { shortTime }] = await Promise.all([
      import('../../../platform/parse.ts'),
      import('../../../domain/crashes/summary.ts'),
      import('../../../server/present/crashes.ts'),
      import('../../output/present.ts'),
    ])
    const crash = await app.crashes.get(id, idSegment(args.id, 'crash report'))
    this.out.value(presentWholeCrash(crash))
    this.out.fields({
      id: crash.id,
      exception: crash.exception,
      message: crash.message,
      frame: crash.frame,
      fault: crash.fingerprint,
      happened: shortTime(crash.happenedAt),
      received: shortTime(crash.receivedAt),
      platform: crash.platform,
      app: crash.appVersion,
      os: crash.osVersion,
      device: crash.device,
      install: crash.installId,
      report: `${crash.source} ${crash.reportId} (${crash.size} bytes)`,
    })
    const trace = traceOf(crash.source, crash.report)
    for (const line of trace.slice(0, MOST_LINES)) this.out.line(`  ${printable(line)}`)
    if (trace.length > MOST_LINES) this.out.note(`${trace.length - MOST_LINES} more lines: --json shows all`)
  }
}
