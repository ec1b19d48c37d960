import { metricArgs } from '../../input/args.ts'
import { deleteCommand } from '../../kinds/delete-command.ts'

export const MetricsDelete = deleteCommand({
  summary: 'Delete a metric that no segment names, and what it counted',
  examples: ['appsvc metrics delete --app 1 purchases', 'appsvc metrics delete --app 1 purchases --yes'],
  args: metricArgs,
  async find({ program, appId, args }) {
    const { name } = await program.metrics.get(appId, args.metric)
    return {
      what: `metric ${name} and what it counted`,
      remove: (tx) => tx.metrics.delete(appId, name),
      json: { name, deleted: true },
      done: `Metric ${name} is deleted.`,
    }
  },
})
