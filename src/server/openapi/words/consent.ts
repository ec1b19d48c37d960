import { of, type Words } from './types.ts'

const CHOICES =
  'Purposes that are not named stay as they are. `true` allows, `false` refuses, null goes back to the default of the purpose.'

/** Words for purposes, consent and the suppression list. */
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
    PurposeRequest: ['A purpose.'],
    Choices: ['Choices by uid of the purpose.', { news: false }],
    SuppressionRequest: ['An entry of the suppression list.'],
    SuppressionsRequest: ['Users to put on the suppression list.'],
  },
  fields: {
    ...of(['SuppressionRequest', 'SuppressionsRequest'], {
      reason: ['Why, in words of the caller.', 'asked by letter'],
    }),
    'PurposeRequest.name': ['What people read.', 'News'],
    'PurposeRequest.description': ['What it is about, for people.', 'What is new in the app, once a week'],
    'PurposeRequest.default': ['Whether users who chose nothing allow it.', true],
    'PurposeRequest.required': ['Whether nobody can refuse it.', false],
    'SuppressionsRequest.userIds': ['Identifiers of users.', ['user-17', 'user-18']],
  },
  parameters: {
    'path.identifier': ['Identifier of a user.', 'user-17'],
  },
}
