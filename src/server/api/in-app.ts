import { fromInAppForm, inAppForm, isSmall, listInAppMessages } from '../../domain/in-app/request/request.ts'
import { SOURCE } from '../../domain/in-app/types.ts'
import { withdrawMessage } from '../../domain/in-app/withdraw.ts'
import { askedPersonOf, previewQuery } from '../../domain/personalization/request/person.ts'
import { editForm } from '../../domain/schedules/edit.ts'
import { sendMessage } from '../../domain/series/send.ts'
import { idSegment } from '../../platform/values/parse.ts'
import {
  acceptedMessage,
  inAppPage,
  inAppReport,
  messagePreview,
  presentAcceptedMessage,
  presentInAppReport,
  presentListedMessage,
  presentMessagePreview,
  rejectedMessage,
} from '../../present/api/in-app.ts'
import { estimateInApp } from '../calls/long-reads.ts'
import { VALUES } from '../openapi/words/in-app.ts'
import { del, get, patch, post, Reply, type Route } from '../routing/route.ts'

const UNKNOWN = { 404: 'There is no such in-app message' }
const NOBODY = {
  400: { says: 'Every target is unknown or has in-app messages disabled; nothing was stored', body: rejectedMessage },
}

/** Routes to send in-app messages, report on them and take them back. */
export const inAppRoutes: Route[] = [
  post('/v1/in-app-messages', {
    area: 'messages',
    summary: 'Send an in-app message',
    description:
      'Users who agreed to in-app messages get it, each once. The target follows the rules of notifications. ' +
      '`ttl` is required unless `presentedWhen` is `never`. Nothing is stored if no member of the target can get it: the answer is then 400.',
    takes: 'InAppMessageRequest',
    sends: {
      target: { channelUuids: ['news'] },
      template: 'opening-hours',
      content: VALUES,
      presentedWhen: 'next-open',
      ttl: { expiresIn: 7, units: 'd' },
    },
    scope: 'send',
    needs: 'server-key',
    body: inAppForm,
    bodyLimit: 'limits.notificationBody',
    status: 202,
    also: { ...NOBODY, 404: 'There is no such template' },
    wakes: true,
    returns: acceptedMessage,
    convert: fromInAppForm,
    shares: ({ converted }) => isSmall(converted),
    prepare: ({ program, appId, converted }) => program.inApp.measureLarge(appId, converted),
    run: async ({ tx, appId, body, converted: request, prepared }) => {
      const accepted = await sendMessage(tx, appId, { source: SOURCE.messages, body, request, measured: prepared })
      return new Reply(accepted.message ? 202 : 400, presentAcceptedMessage(accepted))
    },
  }),
  post('/v1/in-app-messages/preview', {
    area: 'messages',
    summary: 'Show an in-app message as one user would get it. Sends and stores nothing',
    description:
      'Checks the body as sending does, but for its target. With `userId` the answer says what that user would see now, in their language, and ' +
      'with `installId` the same for the user of that install; `language` takes the place of their own. Without a user, texts are as they are ' +
      'written. With `sample` it also checks the target, and says what so many of its users would get.',
    takes: 'InAppMessageRequest',
    sends: {
      target: { broadcast: true },
      template: 'opening-hours',
      content: { Title: "{{ user.attributes.firstName | default: 'Hello' }}, we are closed on Monday" },
      personalize: {},
      presentedWhen: 'next-open',
      ttl: { expiresIn: 7, units: 'd' },
    },
    scope: 'send',
    needs: 'server-key',
    query: previewQuery,
    body: inAppForm,
    bodyLimit: 'limits.notificationBody',
    // It only reads.
    transaction: false,
    also: { 404: 'There is no such template, user or install' },
    returns: messagePreview,
    async run(call) {
      const { tx, appId, body, query } = call
      const request = fromInAppForm(body)
      const preview = await tx.inApp.preview(appId, request, askedPersonOf(query))
      if (query.sample === undefined) return presentMessagePreview(preview)
      const { targeting, consent } = request
      const saying = { request, sample: query.sample }
      const { coverage, warnings } = await estimateInApp(call, { targeting, consent, saying })
      return presentMessagePreview({ ...preview, warnings: warnings!, ...(coverage && { coverage }) })
    },
  }),
  get('/v1/in-app-messages', {
    area: 'messages',
    summary: 'List in-app messages, newest first or by their time',
    description: 'Returns the newest message first, or by `order`.',
    scope: 'read',
    needs: 'server-key',
    query: listInAppMessages,
    returns: inAppPage,
    run: async ({ tx, appId, query }) => {
      const { messages, next } = await tx.inApp.list(appId, query)
      return { messages: messages.map(presentListedMessage), next }
    },
  }),
  get('/v1/in-app-messages/:id', {
    area: 'messages',
    summary: 'Read an in-app message and its counts',
    description: 'Counts users by what their devices reported.',
    scope: 'read',
    needs: 'server-key',
    also: UNKNOWN,
    returns: inAppReport,
    run: async ({ tx, appId, params }) =>
      presentInAppReport(await tx.inApp.report(appId, idSegment(params.id!, 'in-app message'))),
  }),
  patch('/v1/in-app-messages/:id', {
    area: 'messages',
    summary: 'Edit a scheduled in-app message, or send it now',
    description:
      'Takes keys of the request: each replaces the key of that name whole, and null takes one out. `schedule` and `intelligentDelivery` ' +
      'take each other’s place; with null for both it is sent now. What comes of it is checked as a new request is, and planned anew, with the ' +
      'push that announces it. What is not named stays as it is stored: texts are put into the version of the template that it has, unless ' +
      '`template` is named. An edit of more than `schedule`, `intelligentDelivery`, `ttl`, `presentedWhen` and `labels` needs `confirm` where ' +
      'the app asks for it. Possible until its first due time: 409 says why it is not, and what to do. The times of a series are changed with ' +
      'the series.',
    takes: 'InAppMessageEdit',
    sends: { schedule: { strategy: 'local', sendAt: '2031-05-01 07:30', pastTimes: 'ignore' } },
    scope: 'send',
    needs: 'server-key',
    body: editForm,
    bodyLimit: 'limits.notificationBody',
    also: {
      ...NOBODY,
      404: 'There is no such in-app message or template',
      409: 'It has begun, it is over, or it is changed elsewhere',
    },
    wakes: true,
    returns: inAppReport,
    prepare: ({ program, appId, params, body }) =>
      program.inAppEdits.measure(appId, idSegment(params.id!, 'in-app message'), body),
    run: async ({ tx, appId, params, body, prepared }) => {
      const id = idSegment(params.id!, 'in-app message')
      const edited = await tx.inAppEdits.edit(appId, id, body, prepared)
      return edited.message
        ? presentInAppReport(await tx.inApp.report(appId, id))
        : new Reply(400, presentAcceptedMessage(edited))
    },
  }),
  del('/v1/in-app-messages/:id', {
    area: 'messages',
    summary: 'Withdraw an in-app message, also from devices that have it',
    description: 'Its linked push is cancelled, too. The record and its counts stay.',
    scope: 'send',
    needs: 'server-key',
    status: 204,
    also: UNKNOWN,
    // It waits for pushes that are being sent.
    transaction: false,
    wakes: true,
    run: ({ program, inTransaction, appId, params }) => {
      const parts = { read: program, inTransaction, clock: program.kernel.clock }
      return withdrawMessage(parts, appId, idSegment(params.id!, 'in-app message'))
    },
  }),
]
