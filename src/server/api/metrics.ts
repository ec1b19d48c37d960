import { metricForm } from '../../domain/metrics/schema.ts'
import { metric, metrics, presentMetric, presentMetrics } from '../../present/api/metrics.ts'
import { WHERE } from '../openapi/words/metrics.ts'
import { del, get, put, Reply, type Route } from '../routing/route.ts'

const OURS = { area: 'messages', needs: 'server-key' } as const
const UNKNOWN = { 404: 'There is no such metric' }

/** Metrics: counts of the events of each user, for segments. */
export const metricRoutes: Route[] = [
  get('/v1/metrics', {
    ...OURS,
    summary: 'List the metrics of the app',
    description: 'Returns them in the order of their names.',
    scope: 'read',
    returns: metrics,
    run: async ({ tx, appId }) => presentMetrics(await tx.metrics.list(appId)),
  }),
  get('/v1/metrics/:name', {
    ...OURS,
    summary: 'Read a metric',
    description: 'Says what the metric counts, and since when.',
    scope: 'read',
    also: UNKNOWN,
    returns: metric,
    run: async ({ tx, appId, params }) => presentMetric(await tx.metrics.get(appId, params.name!)),
  }),
  put('/v1/metrics/:name', {
    ...OURS,
    summary: 'Create or replace a metric',
    description:
      'A new metric counts the events that are stored from now on, for each user and day (UTC); with `backfill` also those that ' +
      'are stored already, which are read by and by. With another definition it begins anew; with the same it goes on. Segments ' +
      'use it as the field `metrics.NAME`.',
    takes: 'MetricRequest',
    sends: { event: 'order.paid', where: WHERE, value: 'data.amount' },
    scope: 'admin',
    body: metricForm,
    also: {
      201: { says: 'The metric was created', body: metric },
      409: 'The app has as many metrics as it may have',
    },
    returns: metric,
    run: async ({ tx, appId, params, body }) => {
      const { event, where = null, value = null, backfill = false } = body
      const definition = { event, where, value }
      const made = await tx.metrics.put(appId, params.name!, definition, { isBackfilled: backfill })
      return new Reply(made.created ? 201 : 200, presentMetric(made.metric))
    },
  }),
  del('/v1/metrics/:name', {
    ...OURS,
    summary: 'Delete a metric and what it counted',
    description: 'What it counted is deleted, too.',
    scope: 'admin',
    status: 204,
    also: { ...UNKNOWN, 409: 'A segment names it' },
    run: ({ tx, appId, params }) => tx.metrics.delete(appId, params.name!),
  }),
]
