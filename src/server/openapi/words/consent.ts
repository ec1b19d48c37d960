import type { Words } from './types.ts'

const CHOICES =
  'Purposes that are not named stay as they are. `true` allows, `false` refuses, null goes back to the default of the purpose.'

/** What people allow, and who must get nothing. */
export const CONSENT: Words = {
  operations: {
    'get /v1/purposes': { description: 'Returns them in the order of their creation. An app has at most 50.' },
    'get /v1/purposes/:uid': { description: 'Says what the purpose is, not who allows it.' },
    'put /v1/purposes/:uid': {
      description:
        'Sends that name the purpose skip users who do not allow it, whatever their target is. What users chose stays when a purpose is replaced. ' +
        'While a purpose is required, earlier refusals have no effect.',
      takes: 'PurposeRequest',
      sends: { name: 'News', description: 'What is new in the app, once a week', default: true },
    },
    'delete /v1/purposes/:uid': {
      description: 'What users chose is forgotten. A new purpose with the same uid begins with its default.',
    },
    'get /v1/users/:userId/choices': { description: 'Returns every purpose of the app, chosen or not.' },
    'put /v1/users/:userId/choices': {
      description: `${CHOICES} Devices have a route of their own, \`/v1/users/{userId}/purposes\`.`,
      takes: 'Choices',
      sends: { news: false },
    },
    'get /v1/users/:userId/purposes': {
      description: 'Returns every purpose of the app, chosen or not. The user need not be known yet.',
    },
    'put /v1/users/:userId/purposes': {
      description: `${CHOICES} The user is created if there is none, so that a refusal is never lost.`,
      takes: 'Choices',
      sends: { news: false },
    },
    'get /v1/suppressions': {
      description:
        'Returns digests of identifiers, because nothing else is stored. Ask for an identifier by its own address.',
    },
    'post /v1/suppressions': {
      description:
        'Takes up to 1000 identifiers, of users who exist or not. They get nothing any more, transactional sends included. ' +
        'Those who are on the list already get the new reason.',
      takes: 'SuppressionsRequest',
      sends: { userIds: ['user-17', 'user-18'], reason: 'asked by letter' },
    },
    'get /v1/suppressions/:identifier': { description: 'Answers 404 for an identifier that is not on the list.' },
    'put /v1/suppressions/:identifier': {
      description: 'The user gets nothing any more, transactional sends included. There need not be such a user.',
      takes: 'SuppressionRequest',
      sends: { reason: 'asked by letter' },
    },
    'delete /v1/suppressions/:identifier': { description: 'Later sends reach the user again.' },
  },
  schemas: {
    Purpose: ['Something that people allow or refuse, such as news or offers.'],
    Purposes: ['The purposes of an app.'],
    PurposeRequest: ['A purpose.'],
    ChosenPurpose: ['A purpose, and what a user chose for it.'],
    ChosenPurposes: ['Every purpose of the app for one user.'],
    Choice: ['What the user chose.'],
    Choices: ['Choices by uid of the purpose.', { news: false }],
    Suppression: ['An entry of the suppression list.'],
    SuppressionRequest: ['An entry of the suppression list.'],
    SuppressionsRequest: ['Users to put on the suppression list.'],
    ListedSuppression: ['An entry of the suppression list. It does not say whom it means.'],
    ListedSuppressionPage: ['One page of the suppression list.'],
    SuppressionsAdded: ['How many users were put on the list.'],
  },
  fields: {
    'path.identifier': ['Identifier of a user.', 'user-17'],
    'Suppression.identifier': ['The identifier that was asked for.', 'user-17'],
    'Purpose.uid': ['Unique id of the purpose, chosen by the caller.', 'news'],
    'ChosenPurpose.uid': ['Unique id of the purpose.', 'news'],
    'Purpose.name': ['What people read.', 'News'],
    'PurposeRequest.name': ['What people read.', 'News'],
    'ChosenPurpose.name': ['What people read.', 'News'],
    'Purpose.description': ['What it is about, for people.', 'What is new in the app, once a week'],
    'PurposeRequest.description': ['What it is about, for people.', 'What is new in the app, once a week'],
    'ChosenPurpose.description': ['What it is about, for people.', 'What is new in the app, once a week'],
    'Purpose.default': ['Whether users who chose nothing allow it.', true],
    'PurposeRequest.default': ['Whether users who chose nothing allow it.', true],
    'Purpose.required': ['Whether nobody can refuse it.', false],
    'PurposeRequest.required': ['Whether nobody can refuse it.', false],
    'ChosenPurpose.required': ['Whether nobody can refuse it.', false],
    'Purposes.purposes': ['The purposes.'],
    'ChosenPurposes.purposes': ['The purposes.'],
    allowed: ['Whether the user allows it now.', true],
    'Choice.allowed': ['What the user chose.', false],
    choice: ['What the user chose; null while the default decides.'],
    'Choice.at': ['When it was chosen.', '2026-03-01T12:00:00+0000'],
    'Choice.source': ['Where it was chosen.', 'device'],
    suppressions: ['The entries of this page.'],
    'ListedSuppression.id': ['Number of the entry.', 12],
    digest: ['HMAC of the identifier.', '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    'Suppression.reason': ['Why, in words of the caller.', 'asked by letter'],
    'SuppressionRequest.reason': ['Why, in words of the caller.', 'asked by letter'],
    'SuppressionsRequest.reason': ['Why, in words of the caller.', 'asked by letter'],
    'ListedSuppression.reason': ['Why, in words of the caller.', 'asked by letter'],
    'Suppression.at': ['When the user was put on the list.', '2026-03-01T12:00:00+0000'],
    'ListedSuppression.at': ['When the user was put on the list.', '2026-03-01T12:00:00+0000'],
    'SuppressionsRequest.userIds': ['Identifiers of users.', ['user-17', 'user-18']],
    added: ['How many were not on the list before.', 2],
    known: ['How many were on the list already.', 0],
    purpose: ['The uid of its purpose: users who do not allow it are left out.', 'news'],
    priority: [
      '`transactional` ignores quiet hours, frequency cap and purposes; the suppression list still counts. Default `normal`.',
      'transactional',
    ],
    // oxlint-disable-next-line unicorn/no-thenable -- a word of the interface, never a function
    then: ['`hold` sends when the quiet hours end; `drop`, the default, leaves the recipients out.', 'hold'],
    'InAppMessageCounts.skips': ['Skipped users by reason; absent when none was skipped for a reason.'],
  },
}
