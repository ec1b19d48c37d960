import { Flags } from '@oclif/core'
import { metricArgs } from '../../input/args.ts'
import { checked } from '../../input/checked.ts'
import { readJsonFile } from '../../input/files.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { printable } from '../../output/output.ts'

export const MetricsSet = appCommand({
  summary: 'Create a metric, or replace it; with another definition it begins anew',
  description:
    'A metric counts the events of each user from now on, or sums a number in them; with --backfill also those that are stored already. Segments use it as metrics.NAME. See docs/events.md.',
  examples: [
    'appsvc metrics set --app 1 purchases --event order.paid',
    'appsvc metrics set --app 1 purchases --event order.paid --backfill',
    'appsvc metrics set --app 1 revenue --event order.paid --value data.amount --where euro.json',
  ],
  args: metricArgs,
  flags: {
    event: Flags.string({ required: true, helpValue: 'TYPE', description: 'type of the events that count' }),
    where: Flags.string({
      helpValue: 'FILE',
      description: 'JSON file with a filter over data.NAME, or - for standard input; only these events count',
    }),
    value: Flags.string({ helpValue: 'data.NAME', description: 'the number that is summed; without it, events' }),
    backfill: Flags.boolean({ description: 'also count the events that are stored already' }),
  },
  async read({ flags, io }) {
    const { metricForm } = await import('../../../domain/metrics/schema.ts')
    const { event, where, value = null, backfill } = flags
    const filter = where === undefined ? null : await readJsonFile(io, where, '--where')
    return checked(metricForm, { event, where: filter, value, backfill })
  },
  async work({ program, appId, args, input, out }) {
    const { presentMetric } = await import('../../../present/api/metrics.ts')
    const { event, where = null, value = null, backfill = false } = input
    const { metric, created } = await program.inTransaction((tx) =>
      tx.metrics.put(appId, args.metric, { event, where, value }, { isBackfilled: backfill }),
    )
    out.value(presentMetric(metric))
    out.line(`Metric ${printable(metric.name)} is ${created ? 'created' : 'set'}.`)
  },
})
