import { listSeries, seriesChange } from '../../domain/series/schema.ts'
import type { Series } from '../../domain/series/types.ts'
import { idSegment } from '../../platform/values/parse.ts'
import { presentSeries, presentSeriesReport, seriesPage, seriesReport } from '../../present/api/series.ts'
import type { Areas } from '../../program.ts'
import { get, patch, post, type Route } from '../routing/route.ts'

const UNKNOWN = { 404: 'There is no such series' }
const CONFLICT = { 409: 'The state of the series does not allow it' }

const SERIES = { area: 'messages', scope: 'send', needs: 'server-key' } as const

/** Routes of sends that repeat. They are made where sends are made, with a schedule whose strategy is `recurring`. */
export const seriesRoutes: Route[] = [
  get('/v1/series', {
    ...SERIES,
    scope: 'read',
    summary: 'List sends that repeat, newest first or by their next time',
    description: 'Returns the newest series first, or by `order`. `state` leaves the others out.',
    query: listSeries,
    returns: seriesPage,
    run: async ({ tx, appId, query }) => {
      const { series, next } = await tx.series.list(appId, query)
      return { series: series.map(presentSeries), next }
    },
  }),
  get('/v1/series/:id', {
    ...SERIES,
    scope: 'read',
    summary: 'Read a send that repeats: its next times, its last ones, and its request',
    description: 'Each of its times is a notification or an in-app message of its own, with its own report.',
    also: UNKNOWN,
    returns: seriesReport,
    run: ({ tx, appId, params }) => shown(tx, appId, idOf(params)),
  }),
  patch('/v1/series/:id', {
    ...SERIES,
    summary: 'Change a send that repeats from its next time on',
    description:
      'Takes keys of the request that made it: each replaces the key of that name whole, and null takes one out. What comes of it is ' +
      'checked as a request is. What is planned and has not begun is called off and made anew; what has begun goes on as it was.',
    takes: 'SeriesChange',
    sends: { content: { title: 'Hello', message: 'We are open until nine' } },
    body: seriesChange,
    bodyLimit: 'limits.notificationBody',
    also: { ...UNKNOWN, ...CONFLICT },
    wakes: true,
    returns: seriesReport,
    run: ({ tx, appId, params, body }) => after(tx, appId, tx.series.change(appId, idOf(params), body)),
  }),
  post('/v1/series/:id/pause', {
    ...SERIES,
    summary: 'Pause a send that repeats',
    description: 'What is planned and has not begun is called off. Times that pass meanwhile are left out.',
    also: { ...UNKNOWN, ...CONFLICT },
    returns: seriesReport,
    run: ({ tx, appId, params }) => after(tx, appId, tx.series.pause(appId, idOf(params))),
  }),
  post('/v1/series/:id/resume', {
    ...SERIES,
    summary: 'Go on with a send that is paused, or broken and mended',
    description:
      'Plans the next time that is to come. The request is checked again: 422 says what is still wrong with it.',
    also: { ...UNKNOWN, ...CONFLICT },
    wakes: true,
    returns: seriesReport,
    run: ({ tx, appId, params }) => after(tx, appId, tx.series.resume(appId, idOf(params))),
  }),
  post('/v1/series/:id/end', {
    ...SERIES,
    summary: 'End a send that repeats, for good',
    description: 'What is planned and has not begun is called off. Reports of its times stay.',
    also: { ...UNKNOWN, ...CONFLICT },
    returns: seriesReport,
    run: ({ tx, appId, params }) => after(tx, appId, tx.series.end(appId, idOf(params))),
  }),
]

const idOf = (params: Record<string, string | undefined>) => idSegment(params.id!, 'series')

async function shown(tx: Areas, appId: number, id: number) {
  return presentSeriesReport(await tx.series.report(appId, id))
}

async function after(tx: Areas, appId: number, step: Promise<Series>) {
  return shown(tx, appId, (await step).id)
}
