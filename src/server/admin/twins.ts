import { changesPush, WITHOUT_PUSH } from '../../domain/in-app/edit/merge.ts'
import { ASK_AGAIN, changesMoreThanTime } from '../../domain/notifications/edit/merge.ts'
import type { Edit } from '../../domain/schedules/edit.ts'
import { segmentKey } from '../../domain/segments/schema.ts'
import { idSegment } from '../../platform/values/parse.ts'
import { channelRoutes } from '../api/channels.ts'
import { consentRoutes } from '../api/consent.ts'
import { crmRoutes } from '../api/crm.ts'
import { eventLogRoutes } from '../api/events.ts'
import { gatewayRoutes } from '../api/gateways.ts'
import { geofenceRoutes } from '../api/geofences.ts'
import { inAppRoutes } from '../api/in-app.ts'
import { labelRoutes } from '../api/labels.ts'
import { linkRoutes } from '../api/links.ts'
import { metricRoutes } from '../api/metrics.ts'
import { notificationRoutes } from '../api/notifications.ts'
import { pictureRoutes } from '../api/pictures.ts'
import { pushTemplateRoutes } from '../api/push-templates.ts'
import { restraintRoutes } from '../api/restraint.ts'
import { scheduleRoutes } from '../api/schedules.ts'
import { segmentRoutes } from '../api/segments.ts'
import { seriesRoutes } from '../api/series.ts'
import { dataRoutes } from '../api/tables.ts'
import { templateRoutes } from '../api/templates.ts'
import { webhookRoutes } from '../api/webhooks.ts'
import type { Route } from '../routing/route.ts'
import { isMeant, type Twin, twinOf } from './twin.ts'

const SERVER_ROUTES: readonly Route[] = [
  ...crmRoutes,
  ...consentRoutes,
  ...dataRoutes,
  ...notificationRoutes,
  ...scheduleRoutes,
  ...pushTemplateRoutes,
  ...pictureRoutes,
  ...inAppRoutes,
  ...seriesRoutes,
  ...labelRoutes,
  ...gatewayRoutes,
  ...channelRoutes,
  ...segmentRoutes,
  ...templateRoutes,
  ...geofenceRoutes,
  ...linkRoutes,
  ...restraintRoutes,
  ...webhookRoutes,
  ...eventLogRoutes,
  ...metricRoutes,
]

const CAMPAIGN = { write: 'campaign' } as const
const OPERATE = { write: 'operate' } as const

/** Locks the app, of which these settings are. */
const lockSettings: Twin['lock'] = ({ tx, appId }) => tx.apps.lock(appId)

