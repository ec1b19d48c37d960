import type { RefusedEvent } from '../domain/events/types.ts'
import { MOST_NAMED } from '../platform/errors.ts'
import { count, givenId, list, object, optional, string } from './schema.ts'

/** Schemas of answers that say what is wrong, wholly or in part. */

/** Dotted path of each wrong field -> what is wrong with it. */
const fieldErrors = {
  title: 'FieldErrors',
  type: 'object',
  additionalProperties: { type: 'array', items: string, minItems: 1 },
}

export const error = object({ error: string }, 'Error')
/** A refusal of the admin interface: some have a word for programs. */
export const refusal = object({ error: string, code: optional(string) }, 'Refusal')
export const invalid = object({ error: { const: 'validation failed' }, errors: fieldErrors }, 'Invalid')

/** Ids of a list of subscribers that nobody has. */
export const unknownSubscribers = object(
  {
    errors: object(
      { unknownInstallIds: optional(list(givenId)), unknownUserIds: optional(list(givenId)) },
      'UnknownSubscriberIds',
    ),
  },
  'UnknownSubscribers',
)

const refusedEvents = list(object({ index: count, errors: fieldErrors }, 'RefusedEvent'))
const refusedOnes = { refused: optional(refusedEvents), alsoRefused: optional(list(count)) }
/** What became of the events of a server; empty when all of them were taken. */
export const serverEventsAnswer = object(refusedOnes, 'ServerEventsAnswer')

/** What became of a batch of events; empty when all of them were taken whole. */
export const ingestAnswer = object({ ...refusedOnes, trimmed: optional(refusedEvents) }, 'EventsAnswer')

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
