import type { Words } from './types.ts'

const OLDER =
  'The earlier form of an event; newer SDKs upload events instead. Read leniently: unusable fields are ignored.'
const EVENT = {
  type: 'k.push.opened',
  uuid: '5d3f7f2e-9a1b-4c55-9a3e-2f6b1c8d4e10',
  timestamp: 1_772_366_400_000,
  data: { id: 12 },
}
const older = (takes: string, sends: object) => ({ description: OLDER, takes, sends })
const subscription = { takes: 'ChannelUuids', sends: { uuids: ['news'] } }
const byUser = 'Applies to all installs of the user.'
const byInstall = 'Creates the install on first sight.'

/** What devices call. */
export const DEVICES: Words = {
  operations: {
    'post /v1/app-installs/:installId/events': {
      description:
        'The batch is stored before the answer. An event is stored once, however often it is sent. Events that cannot be used are ' +
        'listed in `refused`; the others are accepted. Creates the install on first sight.',
      sends: [EVENT],
    },
    'put /v1/app-installs/:installId': older('InstallDetails', { app: { version: '4.12.0' }, tz: 'Europe/Berlin' }),
    'put /v1/app-installs/:installId/location': older('InstallLocation', { lat: 52.5, lng: 13.4 }),
    'put /v1/app-installs/:installId/user-id': older('InstallUser', { id: 'user-17' }),
    'put /v1/app-installs/:installId/push-token': older('InstallPushToken', { token: '1f6ed2f5c1f3a1b0', type: 1 }),
    'delete /v1/app-installs/:installId/push-token': { description: OLDER },
    'post /v1/app-installs/:installId/opens': older('InstallOpened', { id: 12 }),
    'get /v1/users/:userId/channels': { description: 'Includes private channels that the user is subscribed to.' },
    'post /v1/users/:userId/channels/subscriptions': { description: byUser, ...subscription },
    'put /v1/users/:userId/channels/subscriptions': { description: byUser, ...subscription },
    'delete /v1/users/:userId/channels/subscriptions': { description: byUser, ...subscription },
    'get /v1/app-installs/:installId/channels': {
      description: 'Includes private channels that the install is subscribed to.',
    },
    'post /v1/app-installs/:installId/channels/subscriptions': { description: byInstall, ...subscription },
    'put /v1/app-installs/:installId/channels/subscriptions': { description: byInstall, ...subscription },
    'delete /v1/app-installs/:installId/channels/subscriptions': { description: byInstall, ...subscription },
    'post /v1/channels': {
      description:
        'Also answers 201 if the channel exists: apps call this at every start. An existing channel stays as it is.',
      takes: 'DeviceChannel',
      sends: { uuid: 'run-club', name: 'Run club', userIdentifier: 'user-17' },
    },
    'get /v1/users/:userId/messages': {
      description:
        'Without `after`: messages that are current. With it: messages that changed since, also expired and withdrawn ones.',
    },
    'get /v1/web/config': {
      description: '`publicKey` is empty while the app has no web gateway; prompts then stay off.',
    },
    'post /v1/users/:userId/checkins': {
      description:
        'The `deviceKey` opens the check-in again; only the device that chose it can read it or check it out.',
      takes: 'NewCheckin',
      sends: {
        location: 'cafe',
        partySize: 3,
        contacts: [{ lastName: 'Kelly', firstName: 'Anna' }],
        tz: 'Europe/Berlin',
        deviceKey: 'q8Zr1m3o5c7v9b2n4k6j',
      },
    },
    'get /v1/users/:userId/open-checkins': { description: 'Groups that were checked out are not returned.' },
    'delete /v1/users/:userId/checkins/:checkinId': { description: 'Returns the check-in as it is now.' },
    'delete /v1/users/:userId/checkins/:checkinId/contacts/:contactId': {
      description: 'Returns the check-in as it is now. It is closed with the last of its contacts.',
    },
    'post /v1/track/:apiKey/acra/:installId': {
      description: 'The body may be compressed with gzip. A report that is sent twice is stored once.',
    },
    'post /v1/track/:apiKey/kscrash/:installId': {
      description:
        'Needs no credentials. The body may be compressed with gzip. Reports of unknown installs are discarded.',
    },
    'put /dsyms': { description: 'Kept for build scripts that upload them. Nothing is stored.' },
    'post /b2.2/:apiKey/:method': {
      description: 'Kept for old apps. There are no methods: the answer always says so, in JSON or as a property list.',
    },
  },
  schemas: {
    Event: ['Something that happened on a device.', EVENT],
    EventsAnswer: [
      'What was not stored as it came; empty when everything was.',
      { refused: [{ index: 1, errors: { uuid: ['is required'] } }] },
    ],
    RefusedEvent: ['An event that was refused, or of which a part was left out.'],
    SeenChannel: ['A channel as a user or an install sees it.'],
    ChannelUuids: ['Channels. Absent and null mean none.'],
    DeviceChannel: ['A channel to create, and who is to be subscribed.'],
    UserMessage: ['An in-app message as devices get it.'],
    UserMessageInbox: ['The entry in the inbox of the app.'],
    WebConfig: ['What a web page needs before it can ask for permission.'],
    WebPrompt: [
      'A prompt; its further members depend on its type.',
      { uuid: '0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10', type: 'bell' },
    ],
    NewCheckin: ['A group of people to check in.'],
    Checkin: ['A group of people at a place.'],
    CheckinContact: ['A person of the group.'],
    RpcAnswer: ['The answer that old apps understand.'],
    InstallDetails: ['What the device says about itself.'],
    InstallLocation: ['A position.'],
    InstallUser: ['The user of the install.'],
    InstallPushToken: ['A push token.'],
    InstallOpened: ['The notification that was opened.'],
  },
  fields: {
    type: ['Type of the event. Those of the SDK begin with `k.`.', 'k.push.opened'],
    'Event.uuid': ['Chosen by the device: an event that is sent twice counts once.', EVENT.uuid],
    timestamp: ['When it happened, in milliseconds since 1970.', EVENT.timestamp],
    refused: ['Events that were refused, and why: as many as have twenty wrong places.'],
    alsoRefused: ['Places in the batch of further events that were refused.', [21, 22]],
    trimmed: ['Events of which a part was too large and left out.'],
    index: ['Place in the batch, from 0.', 1],
    'SeenChannel.uuid': ['Identifier of the channel.', 'news'],
    'SeenChannel.name': ['Name for people; null if the channel is private.', 'News'],
    subscribed: ['Whether the user or install is subscribed.', true],
    uuids: ['Identifiers of channels.', ['news']],
    'DeviceChannel.uuid': ['Identifier of the channel.', 'run-club'],
    'DeviceChannel.name': ['Name for people. A blank one is none.', 'Run club'],
    'DeviceChannel.showInPortal': ['Whether the console offers it as a target. Also accepts 0, 1 and text.', true],
    userIdentifier: ['The user to subscribe.', 'user-17'],
    'DeviceChannel.installId': ['The install to subscribe.', '7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10'],
    '/v1/users/:userId/messages.query.after': [
      'Returns what changed since this time: the `updatedAt` of an earlier answer.',
      '2026-03-01T12:30:00+0000',
    ],
    'UserMessage.content': [
      'What it shows: a rendered document (`docs/templates.md`).',
      { ver: 1, frame: { type: 'alert', nodes: [{ type: 'heading', text: 'Closed on Monday' }] } },
    ],
    'UserMessage.badge': ['Always null; SDKs store it and do not use it.', null],
    'UserMessageInbox.from': ['When the entry appears; null: at once.', '2026-03-01T12:00:00+0000'],
    'UserMessageInbox.to': ['When the entry disappears; null: never.', '2026-03-08T12:00:00+0000'],
    'UserMessage.expiresAt': ['When it expires; null if never.', '2026-03-08T12:00:00+0000'],
    sentAt: ['When the user got it.', '2026-03-01T12:00:00+0000'],
    'UserMessage.openedAt': ['When it was shown; null before.', null],
    readAt: ['When it was read in the inbox; null before.', null],
    inboxDeletedAt: ['When it was removed from the inbox or withdrawn; null before.', null],
    imagePath: ['Address of a picture.', 'https://example.com/picture.png'],
    'WebConfig.publicKey': [
      'The VAPID public key; empty without a web gateway.',
      'BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM',
    ],
    safariPushId: ['Website push id; null without a Safari gateway.', 'web.com.example'],
    prompts: ['Prompts by their names.'],
    'WebPrompt.type': ['Kind of prompt.', 'bell'],
    location: ['The place.', 'cafe'],
    partySize: ['Number of people. It is at least the number of contacts.', 3],
    contacts: ['The people who are named.'],
    lastName: ['Last name.', 'Kelly'],
    firstName: ['First name.', 'Anna'],
    emailAddress: ['E-mail address.', 'anna@example.com'],
    smsNumber: ['Phone number for text messages.', '+491701234567'],
    'contacts.meta': ['Further facts, all of them text.', { table: '4' }],
    'CheckinContact.meta': ['Further facts, all of them text.', { table: '4' }],
    tz: ['IANA time zone of the device.', 'Europe/Berlin'],
    deviceKey: ['Random text that this device keeps; it opens its check-ins.', 'q8Zr1m3o5c7v9b2n4k6j'],
    checkedInAt: ['When the group was checked in.', '2026-03-01T12:00:00+0000'],
    checkedOutAt: ['When the group or person left; null before.', null],
    checkinId: ['The check-in.', 7],
    'path.checkinId': ['The `id` of the check-in.', 7],
    'path.contactId': ['The `id` of the contact.', 12],
    'path.method': ['Name of the method with `.json` or `.plist`.', 'getUsers.json'],
    responseCode: ['4: there is no such method. 8: there is no such format.', 4],
    responseMessage: ['The same in words.', 'No such method: getUsers'],
    'RpcAnswer.timestamp': ['Time of the answer in seconds since 1970.', 1_772_366_400],
    requestProcessingTime: ['Always 0.', 0],
    requestReceivedTime: ['Time of the request in seconds since 1970.', 1_772_366_400.5],
    payload: ['Always null.', null],
    sessionToken: ['Always null.', null],
  },
}