/** Routes of the server API that people call too. A route that is missing here has one of its own beside this file, or none. */
const TWINS: readonly Twin[] = [
  { path: '/v2/users' },
  { path: '/v1/users/:userId', ...OPERATE, fresh: true, names: true },
  { path: '/v1/users/:userId/attributes', ...OPERATE, names: true, bare: true },
  { path: '/v1/installs/:installId', ...OPERATE, fresh: true, names: true },
  { path: '/v1/erasures/:erasureId' },
  { path: '/v1/users/:userId/export', read: 'operate', fresh: true, exports: true, names: true },
  { path: '/v1/users/:userId/choices', ...OPERATE, names: true },
  { path: '/v1/purposes' },
  {
    path: '/v1/purposes/:uid',
    ...OPERATE,
    lock: ({ tx, appId, params }, purpose) => tx.purposes.lock(appId, params.uid!, purpose),
  },
  { path: '/v1/suppressions', ...OPERATE },
  { path: '/v1/suppressions/:identifier', ...OPERATE, names: true },
  { path: '/v1/data/:tableAlias', ...CAMPAIGN },
  {
    path: '/v1/data/:tableAlias/:id',
    ...CAMPAIGN,
    lock: ({ tx, appId, params }, purpose) =>
      tx.records.lock(appId, params.tableAlias!, idSegment(params.id!, 'record'), purpose),
  },
  // POST is in compose.ts: people can call a send off, and may need a second person.
  { path: '/v2/notifications', area: 'messages' },
  { path: '/v2/notifications/preview', ...CAMPAIGN, asks: true },
  // An edit of its time alone needs no second person: what it says and to whom was approved.
  {
    path: '/v2/notifications/:id',
    ...CAMPAIGN,
    announces: ({ body }) => changesMoreThanTime(body as Edit),
    instead: ASK_AGAIN,
    lock: ({ tx, appId, params }) => tx.edits.lock(appId, idSegment(params.id!, 'notification')),
  },
  { path: '/v2/notifications/:id/recipients' },
  { path: '/notifications/:id/install-opens', at: '/notifications/:id/install-opens' },
  { path: '/notifications/:id/user-opens', at: '/notifications/:id/user-opens' },
  { path: '/v2/scheduled-notifications' },
  { path: '/v2/scheduled-notifications/:id', ...CAMPAIGN },
  { path: '/v1/push-templates', ...CAMPAIGN },
  {
    path: '/v1/push-templates/:uid',
    ...CAMPAIGN,
    lock: ({ tx, appId, params }) => tx.pushTemplates.lock(appId, params.uid!),
  },
  { path: '/v1/push-templates/:uid/versions' },
  { path: '/v1/push-templates/:uid/versions/:version' },
  { path: '/v1/push-templates/:uid/preview', ...CAMPAIGN, asks: true },
  { path: '/v1/pictures', ...CAMPAIGN },
  {
    path: '/v1/pictures/:uid',
    ...CAMPAIGN,
    lock: ({ tx, appId, params }) => tx.pictures.lock(appId, params.uid!),
  },
  // POST is in compose-in-app.ts: people can call a send off.
  { path: '/v1/in-app-messages' },
  { path: '/v1/in-app-messages/preview', ...CAMPAIGN, asks: true },
  {
    path: '/v1/in-app-messages/:id',
    ...CAMPAIGN,
    announces: async ({ tx, appId, params, body }) =>
      body !== undefined &&
      changesPush(await tx.inApp.get(appId, idSegment(params.id!, 'in-app message')), body as Edit),
    instead: WITHOUT_PUSH,
    lock: ({ tx, appId, params }) => tx.inAppMessages.lock(appId, idSegment(params.id!, 'in-app message')),
  },
  // What changes goes out without anybody else looking at it.
  { path: '/v1/series' },
  {
    path: '/v1/series/:id',
    ...CAMPAIGN,
    announces: () => true,
    lock: ({ tx, appId, params }) => tx.series.lock(appId, idSegment(params.id!, 'series')),
  },
  { path: '/v1/series/:id/pause', ...CAMPAIGN },
  { path: '/v1/series/:id/resume', ...CAMPAIGN },
  { path: '/v1/series/:id/end', ...CAMPAIGN },
  { path: '/v1/labels' },
  { path: '/v1/labels/report' },
  { path: '/v1/apps/:appId', at: '/gateways', ...OPERATE, secret: true },
  { path: '/v1/apps/:appId/platform-configs/:platform', at: '/gateways/:platform', ...OPERATE, secret: true },
  { path: '/channels', area: 'messages', ...CAMPAIGN },
  {
    path: '/channels/:id',
    area: 'messages',
    ...CAMPAIGN,
    lock: ({ tx, appId, params }, purpose) => tx.channels.lock(appId, idSegment(params.id!, 'channel'), purpose),
  },
  { path: '/v2/channels/:uuid/subscriptions', ...CAMPAIGN },
  { path: '/v2/channels/:uuid/subscribers-file', ...CAMPAIGN },
  { path: '/v2/channels/:uuid/imports' },
  { path: '/v2/channels/:uuid/imports/:id' },
  { path: '/v1/segments', ...CAMPAIGN },
  {
    path: '/v1/segments/:id',
    ...CAMPAIGN,
    lock: ({ tx, appId, params }) => tx.segments.lock(appId, segmentKey(params.id!)),
  },
  { path: '/v1/segments/:id/preview' },
  // It changes nothing of the segment but the number that the list shows.
  { path: '/v1/segments/:id/count', ...CAMPAIGN, asks: true },
  { path: '/v1/templates', ...CAMPAIGN },
  {
    path: '/v1/templates/:uid',
    ...CAMPAIGN,
    lock: ({ tx, appId, params }) => tx.templates.lock(appId, params.uid!),
  },
  { path: '/v1/templates/:uid/versions' },
  { path: '/v1/templates/:uid/versions/:version' },
  { path: '/v1/templates/:uid/preview', ...CAMPAIGN, asks: true },
  { path: '/v1/template-starters' },
  { path: '/v1/geofences', ...CAMPAIGN },
  { path: '/v1/geofences/:id', ...CAMPAIGN, lock: ({ tx, appId }) => tx.geofences.lock(appId) },
  { path: '/v1/geofences/import', ...CAMPAIGN },
  { path: '/v1/geofences/import/preview', ...CAMPAIGN, asks: true },
  { path: '/v1/deep-links', ...CAMPAIGN },
  {
    path: '/v1/deep-links/:id',
    ...CAMPAIGN,
    lock: ({ tx, appId, params }) => tx.links.lock(appId, idSegment(params.id!, 'deep link')),
  },
  { path: '/v1/link-settings', ...OPERATE, lock: lockSettings },
  { path: '/v1/restraint', ...OPERATE, lock: lockSettings },
  // A webhook takes what happens to people out of the server, for as long as nobody looks.
  { path: '/v1/webhooks', read: 'operate', ...OPERATE, fresh: true },
  {
    path: '/v1/webhooks/:id',
    read: 'operate',
    ...OPERATE,
    fresh: true,
    lock: ({ tx, appId, params }) => tx.webhooks.lock(appId, idSegment(params.id!, 'webhook')),
  },
  { path: '/v1/webhooks/:id/rotate', ...OPERATE, fresh: true, secret: true },
  { path: '/v1/webhooks/:id/replay', ...OPERATE },
  { path: '/v1/webhooks/:id/attempts', read: 'operate' },
  { path: '/v1/events', area: 'messages', read: 'operate' },
  { path: '/v1/events/latest', read: 'operate' },
  { path: '/v1/events/settings', ...OPERATE, lock: lockSettings },
  { path: '/v1/metrics' },
  { path: '/v1/metrics/:name', ...OPERATE, lock: ({ tx, appId }) => tx.metrics.lock(appId) },
]

/** The routes for people of the table above, each beside the route of which it is the twin. */
export const twinRoutes: readonly Route[] = TWINS.flatMap((twin) => {
  const found = SERVER_ROUTES.filter((route) => isMeant(twin, route))
  if (found.length === 0) throw new Error(`no route of the server API is at ${twin.path}`)
  return found.map((route) => twinOf(route, twin, SERVER_ROUTES))
})
