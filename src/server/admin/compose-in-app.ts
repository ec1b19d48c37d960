import { sendMessageAgain } from '../../domain/in-app/request/again.ts'
import {
  fromInAppEstimateForm,
  fromInAppForm,
  fromTestInAppForm,
  inAppEstimateForm,
  inAppForm,
  testInAppForm,
} from '../../domain/in-app/request/request.ts'
import { SOURCE, TEST_SOURCE } from '../../domain/in-app/types.ts'
import { sampleQuery } from '../../domain/personalization/request/person.ts'
import { USUAL_SAMPLE } from '../../domain/personalization/request/sample-size.ts'
import { sendMessage } from '../../domain/series/send.ts'
import { idSegment } from '../../platform/values/parse.ts'
import { inAppEstimateAnswer, messageRequest, presentInAppEstimate } from '../../present/admin/compose.ts'
import { acceptedMessage, presentAcceptedMessage, rejectedMessage } from '../../present/api/in-app.ts'
import { refusal } from '../../present/errors.ts'
import { estimateInApp } from '../calls/long-reads.ts'
import { VALUES } from '../openapi/words/in-app.ts'
import { get, post, Reply, type Route } from '../routing/route.ts'
import { undoQuery } from './compose.ts'
import { maskPersonal } from './mask.ts'

const CAMPAIGN = { area: 'admin', needs: 'person', right: 'campaign' } as const
const NOBODY = {
  400: { says: 'Nobody who is meant can get it; nothing was stored', body: rejectedMessage },
}

/** Routes that composing an in-app message needs besides the twins of routes for servers. */
export const composeInAppRoutes: readonly Route[] = [
  post('/v1/apps/:appId/in-app-messages', {
    ...CAMPAIGN,
    summary: 'Send an in-app message; for some seconds it can still be called off',
    description:
      'As `POST {messages_url}/v1/in-app-messages`, for people. With `undoSeconds` nobody gets a message without a schedule for so long: ' +
      'until then `DELETE /v1/apps/{appId}/in-app-messages/{id}` takes it back before anybody has it. In an app in which a second person ' +
      'approves each push, a message that a push announces is refused: 403 with the code `second_person`.',
    takes: 'InAppMessageRequest',
    sends: {
      target: { channelUuids: ['news'] },
      template: 'opening-hours',
      content: VALUES,
      presentedWhen: 'next-open',
      ttl: { expiresIn: 7, units: 'd' },
    },
    audit: 'in-app-messages.create',
    query: undoQuery,
    body: inAppForm,
    bodyLimit: 'limits.notificationBody',
    status: 202,
    also: {
      ...NOBODY,
      403: {
        says: 'You lack the right, or (`code` is `second_person`) a second person must approve the push with it first',
        body: refusal,
      },
      404: 'There is no such template',
    },
    wakes: true,
    returns: acceptedMessage,
    convert: fromInAppForm,
    prepare: ({ program, appId, converted }) => program.inApp.measure(appId, converted),
    async run({ tx, appId, body, converted, query: { undoSeconds = 0 }, prepared, note }) {
      const request = { ...converted, holdMs: undoSeconds * 1000 }
      if (request.notification) await tx.approvals.requireNone(appId)
      const accepted = await sendMessage(tx, appId, { source: SOURCE.console, body, request, measured: prepared })
      const answer = presentAcceptedMessage(accepted)
      note({ target: String(accepted.message?.id ?? ''), after: maskPersonal(answer, acceptedMessage) })
      return new Reply(accepted.message ? 202 : 400, answer)
    },
  }),
  get('/v1/apps/:appId/in-app-messages/:id/request', {
    ...CAMPAIGN,
    summary: 'Read the body that sends an in-app message once more',
    description: 'To edit it, or to write one like it. Its time is left out.',
    also: { 404: 'There is no such in-app message' },
    returns: messageRequest,
    run: async ({ tx, appId, params }) =>
      sendMessageAgain(await tx.inApp.get(appId, idSegment(params.id!, 'in-app message'))),
  }),
  post('/v1/apps/:appId/in-app-messages/estimate', {
    ...CAMPAIGN,
    summary: 'Estimate who would get an in-app message, who would not and why. Sends and stores nothing',
    description:
      'Counts the users who agreed to in-app messages and are meant now, says who of them gets nothing and why, and names up to ten. ' +
      'Where a schedule is by zone, some may be left out when their time has passed. What the message says is not needed. With a template ' +
      'it is checked as in a send; if it is personalised or has languages, `personalization` says what a sample of the recipients would ' +
      'get (1000 without `sample`), and `warnings` what looks unintended.',
    takes: 'InAppEstimateRequest',
    sends: { target: { segmentUuid: 'regulars' } },
    query: sampleQuery,
    body: inAppEstimateForm,
    bodyLimit: 'limits.notificationBody',
    // It only reads.
    transaction: false,
    also: { 404: 'There is no such template' },
    returns: inAppEstimateAnswer,
    async run(call) {
      const { body, query } = call
      const input = fromInAppEstimateForm(body, query.sample ?? USUAL_SAMPLE)
      return presentInAppEstimate(await estimateInApp(call, input))
    },
  }),
  post('/v1/apps/:appId/test-in-app-messages', {
    ...CAMPAIGN,
    summary: 'Send an in-app message to the users of test devices, whatever their choices of purposes',
    description:
      'Sends at once, as a message of its own that lives for an hour and is shown as soon as the app is open. Each user gets their own ' +
      'words, on all their devices. The second person does not hold it up. A user who has in-app messages turned off gets none.',
    takes: 'TestInAppRequest',
    sends: { devices: [3], template: 'opening-hours', content: VALUES },
    audit: 'test-in-app-messages.create',
    body: testInAppForm,
    bodyLimit: 'limits.notificationBody',
    status: 202,
    also: { ...NOBODY, 404: 'There is no such test device or template' },
    wakes: true,
    returns: acceptedMessage,
    async run({ tx, appId, body, note }) {
      const devices = await Promise.all(body.devices.map((id) => tx.testDevices.get(appId, id)))
      const installIds = devices.map(({ installId }) => installId)
      const accepted = await tx.inApp.accept(appId, TEST_SOURCE, fromTestInAppForm(body, installIds))
      note({ target: String(accepted.message?.id ?? ''), after: { devices: devices.map(({ id }) => id) } })
      return new Reply(accepted.message ? 202 : 400, presentAcceptedMessage(accepted))
    },
  }),
]
