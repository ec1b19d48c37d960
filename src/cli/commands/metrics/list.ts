import { optionalAppArg } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { printable } from '../../output/output.ts'
import { shortTime } from '../../output/present.ts'

export const MetricsList = appCommand({
  summary: 'List the metrics of an app',
  examples: ['appsvc metrics list --app 1', 'appsvc metrics list --app 1 --json'],
  args: { app: optionalAppArg },
  async work({ program, appId, out }) {
    const { presentMetrics } = await import('../../../present/api/metrics.ts')
    const metrics = await program.metrics.list(appId)
    out.value(presentMetrics(metrics))
    out.table(
      ['NAME', 'EVENT', 'SUMS', 'SINCE'],
      metrics.map((one) => [
        one.name,
        printable(one.event),
        printable(one.value ?? '-'),
        shortTime(one.storedSince ?? one.createdAt),
      ]),
      'There are no metrics yet. Create one with appsvc metrics set.',
    )
  },
})
