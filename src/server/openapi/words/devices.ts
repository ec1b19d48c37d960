import type { Words } from './types.ts'

export const EVENT = {
  type: 'k.push.opened',
  uuid: '5d3f7f2e-9a1b-4c55-9a3e-2f6b1c8d4e10',
  timestamp: 1_772_366_400_000,
  data: { id: 12 },
}

/** Words for the interface that SDKs on devices call. */
export const DEVICES: Words = {
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
