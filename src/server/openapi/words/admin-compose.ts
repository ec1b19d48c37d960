import type { Words } from './types.ts'

const INSTALL = '3f0c1f2e-8f5e-4b0b-9a57-0c5f3c5b7f10'
const TARGET = { segmentUuid: 'regulars' }
const CONTENT = { title: 'Fresh bread', message: 'Out of the oven until six.' }

/** Composing a push in the console: estimate, payloads, tests, second person. */
export const ADMIN_COMPOSE: Words = {
  operations: {
    'post /v1/apps/:appId/notifications': {
      description:
        'As `POST {messages_url}/v2/notifications`, for people. With `undoSeconds` nothing is sent for so long: until then ' +
        '`DELETE /v1/apps/{appId}/scheduled-notifications/{id}` calls it off. In an app in which a second person approves each push, ' +
        'the answer is 403 with the code `second_person`.',
      takes: 'NotificationRequest',
      sends: { target: { broadcast: true }, content: CONTENT },
    },
    'post /v1/apps/:appId/notifications/estimate': {
      description:
        'Counts the installs that are meant by platform, says who of them gets nothing and why, names up to ten as examples and, where ' +
        'the zone of each phone decides, how many are due when. What the push says is not needed.',
      takes: 'EstimateRequest',
      sends: {
        target: TARGET,
        schedule: { strategy: 'local', sendAt: '2031-05-01 07:30', pastTimes: 'ignore' },
      },
    },
    'post /v1/apps/:appId/in-app-messages/estimate': {
      description:
        'Counts the users who agreed to in-app messages and are meant now, says who of them gets nothing and why, and names up to ten. ' +
        'Where a schedule is by zone, some may be left out when their time has passed.',
      takes: 'InAppEstimateRequest',
      sends: { target: TARGET },
    },
    'post /v1/apps/:appId/notifications/payloads': {
      description: 'The requests of a preview, for every platform. To whom the push goes is not needed.',
      takes: 'SayingRequest',
      sends: { content: CONTENT },
    },
    'get /v1/apps/:appId/notifications/:id/request': {
      description:
        'To write one like it. Its time is left out, and so are targeting fields that only the push host has. `ttl` is left out when it is that of the settings.',
    },
    'get /v1/apps/:appId/test-devices': { description: 'Oldest first; an app has at most 50.' },
    'post /v1/apps/:appId/test-devices': {
      description: 'A device that is on the list gets the new name.',
      takes: 'TestDeviceRequest',
      sends: { name: 'Phone of Anna', installId: INSTALL },
    },
    'delete /v1/apps/:appId/test-devices/:id': { description: 'The install itself stays.' },
    'post /v1/apps/:appId/test-pushes': {
      description:
        'Sends at once, as a notification of its own that lives for ten minutes. Quiet hours, the frequency cap and the second person ' +
        'do not hold it up.',
      takes: 'TestPushRequest',
      sends: { devices: [3], content: CONTENT },
    },
    'get /v1/apps/:appId/second-person': { description: 'Servers send without a second person in any case.' },
    'put /v1/apps/:appId/second-person': {
      description: 'Holds for what people send from now on. Servers send without a second person in any case.',
      takes: 'SecondPersonRequest',
      sends: { required: true },
    },
    'get /v1/apps/:appId/approvals': {
      description: 'Newest first. They are kept for 30 days; what a decided one said is in its notification.',
    },
    'post /v1/apps/:appId/approvals': {
      description:
        'Checks the push as a send does and stores it until somebody else decides. At most 100 of an app are stored.',
      takes: 'NotificationRequest',
      sends: { target: { broadcast: true }, content: CONTENT },
    },
    'get /v1/apps/:appId/approvals/:id': { description: 'What it says is shown while it waits.' },
    'post /v1/apps/:appId/approvals/:id/approve': {
      description:
        'Sends it, when somebody else wrote it. `confirm` is the number of recipients that this person saw; without it that of the ' +
        'person who asked holds.',
      takes: 'ApproveRequest',
      sends: { confirm: 1240 },
    },
    'delete /v1/apps/:appId/approvals/:id': { description: 'Nothing is sent. Whoever wrote it may withdraw it, too.' },
  },
  schemas: {
    InAppEstimate: ['Who would get an in-app message, who would not and why. Counts are of users.'],
    InAppLeftOut: ['A reason why some get nothing.'],
    InAppEstimateRequest: ['Whom an in-app message that is still being written is for.'],
    SendEstimate: ['Who would get a push, who would not and why, and when. Counts are of installs.'],
    EstimatedPlatform: ['Installs of one platform that are meant.'],
    EstimatedLeftOut: ['A reason why some get nothing.'],
    SampleRecipient: ['A recipient, as an example of who is meant.'],
    EstimatedTime: ['A time at which the push is due for some.'],
    EstimateRequest: ['Whom a push is for, and when it is sent.'],
    SayingRequest: ['What a push says.'],
    Payloads: ['What each kind of gateway would be sent.'],
    Payload: ['What a gateway would be sent.'],
    SendRequest: ['The body that sends a notification once more.'],
    TestDevice: ['A device to which people of the app send tests.'],
    TestDevices: ['The devices for tests.'],
    TestDeviceRequest: ['A device for tests.'],
    TestPushRequest: ['What a push says, and to which test devices it goes.'],
    Approval: ['A push that waits for a second person, or what became of it.'],
    ApprovalPage: ['A page of pushes that wait or were decided.'],
    ApproveRequest: ['How a push is approved.'],
    SecondPerson: ['Whether a second person must approve what people send.'],
    SecondPersonRequest: ['Whether a second person must approve what people send.'],
  },
  fields: {
    undoSeconds: ['For how many seconds nothing is sent, so that it can be called off. Without a schedule only.', 10],
    'SendRequest.target': ['To whom it goes.', TARGET],
    'SendRequest.content': ['What it says.', CONTENT],
    'SendRequest.runBackgroundHandler': ['The app handles it in the background.', true],
    'SendRequest.ios': ['What only iOS gets.', { subtitle: 'Today' }],
    'SendRequest.android': ['What only Android gets.', { channelId: 'offers' }],
    'SendRequest.buttons': ['Its buttons.', [{ id: 'order', text: 'Order' }]],
    'SendRequest.reportingMeta': ['Metadata for events.', { campaign: 'spring' }],
    'SendRequest.userMeta': ['Metadata for events of single users, by identifier.', { anna: { seat: 12 } }],
    'SendRequest.ttl': ['For how many seconds it lived, from each due time.', 3600],
    'InAppEstimate.audience': ['Users who are meant: what `confirm` is compared with.', 1260],
    'InAppEstimate.recipients': ['Those of them who would get it.', 1240],
    'InAppEstimate.isComplete': ['False when the time to count was over: there are more.', true],
    'InAppEstimate.confirmAbove': ['Messages to a larger audience need `confirm`; null: none does.', 10000],
    'InAppEstimate.leftOut': ['Who gets nothing, by reason.'],
    'InAppEstimate.sample': ['Identifiers of up to ten recipients.', ['anna']],
    'InAppLeftOut.reason': ['Why.', 'not_wanted'],
    'InAppLeftOut.count': ['How many.', 20],
    'SendEstimate.audience': ['Installs that are meant: what `confirm` is compared with.', 1260],
    'SendEstimate.recipients': ['Those of them who can be sent to.', 1240],
    'SendEstimate.isComplete': ['False when the time to count was over: there are more.', true],
    'SendEstimate.confirmAbove': ['Sends to a larger audience need `confirm`; null: none does.', 10000],
    'SendEstimate.platforms': ['The audience by platform.'],
    'SendEstimate.leftOut': ['Who gets nothing, by reason.'],
    'SendEstimate.mayBeSkipped': ['Rules of the app by which some may be skipped at the moment of sending.', []],
    'SendEstimate.sample': ['Up to ten recipients.'],
    'SendEstimate.times': ['When it is due for how many, ascending. Empty when it is sent at once.'],
    'EstimatedPlatform.recipients': ['How many are meant.', 800],
    'EstimatedPlatform.configured': ['Whether the app has a gateway that can send to the platform.', true],
    'EstimatedLeftOut.reason': ['Why.', 'no_gateway'],
    'EstimatedLeftOut.count': ['How many.', 20],
    'SampleRecipient.userId': ['Its user; null when it has none.', 'anna'],
    'EstimatedTime.at': ['When.', '2031-04-30T17:30:00+0000'],
    'EstimatedTime.recipients': ['How many are due then.', 310],
    'EstimatedTime.zones': ['The first of their time zones; null for phones that told none.', ['Europe/Vienna']],
    'Payloads.items': ['One for each platform.'],
    'Payload.configured': ['Whether the app has a gateway that can send to the platform.', true],
    'Payload.request': ['The request.'],
    'TestDevices.items': ['The devices, oldest first.'],
    'TestDevice.id': ['Its number.', 3],
    'TestDevice.name': ['What people call it.', 'Phone of Anna'],
    'TestDevice.userId': ['Its user now; null when it has none.', 'anna'],
    'TestDevice.platform': ['Its platform; null while it has no push token.', 'ios'],
    'TestDevice.subscribed': ['Whether a push reaches it now.', true],
    'TestDevice.created': ['When it was added.', '2026-03-01T12:00:00+0000'],
    'TestDeviceRequest.name': ['What people call it.', 'Phone of Anna'],
    'TestDeviceRequest.installId': ['Its install id, as the SDK shows it.', INSTALL],
    'TestPushRequest.devices': ['Numbers of test devices.', [3]],
    'SecondPerson.required': ['Whether it is so.', true],
    'SecondPersonRequest.required': ['Whether it is so.', true],
    '/v1/apps/:appId/approvals.query.state': ['Only those of this state.', 'waiting'],
    'ApprovalPage.items': ['The pushes, newest first.'],
    'ApprovalPage.next': ['Cursor of the next page; null on the last one.', null],
    'Approval.id': ['Its number.', 12],
    'Approval.state': ['What became of it.', 'waiting'],
    'Approval.title': ['Title of the push.', 'Fresh bread'],
    'Approval.request': [
      'The push as it would be sent; null once it was decided.',
      { target: TARGET, content: CONTENT },
    ],
    'Approval.requestedBy': ['Number of the person who asked.', 2],
    'Approval.requestedName': ['Name of the person who asked.', 'Ben'],
    'Approval.requestedAt': ['When they asked.', '2026-03-01T12:00:00+0000'],
    'Approval.decidedName': ['Name of the person who decided; null before.', null],
    'Approval.decidedAt': ['When it was decided; null before.', null],
    'Approval.notificationId': ['The notification that was sent; null when none was.', null],
  },
}
