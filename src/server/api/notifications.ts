import { personalPartsOf } from '../../domain/notifications/accept/personal-preview.ts'
import { isSmall } from '../../domain/notifications/request/request.ts'
import {
  askedPersonOf,
  fromLegacyForm,
  fromMessagesForm,
  fromPushForm,
  legacyForm,
  listNotifications,
  listRecipients,
  messagesForm,
  previewQuery,
  pushForm,
  readNotificationFilter,
} from '../../domain/notifications/schema.ts'
import { SOURCE } from '../../domain/notifications/types.ts'
import { editForm } from '../../domain/schedules/edit.ts'
import { repeatsOf } from '../../domain/schedules/recurrence.ts'
import { sendPush } from '../../domain/series/send.ts'
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
import { measureAudience } from '../calls/long-reads.ts'
import { get, linesOf, NDJSON, patch, post, Reply, type Route, streamOf } from '../routing/route.ts'

const EVERYONE = 'Nothing is stored if no member of the target can be reached: the answer is then 400.'

const NOBODY = {
  400: { says: 'Every target is unknown or unsubscribed; nothing was queued', body: rejectedNotification },
}
const UNKNOWN = { 404: 'There is no such notification' }

/** Notifications: three forms of sending, their results, and the users who opened them. */
export const notificationRoutes: Route[] = [
  post('/v2/notifications', {
    area: 'messages',
    summary: 'Send a notification',
    description:
      'The latest form. Name the target by one group only: everyone, installs and users, segments with channels and geofences. ' +
      `\`excludeInstallIds\` goes with any group. ${EVERYONE}`,
    takes: 'NotificationRequest',
    sends: {
      target: { channelUuids: ['news'] },
      content: { title: 'Hello', message: 'We are open today', data: { screen: 'offers' } },
      ios: { badge: { type: 'incrementBy', count: 1 } },
      android: { highPriority: true },
      ttl: 86_400,
    },
    scope: 'send',
    needs: 'server-key',
    body: messagesForm,
    bodyLimit: 'limits.notificationBody',
    status: 202,
    also: NOBODY,
    returns: acceptedNotification,
    convert: fromMessagesForm,
    shares: ({ converted }) => isSmall(converted),
    prepare: ({ program, appId, converted }) => program.sends.measureLarge(appId, converted),
    run: async ({ tx, appId, body, converted: request, prepared }) =>
      replyTo(await sendPush(tx, appId, { source: SOURCE.messages, body, request, measured: prepared })),
  }),
  post('/v2/notifications', {
    area: 'push',
    deprecated: true,
    summary: 'Send a notification (earlier nested form)',
    description:
      'The earlier nested form, without geofences and `intelligentDelivery`. Of several groups in the target, whoever is in one of them ' +
      `gets the notification once. ${EVERYONE}`,
    takes: 'PushNotificationRequest',
    sends: { target: { userIds: ['user-17'] }, content: { title: 'Hello', message: 'We are open today' } },
    scope: 'send',
    needs: 'server-key',
    body: pushForm,
    bodyLimit: 'limits.notificationBody',
    status: 202,
    also: NOBODY,
    returns: acceptedNotification,
    convert: fromPushForm,
    shares: ({ converted }) => isSmall(converted),
    prepare: ({ program, appId, converted }) => program.sends.measureLarge(appId, converted),
    run: async ({ tx, appId, converted, prepared }) =>
      replyTo(await tx.sends.accept(appId, SOURCE.push, converted, prepared)),
  }),
  post('/notifications', {
    area: 'push',
    deprecated: true,
    summary: 'Send a notification (earlier flat form)',
    description:
      'The flat form. Of several groups, whoever is in one of them gets the notification once. The notification is stored even if ' +
      'nobody can be reached.',
    takes: 'FlatNotificationRequest',
    sends: { broadcast: true, title: 'Hello', message: 'We are open today' },
    scope: 'send',
    needs: 'server-key',
    body: legacyForm,
    bodyLimit: 'limits.notificationBody',
    status: 201,
    returns: notification,
    convert: fromLegacyForm,
    shares: ({ converted }) => isSmall(converted),
    prepare: ({ program, appId, converted }) => program.sends.measureLarge(appId, converted),
    run: async ({ tx, appId, converted, prepared }) => {
      const accepted = await tx.sends.accept(appId, SOURCE.legacy, converted, prepared)
      return presentNotification(accepted.notification!)
    },
  }),
  post('/v2/notifications/preview', {
    area: 'messages',
    summary: 'Preview a notification: its recipients and the requests to gateways. Sends and stores nothing',
    description:
      'Takes the body of the latest form and checks it as sending does. Whoever is in the audience now is counted, for at most a minute: then ' +
      '`isComplete` is false. Whether recipients are skipped by quiet hours or the frequency cap is decided when it is sent. The payloads have a ' +
      'placeholder for the id. Of a personalised notification they show the default content, with its template texts as they are written. With ' +
      '`userId` or `installId`, `rendered` is the push as that person gets it: a user counts as the install that was active last. `language` ' +
      'puts another language in the place of theirs. With `sample`, `personalization` says what so many installs would get, drawn from all that ' +
      'were counted; the same audience gives the same sample.',
    takes: 'NotificationRequest',
    sends: { target: { broadcast: true }, content: { title: 'Hello', message: 'We are open today' } },
    scope: 'send',
    needs: 'server-key',
    query: previewQuery,
    body: messagesForm,
    bodyLimit: 'limits.notificationBody',
    also: { 404: 'There is no such user or install' },
    // It only reads.
    transaction: false,
    returns: sendPreview,
    run: async (call) => {
      const { program, appId, body, query } = call
      const request = fromMessagesForm(body)
      const judged = await program.sends.judge(appId, request)
      const draft = { ...judged, userMeta: request.userMeta }
      const asked = askedPersonOf(query)
      const rendered = asked && (await program.drafts.render(appId, draft, asked))
      const { counted, coverage } = await measureAudience(call, draft, query.sample)
      const preview = await program.drafts.describe(appId, judged, counted, request.confirm)
      const personal = personalPartsOf(draft, { rendered, coverage })
      return presentSendPreview(judged.errors, preview, personal, repeatsOf(request, program.kernel.clock.now()))
    },
  }),
  get('/v2/notifications', {
    area: 'messages',
    summary: 'List notifications, newest first or by their time: all, or those of a status, a time or a label',
    description:
      'Returns the newest notification first, however it was sent, or by `order`. `status` takes the name of a status or its number. All that is given must hold.',
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
    description:
      'Counts recipients by what became of them. The counts change until the notification is sent, and opens arrive later.',
    scope: 'read',
    needs: 'server-key',
    also: UNKNOWN,
    returns: notificationReport,
    run: async ({ tx, appId, params }) =>
      presentReport(await tx.notifications.report(appId, idSegment(params.id!, 'notification'))),
  }),
  patch('/v2/notifications/:id', {
    area: 'messages',
    summary: 'Edit a scheduled notification, or send it now',
    description:
      'Takes keys of the request: each replaces the key of that name whole, and null takes one out. `schedule` and `intelligentDelivery` ' +
      'take each other’s place; with null for both it is sent now. What comes of it is checked as a new request is, and planned anew. An edit of ' +
      'more than its time needs `confirm` where the app asks for it. Possible until its first due time: 409 says why it is not, and what to do. ' +
      'The times of a series are changed with the series.',
    takes: 'NotificationEdit',
    sends: { schedule: { strategy: 'local', sendAt: '2031-05-01 07:30', pastTimes: 'ignore' } },
    scope: 'send',
    needs: 'server-key',
    body: editForm,
    bodyLimit: 'limits.notificationBody',
    also: { ...NOBODY, ...UNKNOWN, 409: 'It has begun, it is over, or it is changed elsewhere' },
    wakes: true,
    returns: notificationReport,
    prepare: ({ program, appId, params, body }) =>
      program.edits.measure(appId, idSegment(params.id!, 'notification'), body),
    run: async ({ tx, appId, params, body, prepared }) => {
      const id = idSegment(params.id!, 'notification')
      const edited = await tx.edits.edit(appId, id, body, prepared)
      return edited.notification
        ? presentReport(await tx.notifications.report(appId, id))
        : new Reply(400, presentAccepted(edited))
    },
  }),
  get('/v2/notifications/:id/recipients', {
    area: ['messages', 'push'],
    summary: 'Read what became of each recipient of a notification, one a line',
    description:
      'NDJSON: each line is `{"installId", "userId", "outcome", "kind", "reason"}`. `outcome` is one of the counts of the report. ' +
      '`kind` is the kind of a failure, `reason` why it is so: the word of the vendor where there is one; both may be null. `userId` ' +
      'is the user of the install now. Both ids are null once the install is gone. While the notification is being sent, recipients ' +
      'that are not reached yet are missing, and one that is tried again meanwhile may come twice: the later line counts.',
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
    description: 'Lists each install once, with its first open.',
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
    description: 'Lists each user once, with their first open on any device.',
    scope: 'read',
    needs: 'server-key',
    also: UNKNOWN,
    returns: list(userOpen),
    run: async ({ tx, appId, params }) =>
      streamOf(await tx.notifications.userOpens(appId, idSegment(params.id!, 'notification')), presentUserOpen),
  }),
]

function replyTo(accepted: Parameters<typeof presentAccepted>[0]): Reply {
  return new Reply(accepted.notification ? 202 : 400, presentAccepted(accepted))
}
