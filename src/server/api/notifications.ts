import type { Accepted } from '../../domain/notifications/accept/sends.service.ts'
import {
  fromLegacyForm,
  fromMessagesForm,
  fromPushForm,
  legacyForm,
  listNotifications,
  listRecipients,
  messagesForm,
  pushForm,
  readNotificationFilter,
} from '../../domain/notifications/schema.ts'
import { SOURCE } from '../../domain/notifications/types.ts'
import { idSegment } from '../../platform/values/parse.ts'
import {
  acceptedNotification,
  installOpen,
  notification,
  notificationPage,
  notificationReport,
  presentAccepted,
  presentInstallOpen,
  presentNotification,
  presentRecipient,
  presentReport,
  presentSendPreview,
  presentUserOpen,
  recipientLine,
  rejectedNotification,
  sendPreview,
  userOpen,
} from '../../present/api/notifications.ts'
import { list } from '../../present/schema.ts'
import { countAudience } from '../calls/long-reads.ts'
import { get, linesOf, NDJSON, post, Reply, type Route, streamOf } from '../routing/route.ts'

const NOBODY = {
  400: { says: 'Every target is unknown or unsubscribed; nothing was queued', body: rejectedNotification },
}
const UNKNOWN = { 404: 'There is no such notification' }

/** Notifications: three forms of sending, their results, and the users who opened them. */
export const notificationRoutes: Route[] = [
  post('/v2/notifications', {
    area: 'messages',
    summary: 'Send a notification',
    scope: 'send',
    needs: 'server-key',
    body: messagesForm,
    bodyLimit: 'limits.notificationBody',
    status: 202,
    also: NOBODY,
    wakes: true,
    returns: acceptedNotification,
    prepare: ({ program, appId, body }) => program.sends.measure(appId, fromMessagesForm(body)),
    run: async ({ tx, appId, body, prepared }) =>
      replyTo(await tx.sends.accept(appId, SOURCE.messages, fromMessagesForm(body), prepared)),
  }),
  post('/v2/notifications', {
    area: 'push',
    deprecated: true,
    summary: 'Send a notification (earlier nested form)',
    scope: 'send',
    needs: 'server-key',
    body: pushForm,
    bodyLimit: 'limits.notificationBody',
    status: 202,
    also: NOBODY,
    wakes: true,
    returns: acceptedNotification,
    prepare: ({ program, appId, body }) => program.sends.measure(appId, fromPushForm(body)),
    run: async ({ tx, appId, body, prepared }) =>
      replyTo(await tx.sends.accept(appId, SOURCE.push, fromPushForm(body), prepared)),
  }),
  post('/notifications', {
    area: 'push',
    deprecated: true,
    summary: 'Send a notification (earlier flat form)',
    scope: 'send',
    needs: 'server-key',
    body: legacyForm,
    bodyLimit: 'limits.notificationBody',
    status: 201,
    wakes: true,
    returns: notification,
    prepare: ({ program, appId, body }) => program.sends.measure(appId, fromLegacyForm(body)),
    run: async ({ tx, appId, body, prepared }) => {
      const accepted = await tx.sends.accept(appId, SOURCE.legacy, fromLegacyForm(body), prepared)
      return presentNotification(accepted.notification!)
    },
  }),
  post('/v2/notifications/preview', {
    area: 'messages',
    summary: 'Preview a notification: its recipients and the requests to gateways. Sends and stores nothing',
    scope: 'send',
    needs: 'server-key',
    body: messagesForm,
    bodyLimit: 'limits.notificationBody',
    // It only reads.
    transaction: false,
    returns: sendPreview,
    run: async (call) => {
      const { program, appId, body } = call
      const request = fromMessagesForm(body)
      const judged = await program.sends.judge(appId, request)
      const counted = await countAudience(call, judged.target)
      const preview = await program.drafts.describe(appId, judged, counted, request.confirm)
      return presentSendPreview(judged.errors, preview)
    },
  }),
  get('/v2/notifications', {
    area: 'messages',
    summary: 'List notifications, newest first: all, or those of a status or a time',
    scope: 'read',
    needs: 'server-key',
    query: listNotifications,
    returns: notificationPage,
    run: async ({ tx, appId, query }) => {
      const { after, limit } = query
      const filter = readNotificationFilter(query)
      const { notifications, next } = await tx.notifications.list(appId, { after, limit, filter })
      return { notifications: notifications.map(presentNotification), next }
    },
  }),
  get('/v2/notifications/:id', {
    area: 'messages',
    summary: 'Read a notification and the results of its recipients',
    scope: 'read',
    needs: 'server-key',
    also: UNKNOWN,
    returns: notificationReport,
    run: async ({ tx, appId, params }) =>
      presentReport(await tx.notifications.report(appId, idSegment(params.id!, 'notification'))),
  }),
  get('/v2/notifications/:id/recipients', {
    area: ['messages', 'push'],
    summary: 'Read what became of each recipient of a notification, one a line',
    scope: 'read',
    needs: 'server-key',
    query: listRecipients,
    also: UNKNOWN,
    produces: NDJSON,
    streams: recipientLine,
    run: async ({ tx, appId, params, query }) =>
      linesOf(
        await tx.notifications.recipients(appId, idSegment(params.id!, 'notification'), query.outcome),
        presentRecipient,
      ),
  }),
  get('/notifications/:id/install-opens', {
    area: ['messages', 'push'],
    summary: 'List the installs that opened a notification',
    scope: 'read',
    needs: 'server-key',
    also: UNKNOWN,
    returns: list(installOpen),
    run: async ({ tx, appId, params }) =>
      streamOf(await tx.notifications.installOpens(appId, idSegment(params.id!, 'notification')), presentInstallOpen),
  }),
  get('/notifications/:id/user-opens', {
    area: ['messages', 'push'],
    summary: 'List the users who opened a notification',
    scope: 'read',
    needs: 'server-key',
    also: UNKNOWN,
    returns: list(userOpen),
    run: async ({ tx, appId, params }) =>
      streamOf(await tx.notifications.userOpens(appId, idSegment(params.id!, 'notification')), presentUserOpen),
  }),
]

function replyTo(accepted: Accepted): Reply {
  return new Reply(accepted.notification ? 202 : 400, presentAccepted(accepted))
}
