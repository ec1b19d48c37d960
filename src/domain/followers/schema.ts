import type { FieldErrors } from '../../platform/errors.ts'
import { closedShape, flag, integer, judged, oneOf, shape, text } from '../../platform/values/parse.ts'
import { IDENTIFIER_RULE, isIdentifier } from '../crm/schema.ts'
import { INCLUDES } from './types.ts'

/** Maximum number of types that a reader may ask for. */
const MAX_TYPES = 50

/** Maximum number of the newest events in one answer. */
const MAX_LATEST = 200

/** Longest wait for an event (s). */
const MAX_WAIT_S = 20

/** Body of `PUT events/settings`. */
export const logSettings = closedShape({ deliveries: flag().required() }).required()

/** Query of `GET events`. `types` are separated by commas. */
export const eventsQuery = judged(
  shape({
    after: text({ max: 64 }),
    types: text(),
    limit: integer({ min: 1, max: 1000 }),
    wait: integer({ min: 0, max: MAX_WAIT_S }),
    include: oneOf(INCLUDES),
  }),
  ({ types }): FieldErrors => {
    const problem = typeof types === 'string' ? problemOfTypes(types.split(',')) : undefined
    return problem === undefined ? {} : { types: [problem] }
  },
)

/** Query of `GET events/latest`. */
export const latestQuery = judged(
  shape({
    before: text({ max: 64 }),
    types: text(),
    userId: text({ max: 255 }),
    installId: text({ max: 255 }),
    q: text({ max: 255 }),
    limit: integer({ min: 1, max: MAX_LATEST }),
  }),
  ({ types, userId, installId }): FieldErrors => {
    const problem = typeof types === 'string' ? problemOfTypes(types.split(',')) : undefined
    const isTwice = userId !== undefined && installId !== undefined
    return {
      ...(problem !== undefined && { types: [problem] }),
      ...(isTwice && { installId: ['give either userId or installId'] }),
    }
  },
)

/** The error in a list of types; undefined when there is none. */
function problemOfTypes(types: readonly string[]): string | undefined {
  if (types.length > MAX_TYPES) return `must be at most ${MAX_TYPES} types, separated by commas`
  return types.every(isIdentifier) ? undefined : `must be types, separated by commas; each ${IDENTIFIER_RULE}`
}
