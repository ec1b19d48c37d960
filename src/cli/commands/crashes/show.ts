import { appFlag, textArg } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { printable } from '../../output/output.ts'
import { shortTime } from '../../output/present.ts'

/** Maximum number of stack lines printed; --json has the whole report. */
const MAX_LINES = 100

export const CrashesShow = appCommand({
  summary: 'Show a crash report with its stack; --json prints the whole report',
  examples: ['appsvc crashes show 12', 'appsvc crashes show 12 --json'],
  args: { id: textArg({ required: true, description: 'crash report id' }) },
  flags: { app: appFlag },
  async work({ program, appId, args, out }) {
    const [{ idSegment }, { traceOf }, { presentWholeCrash }] = await Promise.all([
      import('../../../platform/values/parse.ts'),
      import('../../../domain/crashes/summary.ts'),
      import('../../../present/api/crashes.ts'),
    ])
    const crash = await program.crashes.get(appId, idSegment(args.id, 'crash report'))
    out.value(presentWholeCrash(crash))
    out.fields({
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
    for (const line of trace.slice(0, MAX_LINES)) out.line(`  ${printable(line)}`)
    if (trace.length > MAX_LINES) out.note(`${trace.length - MAX_LINES} more lines; --json prints all of them`)
  },
})
