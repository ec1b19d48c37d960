import { metricArgs } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { shortTime } from '../../output/present.ts'

export const MetricsShow = appCommand({
  summary: 'Show what a metric counts, and since when',
  examples: ['appsvc metrics show --app 1 purchases', 'appsvc metrics show --app 1 purchases --json'],
  args: metricArgs,
  async work({ program, appId, args, out }) {
    const { presentMetric } = await import('../../../present/api/metrics.ts')
    const metric = await program.metrics.get(appId, args.metric)
    const { id, name, event, where, value, createdAt, storedSince, backfilled } = metric
    out.value(presentMetric(metric))
    out.fields({
      metric: name,
      id,
      event,
      where: where === null ? 'all' : JSON.stringify(where),
      sums: value ?? 'nothing: events are counted',
      since: shortTime(storedSince ?? createdAt),
      'read so far': backfilled === null || backfilled === 1 ? undefined : `${Math.floor(backfilled * 100)} %`,
    })
  },
})
