import { of, type Words } from './types.ts'

export const CHOICES =
  'Purposes that are not named stay as they are. `true` allows, `false` refuses, null goes back to the default of the purpose.'

/** Words for purposes, consent and the suppression list. */
export const CONSENT: Words = {
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
