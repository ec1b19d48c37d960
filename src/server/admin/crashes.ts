import { crashFilterOf, crashGroupQuery, crashQuery } from '../../domain/crashes/schema.ts'
import { readPage } from '../../platform/db/pages.ts'
import { crashGroups, crashPage, presentGroups, presentShownCrash, shownCrash } from '../../present/admin/crashes.ts'
import { presentCrash } from '../../present/api/crashes.ts'
import { get, type Route } from '../routing/route.ts'
import { numberOf } from './params.ts'
import { groupCrashes, listCrashes } from './reads.ts'

const SEE = { area: 'admin', needs: 'person', right: 'see' } as const

/** Crash reports, for people. */
export const adminCrashRoutes: readonly Route[] = [
  get('/v1/apps/:appId/crash-groups', {
    ...SEE,
    summary: 'List crashes by fault, the most recently reported first',
    description: 'Reports of what looks like one fault are one group.',
    query: crashGroupQuery,
    returns: crashGroups,
    run: async (call) => {
      const { program, query } = call
      return presentGroups(await groupCrashes(call, crashFilterOf(query, program.kernel.clock.now()), query.limit))
    },
  }),
  get('/v1/apps/:appId/crashes', {
    ...SEE,
    summary: 'List crash reports, newest first',
    description: 'Without the reports themselves. `next` is null on the last page.',
    query: crashQuery,
    returns: crashPage,
    run: async (call) => {
      const { program, query } = call
      const filter = crashFilterOf(query, program.kernel.clock.now())
      const { rows, last } = await readPage(query.limit, (most) => listCrashes(call, filter, query.after, most))
      return { items: rows.map(presentCrash), next: last?.id ?? null }
    },
  }),
  get('/v1/apps/:appId/crashes/:crashId', {
    ...SEE,
    summary: 'Read a crash report with its stack',
    description:
      'The first 500 lines of the stack, and the report as the app sent it: null for those who get personal data masked.',
    also: { 404: 'There is no such crash report, or it was forgotten' },
    returns: shownCrash,
    run: async ({ tx, appId, params }) => presentShownCrash(await tx.crashes.get(appId, numberOf(params.crashId))),
  }),
]
