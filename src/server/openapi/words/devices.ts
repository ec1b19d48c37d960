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

/** Words for the interface that SDKs on devices call. */
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
    ChannelUuids: ['Channels. Absent and null mean none.'],
    DeviceChannel: ['A channel to create, and who is to be subscribed.'],
    WebPrompt: [
      'A prompt; its further members depend on its type.',
      { uuid: '0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10', type: 'bell' },
    ],
    NewCheckin: ['A group of people to check in.'],
    RpcAnswer: ['The answer that old apps understand.'],
    InstallDetails: ['What the device says about itself.'],
    InstallLocation: ['A position.'],
    InstallUser: ['The user of the install.'],
    InstallPushToken: ['A push token.'],
    InstallOpened: ['The notification that was opened.'],
  },
  fields: {
    'Event.type': ['Type of the event. Those of the SDK begin with `k.`.', 'k.push.opened'],
    'Event.uuid': ['Chosen by the device: an event that is sent twice counts once.', EVENT.uuid],
    'Event.data': ['What the event says; its members depend on the type.', EVENT.data],
    'Event.timestamp': ['When it happened, in milliseconds since 1970.', EVENT.timestamp],
    'ChannelUuids.uuids': ['Identifiers of channels.', ['news']],
    'DeviceChannel.uuid': ['Identifier of the channel.', 'run-club'],
    'DeviceChannel.name': ['Name for people. A blank one is none.', 'Run club'],
    'DeviceChannel.showInPortal': ['Whether the console offers it as a target. Also accepts 0, 1 and text.', true],
    'DeviceChannel.meta': ['Additional values for the app, returned when it reads channels.', { icon: 'news.png' }],
    'DeviceChannel.userIdentifier': ['The user to subscribe.', 'user-17'],
    'DeviceChannel.installId': ['The install to subscribe.', '7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10'],
    'WebPrompt.type': ['Kind of prompt.', 'bell'],
    'NewCheckin.location': ['The place.', 'cafe'],
    'NewCheckin.partySize': ['Number of people. It is at least the number of contacts.', 3],
    'NewCheckin.contacts': ['The people who are named.'],
    'NewCheckin.contacts.lastName': ['Last name.', 'Kelly'],
    'NewCheckin.contacts.firstName': ['First name.', 'Anna'],
    'NewCheckin.contacts.emailAddress': ['E-mail address.', 'anna@example.com'],
    'NewCheckin.contacts.smsNumber': ['Phone number for text messages.', '+491701234567'],
    'NewCheckin.contacts.meta': ['Further facts, all of them text.', { table: '4' }],
    'NewCheckin.tz': ['IANA time zone of the device.', 'Europe/Berlin'],
    'NewCheckin.deviceKey': ['Random text that this device keeps; it opens its check-ins.', 'q8Zr1m3o5c7v9b2n4k6j'],
    'RpcAnswer.responseCode': ['4: there is no such method. 8: there is no such format.', 4],
    'RpcAnswer.responseMessage': ['The same in words.', 'No such method: getUsers'],
    'RpcAnswer.timestamp': ['Time of the answer in seconds since 1970.', 1_772_366_400],
    'RpcAnswer.requestProcessingTime': ['Always 0.', 0],
    'RpcAnswer.requestReceivedTime': ['Time of the request in seconds since 1970.', 1_772_366_400.5],
    'RpcAnswer.payload': ['Always null.', null],
    'RpcAnswer.sessionToken': ['Always null.', null],
  },
  parameters: {
    '/v1/users/:userId/messages.query.after': [
      'Returns what changed since this time: the `updatedAt` of an earlier answer.',
      '2026-03-01T12:30:00+0000',
    ],
    'query.deviceKey': ['Random text that this device keeps; it opens its check-ins.', 'q8Zr1m3o5c7v9b2n4k6j'],
    'path.checkinId': ['The `id` of the check-in.', 7],
    'path.contactId': ['The `id` of the contact.', 12],
    'path.method': ['Name of the method with `.json` or `.plist`.', 'getUsers.json'],
  },
}
