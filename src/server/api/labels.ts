import { listLabels, periodOf, reportLabels } from '../../domain/labels/schema.ts'
import { labelPage, labelReport, presentLabelReport } from '../../present/api/labels.ts'
import { get, type Route } from '../routing/route.ts'

const OURS = { area: 'messages', needs: 'server-key', scope: 'read' } as const

/** Labels: short words that pushes and in-app messages carry. */
export const labelRoutes: Route[] = [
  get('/v1/labels', {
    ...OURS,
    summary: 'List the labels in use',
    description: 'Returns the labels that some push or in-app message carries, in the order of their characters.',
    query: listLabels,
    returns: labelPage,
    run: ({ tx, appId, query }) => tx.labels.names(appId, query),
  }),
  get('/v1/labels/report', {
    ...OURS,
    summary: 'Add up what became of sends by label',
    description:
      'Adds up the pushes and in-app messages that were created in the period (without one, the last 30 days) by each of their labels. ' +
      'A label without any in the period is left out, so a page may be short: go on with `next`. The newest 500 of a kind count.',
    query: reportLabels,
    returns: labelReport,
    run: async ({ tx, program, appId, query }) =>
      presentLabelReport(await tx.labels.report(appId, periodOf(query, program.kernel.clock.now()), query)),
  }),
]
