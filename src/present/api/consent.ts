import { CHOICE_SOURCES, type ChosenPurpose, type Purpose, type Suppression } from '../../domain/consent/types.ts'
import { isoOffset } from '../../platform/time/clock.ts'
import {
  answer,
  answerOf,
  boolean,
  count,
  integer,
  list,
  nullable,
  object,
  oneOf,
  pageOf,
  string,
  time,
  told,
  type Words,
  within,
} from '../schema.ts'
import { CREATED_AT, UPDATED_AT } from '../words.ts'

export const NAME: Words = ['What people read.', 'News']
export const DESCRIPTION: Words = ['What it is about, for people.', 'What is new in the app, once a week']
export const REQUIRED: Words = ['Whether nobody can refuse it.', false]
const PURPOSES: Words = ['The purposes.']
export const UID: Words = ['Unique id of the purpose.', 'news']
export const ALLOWED: Words = ['Whether the user allows it now.', true]
export const CHOICE: Words = ['What the user chose; null while the default decides.']
export const CHOICE_ALLOWED: Words = ['What the user chose.', false]
export const SOURCE: Words = [
  'Where it was chosen: in the app, on a page of this server, or by a server of yours.',
  'device',
]
export const AT: Words = ['When it was chosen.', '2026-03-01T12:00:00+0000']
export const REASON: Words = ['Why, in words of the caller; null if none were given.', 'asked by letter']
export const LISTED_AT: Words = ['When the user was put on the list.', '2026-03-01T12:00:00+0000']

/** An entry whose identifier the caller gave; only its digest is stored. */
export function presentSuppression(identifier: string, { reason, at }: Suppression) {
  return { identifier, reason, at: isoOffset(at) }
}

export const purpose = answer<Purpose>()('Purpose', 'Something that people allow or refuse, such as news or offers.', {
  uid: told(string, 'Unique id of the purpose, chosen by the caller.', 'news'),
  name: told(string, NAME),
  description: told(nullable(string), DESCRIPTION),
  default: told(boolean, 'Whether users who chose nothing allow it.', true),
  required: told(boolean, REQUIRED),
  createdAt: told(time, CREATED_AT),
  updatedAt: told(time, UPDATED_AT),
})
export const purposes = answer<readonly Purpose[]>()('Purposes', 'The purposes of an app.', {
  purposes: told(list(purpose), PURPOSES, (purposes) => purposes),
})
export const presentPurpose = purpose.present
export const presentPurposes = purposes.present

/** A purpose and what a user chose; `choice` is null while the default decides. */
const chosenPurpose = answer<ChosenPurpose>()('ChosenPurpose', 'A purpose, and what a user chose for it.', {
  ...within(({ purpose }: ChosenPurpose) => purpose, {
    uid: told(string, UID),
    name: told(string, NAME),
    description: told(nullable(string), DESCRIPTION),
    required: told(boolean, REQUIRED),
  }),
  allowed: told(boolean, ALLOWED),
  choice: told(
    nullable(
      answer<NonNullable<ChosenPurpose['choice']>>()('Choice', 'The choice of a user for a purpose.', {
        allowed: told(boolean, CHOICE_ALLOWED),
        at: told(time, AT),
        source: told(oneOf(CHOICE_SOURCES), SOURCE),
      }),
    ),
    CHOICE,
  ),
})
export const presentChosen = chosenPurpose.present
export const chosenPurposes = answer<readonly ChosenPurpose[]>()(
  'ChosenPurposes',
  'Every purpose of the app for one user.',
  { purposes: told(list(chosenPurpose), PURPOSES, (chosen) => chosen) },
)
export const presentAllChosen = chosenPurposes.present

export const suppression = answerOf<typeof presentSuppression>('Suppression', 'An entry of the suppression list.', {
  identifier: told(string, 'The identifier that was asked for.', 'user-17'),
  reason: told(nullable(string), REASON),
  at: told(time, LISTED_AT),
})
/** An entry of the list, which does not say whom it means. */
const listedSuppression = answer<Suppression>()(
  'ListedSuppression',
  'An entry of the suppression list. It does not say whom it means.',
  {
    id: told(integer, 'Number of the entry.', 12),
    digest: told(string, 'HMAC of the identifier.', '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'),
    reason: told(nullable(string), REASON),
    at: told(time, LISTED_AT),
  },
)
export const presentListed = listedSuppression.present
export const suppressionPage = pageOf(
  'suppressions',
  'One page of the suppression list.',
  'The entries of this page.',
  listedSuppression,
)
export const suppressionsAdded = object('SuppressionsAdded', 'How many users were put on the list.', {
  added: told(count, 'How many were not on the list before.', 2),
  known: told(count, 'How many were on the list already.', 0),
})
