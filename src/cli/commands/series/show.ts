import { appFlag, textArg } from '../../input/args.ts'
import { typedId } from '../../input/typed-id.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { printable } from '../../output/output.ts'
import { shortTime } from '../../output/present.ts'

export const SeriesShow = appCommand({
  summary: 'Show a send that repeats: its next five times and what became of its last ones',
  examples: ['appsvc series show 3', 'appsvc series show 3 --json'],
  args: { id: textArg({ required: true, description: 'series id' }) },
  flags: { app: appFlag },
  read: ({ args }) => typedId(args.id, 'a series'),
  async work({ program, appId, input: id, out }) {
    const [{ presentSeriesReport }, { becameInWords, repeatsInWords, timeInWords }] = await Promise.all([
      import('../../../present/api/series.ts'),
      import('../../output/series-words.ts'),
    ])
    const report = await program.series.report(appId, id)
    const { series, next, occurrences } = report
    out.value(presentSeriesReport(report))
    out.fields({
      series: id,
      state: series.state,
      ...(series.why !== null && { why: series.why }),
      kind: series.kind,
      title: printable(report.title),
      repeats: repeatsInWords(report),
      target: JSON.stringify(series.request.target),
      next: next.map((one) => timeInWords(report, one)).join(', ') || 'no more',
      'times planned': series.sent,
      ...(series.missed > 0 && { 'times missed': series.missed }),
      ...(series.unreached > 0 && { 'times nobody was reached': series.unreached }),
      created: shortTime(series.createdAt),
      ...(series.endedAt !== null && { ended: shortTime(series.endedAt) }),
    })
    if (occurrences.length === 0) return
    out.line('')
    out.table(
      ['TIME', 'ID', 'OUTCOME'],
      occurrences.map((one) => [one.local, one.notificationId ?? one.messageId, becameInWords(series.kind, one)]),
      '',
    )
  },
})
