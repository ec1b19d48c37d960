import type { RefusedEvent } from '../domain/events/types.ts'
import { MOST_NAMED } from '../platform/errors.ts'
import { UNKNOWN_INSTALL_IDS, UNKNOWN_USER_IDS } from './api/notifications.ts'
import { count, givenId, list, object, optional, string, told } from './schema.ts'
import { ERROR, ERRORS, INVALID_ERROR } from './words.ts'

/** Schemas of answers that say what is wrong, wholly or in part. */

/** Dotted path of each wrong field -> what is wrong with it. */
const fieldErrors = {
  title: 'FieldErrors',
  type: 'object',
  additionalProperties: { type: 'array', items: string, minItems: 1 },
}

export const error = object('Error', 'A request that failed.', { error: told(string, ERROR) })
/** A refusal of the admin interface: some have a word for programs. */
export const refusal = object('Refusal', 'Why the call was refused.', {
  error: told(
    string,
    'Why the call was refused.',
    'a code of your authenticator app, or a recovery code, is needed too',
  ),
  code: optional(told(string, 'The same in a word, for programs.', 'second_factor')),
})
export const invalid = object('Invalid', 'An invalid request.', {
  error: told({ const: 'validation failed' }, INVALID_ERROR),
  errors: told(fieldErrors, ERRORS),
})

/** Ids of a list of subscribers that nobody has. */
export const unknownSubscribers = object('UnknownSubscribers', 'The ids that were not applied.', {
  errors: told(
    object(
      'UnknownSubscriberIds',
      'Ids that do not exist.',
      {
        unknownInstallIds: optional(told(list(givenId), UNKNOWN_INSTALL_IDS)),
        unknownUserIds: optional(told(list(givenId), UNKNOWN_USER_IDS)),
      },
      { unknownUserIds: ['user-99'] },
    ),
    'The ids that do not exist.',
  ),
})

const refusedEvents = list(
  object('RefusedEvent', 'An event that was refused, or of which a part was left out.', {
    index: told(count, 'Place in the batch, from 0.', 1),
    errors: told(fieldErrors, ERRORS),
  }),
)
const refusedOnes = {
  refused: optional(
    told(refusedEvents, 'The first refused events with what is wrong, up to about twenty wrong fields.'),
  ),
  alsoRefused: optional(told(list(count), 'Places in the batch of further events that were refused.', [21, 22])),
}
/** Answer to events of a server; empty when all of them were taken. */
export const serverEventsAnswer = object(
  'ServerEventsAnswer',
  'What became of the events of a server. Empty if all of them were taken.',
  refusedOnes,
)

/** Answer to a batch of events; empty when all of them were stored whole. */
export const ingestAnswer = object(
  'EventsAnswer',
  'What was not stored as it came; empty when everything was.',
  { ...refusedOnes, trimmed: optional(told(refusedEvents, 'Events of which a part was too large and left out.')) },
  { refused: [{ index: 1, errors: { uuid: ['is required'] } }] },
)

/** Says of the first refused events what is wrong with them, up to `MOST_NAMED` places, and of the others which they are. */
export function presentRefused(refused: readonly RefusedEvent[]): {
  refused?: readonly RefusedEvent[]
  alsoRefused?: number[]
} {
  if (refused.length === 0) return {}
  let places = 0
  const end = refused.findIndex(({ errors }) => (places += Object.keys(errors).length) > MOST_NAMED)
  if (end < 0) return { refused }
  return { refused: refused.slice(0, end), alsoRefused: refused.slice(end).map(({ index }) => index) }
}
