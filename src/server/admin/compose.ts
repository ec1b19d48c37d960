import { testDeviceForm } from '../../domain/crm/schema.ts'
import {
  askedPersonOf,
  estimateForm,
  fromEstimateForm,
  fromMessagesForm,
  fromSayingForm,
  fromTestPushForm,
  messagesForm,
  personQuery,
  sampleQuery,
  sayingForm,
  sayingOfEstimate,
  testPushForm,
} from '../../domain/notifications/schema.ts'
import { SOURCE } from '../../domain/notifications/types.ts'
import { USUAL_SAMPLE } from '../../domain/personalization/request/sample-size.ts'
import { sendPush } from '../../domain/series/send.ts'
import { integer, shape } from '../../platform/values/parse.ts'
import {
  estimateAnswer,
  payloadsAnswer,
  presentEstimate,
  presentPayloads,
  presentTestDevice,
  sendRequest,
  testDevice,
  testDevices,
} from '../../present/admin/compose.ts'
import { acceptedNotification, presentAccepted, rejectedNotification } from '../../present/api/notifications.ts'
import { refusal } from '../../present/errors.ts'
import { estimateSend } from '../calls/long-reads.ts'
import { CONTENT, INSTALL } from '../openapi/words/admin-compose.ts'
import { del, get, post, Reply, type Route } from '../routing/route.ts'
import { maskPersonal } from './mask.ts'
import { numberOf } from './params.ts'

const TARGET = { segmentUuid: 'regulars' }

const CAMPAIGN = { area: 'admin', needs: 'person', right: 'campaign' } as const
const NOBODY = {
  400: { says: 'Every target is unknown or unsubscribed; nothing was queued', body: rejectedNotification },
}
const UNKNOWN = { 404: 'There is no such test device' }

/** The longest time, in seconds, for which a send can be called off. */
const MOST_UNDO = 60
/** The life of a test, in seconds: a phone that is found later is not tested any more. */
const TEST_TTL = 600

/** The query with the time for which nothing is sent, so that people can call it off. */
export const undoQuery = shape({ undoSeconds: integer({ min: 0, max: MOST_UNDO }) })

