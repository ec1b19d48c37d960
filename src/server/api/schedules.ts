import { cancelNotification } from '../../domain/notifications/cancel.ts'
import { listSchedules } from '../../domain/notifications/schema.ts'
import { idSegment } from '../../platform/values/parse.ts'
import { presentUpcoming, upcomingNotifications } from '../../present/api/notifications.ts'
import { del, get, type Route, streamOf } from '../routing/route.ts'

/** Scheduled notifications: listing and cancelling them. */
export const scheduleRoutes: Route[] = [
  get('/v2/scheduled-notifications', {
    area: 'messages',
    summary: 'List scheduled notifications that are still due, the next one first',
    description: 'Returns notifications that are still due somewhere.',
    scope: 'read',
    needs: 'server-key',
    query: listSchedules,
    returns: upcomingNotifications,
    run: async ({ tx, appId, query }) =>
      streamOf(tx.notifications.upcoming(appId, query.limit), presentUpcoming, { name: 'notifications', others: {} }),
  }),
  del('/v2/scheduled-notifications/:id', {
    area: 'messages',
    summary: 'Cancel a scheduled notification',
    description:
      'Waits for requests to gateways that are under way. After the answer nothing more is sent; what was sent before stays sent.',
    scope: 'send',
    needs: 'server-key',
    status: 204,
    also: { 400: 'It was sent or cancelled before, or its last run has begun', 404: 'There is no such notification' },
    // It waits for requests to gateways that are under way.
    transaction: false,
    wakes: true,
    run: ({ program, appId, params }) => {
      const { clock } = program.kernel
      const parts = { read: program, inTransaction: program.inTransaction, clock }
      return cancelNotification(parts, appId, idSegment(params.id!, 'notification'))
    },
  }),
]
