import { cancelNotification } from '../../domain/notifications/cancel.ts'
import { listSchedules } from '../../domain/notifications/schema.ts'
import { idSegment } from '../../platform/parse.ts'
import { presentUpcoming, upcomingNotifications } from '../present/notifications.ts'
import { del, get, type Route, streamOf } from '../route.ts'

/** Scheduled notifications: what is due, and calling it off. */
export const scheduleRoutes: Route[] = [
  get('/v2/scheduled-notifications', {
    area: 'messages',
    summary: 'List scheduled notifications that are not through, the next one due first',
    scope: 'read',
    needs: 'server-key',
    query: listSchedules,
    returns: upcomingNotifications,
    run: async ({ app, appId, query }) =>
      streamOf(app.notifications.upcoming(appId, query.limit), presentUpcoming, { name: 'notifications', others: {} }),
  }),
  del('/v2/scheduled-notifications/:id', {
    area: 'messages',
    summary: 'Cancel a scheduled notification; after the answer nothing of it is sent any more',
    scope: 'send',
    needs: 'server-key',
    status: 204,
    also: { 400: 'It was sent, began for the last time or was cancelled before', 404: 'There is no such notification' },
    // Requests that are on their way are waited for.
    transaction: false,
    wakes: true,
    run: ({ host, appId, params }) => {
      const { clock } = host.kernel
      const parts = { read: host, inTransaction: host.inTransaction, clock }
      return cancelNotification(parts, appId, idSegment(params.id!, 'notification'))
    },
  }),
]