/** Routes that composing a push needs besides the twins of routes for servers. */
export const composeRoutes: readonly Route[] = [
  post('/v1/apps/:appId/notifications', {
    ...CAMPAIGN,
    summary: 'Send a notification; for some seconds it can still be called off',
    description:
      'As `POST {messages_url}/v2/notifications`, for people. With `undoSeconds` nothing is sent for so long: until then ' +
      '`DELETE /v1/apps/{appId}/scheduled-notifications/{id}` calls it off. In an app in which a second person approves each push, ' +
      'the answer is 403 with the code `second_person`.',
    takes: 'NotificationRequest',
    sends: { target: { broadcast: true }, content: CONTENT },
    audit: 'notifications.create',
    query: undoQuery,
    body: messagesForm,
    bodyLimit: 'limits.notificationBody',
    status: 202,
    also: {
      ...NOBODY,
      403: {
        says: 'You lack the right, or (`code` is `second_person`) a second person must approve it first',
        body: refusal,
      },
    },
    wakes: true,
    returns: acceptedNotification,
    convert: fromMessagesForm,
    prepare: ({ program, appId, converted }) => program.sends.measureLarge(appId, converted),
    async run({ tx, appId, body, converted, query: { undoSeconds = 0 }, prepared, note }) {
      await tx.approvals.requireNone(appId)
      const request = { ...converted, holdMs: undoSeconds * 1000 }
      const accepted = await sendPush(tx, appId, { source: SOURCE.console, body, request, measured: prepared })
      const answer = presentAccepted(accepted)
      note({ target: String(accepted.notification?.id ?? ''), after: maskPersonal(answer, acceptedNotification) })
      return new Reply(accepted.notification ? 202 : 400, answer)
    },
  }),
  post('/v1/apps/:appId/notifications/estimate', {
    ...CAMPAIGN,
    summary: 'Estimate who would get a notification, who would not and why, and when. Sends and stores nothing',
    description:
      'Counts the installs that are meant by platform, says who of them gets nothing and why, names up to ten as examples and, where ' +
      'the zone of each phone decides, how many are due when. What the push says is not needed. Given all the same, it is checked as in a ' +
      'send; if it is personalised or has languages, `personalization` says what a sample of the recipients would get (1000 without `sample`), ' +
      'and `warnings` what looks unintended.',
    takes: 'EstimateRequest',
    sends: {
      target: TARGET,
      schedule: { strategy: 'local', sendAt: '2031-05-01 07:30', pastTimes: 'ignore' },
    },
    query: sampleQuery,
    body: estimateForm,
    bodyLimit: 'limits.notificationBody',
    // It only reads.
    transaction: false,
    returns: estimateAnswer,
    async run(call) {
      const { tx, appId, body, query } = call
      const request = sayingOfEstimate(body)
      const draft = request && (await tx.drafts.draftOf(appId, request))
      const saying = draft && { ...draft, sample: query.sample ?? USUAL_SAMPLE }
      return presentEstimate(await estimateSend(call, { ...fromEstimateForm(body), saying }))
    },
  }),
  post('/v1/apps/:appId/notifications/payloads', {
    ...CAMPAIGN,
    summary: 'Show what each gateway would be sent. Counts nobody, sends and stores nothing',
    description:
      'The requests of a preview, for every platform. To whom the push goes is not needed. With `userId`, `installId` or `language` the answer ' +
      'has `rendered` besides: the push as that person gets it, who counts as the install that was active last, or in that language.',
    takes: 'SayingRequest',
    sends: { content: CONTENT },
    query: personQuery,
    body: sayingForm,
    bodyLimit: 'limits.notificationBody',
    transaction: false,
    also: { 404: 'There is no such user or install' },
    returns: payloadsAnswer,
    run: async ({ tx, appId, body, query }) =>
      presentPayloads(await tx.drafts.payloads(appId, fromSayingForm(body), askedPersonOf(query))),
  }),
  get('/v1/apps/:appId/notifications/:id/request', {
    ...CAMPAIGN,
    summary: 'Read the body that sends a notification once more',
    description:
      'To write one like it. Its time is left out, and so are targeting fields that only the push host has. `ttl` is left out when it is that of the settings.',
    also: { 404: 'There is no such notification' },
    returns: sendRequest,
    run: async ({ tx, appId, params }) => tx.notifications.again(appId, numberOf(params.id)),
  }),
  get('/v1/apps/:appId/test-devices', {
    ...CAMPAIGN,
    right: 'see',
    summary: 'List the devices to which tests are sent',
    description: 'Oldest first; an app has at most 50.',
    returns: testDevices,
    run: async ({ tx, appId }) => ({ items: (await tx.testDevices.list(appId)).map(presentTestDevice) }),
  }),
  post('/v1/apps/:appId/test-devices', {
    ...CAMPAIGN,
    summary: 'Add a device for tests, or give it another name',
    description: 'A device that is on the list gets the new name.',
    takes: 'TestDeviceRequest',
    sends: { name: 'Phone of Anna', installId: INSTALL },
    audit: 'test-devices.create',
    body: testDeviceForm,
    status: 201,
    returns: testDevice,
    async run({ tx, appId, body, note }) {
      const device = presentTestDevice(await tx.testDevices.save(appId, body))
      note({ target: String(device.id), after: { platform: device.platform } })
      return device
    },
  }),
  del('/v1/apps/:appId/test-devices/:id', {
    ...CAMPAIGN,
    summary: 'Remove a device from the list for tests',
    description: 'The install itself stays.',
    audit: 'test-devices.delete',
    status: 204,
    also: UNKNOWN,
    async run({ tx, appId, params, note }) {
      const id = numberOf(params.id)
      note({ target: String(id) })
      await tx.testDevices.remove(appId, id)
    },
  }),
  post('/v1/apps/:appId/test-pushes', {
    ...CAMPAIGN,
    summary: 'Send a notification to test devices, past quiet hours and caps',
    description:
      'Sends at once, as a notification of its own that lives for ten minutes. Quiet hours, the frequency cap and the second person ' +
      'do not hold it up. Each device gets its own words: those of its user and of itself. One that lacks a value gets nothing where ' +
      '`personalize.missing` is `skip`; the report of the notification names the value.',
    takes: 'TestPushRequest',
    sends: { devices: [3], content: CONTENT },
    audit: 'test-pushes.create',
    body: testPushForm,
    bodyLimit: 'limits.notificationBody',
    status: 202,
    also: { ...NOBODY, ...UNKNOWN },
    wakes: true,
    returns: acceptedNotification,
    async run({ tx, appId, body, note }) {
      const devices = await Promise.all(body.devices.map((id) => tx.testDevices.get(appId, id)))
      const installIds = devices.map(({ installId }) => installId)
      const request = fromTestPushForm(body, installIds, TEST_TTL)
      const accepted = await tx.sends.accept(appId, SOURCE.console, request)
      note({ target: String(accepted.notification?.id ?? ''), after: { devices: devices.map(({ id }) => id) } })
      return new Reply(accepted.notification ? 202 : 400, presentAccepted(accepted))
    },
  }),
]
