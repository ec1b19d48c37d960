import { invalid, isAppError } from '../../../platform/errors.ts'
import { parseJsonText } from '../../../platform/json/json.ts'
import { readInstant, WITH_OFFSET } from '../../../platform/time/instants.ts'
import { documented, type Infer, instant, integer, judged, oneOf, shape, text } from '../../../platform/values/parse.ts'
import { below, IS_REQUIRED } from '../../../platform/values/reader.ts'
import { readFilter } from '../filter.ts'
import type { Inside } from '../sql/inside-sql.ts'
import type { Condition, Filter } from '../types.ts'

/** Size of a page when a search names none. */
const USUAL_PAGE = 50

/** Keys that make the user list a search. */
const SEARCH_KEYS = ['filter', 'channelUuid', 'segmentUuid', 'activeSince', 'after'] as const

/**
 * Query of the user list. By the contract it is `currentPage` and `numberPerPage`, both required. With any other key it
 * is a search, whose pages follow one another: `after` is the `next` of the previous page. `include` asks for fields
 * that installs of the contract do not have.
 */
export const usersQuery = judged(
  shape({
    currentPage: unlessSearched(integer({ min: 1 })),
    numberPerPage: unlessSearched(integer({ min: 1, max: 1000 })),
    filter: documented(text(), {
      description:
        'JSON: a condition on users as in segments, `{"field": "attributes.plan", "op": "equals", "value": "gold"}`, ' +
        'or `and`, `or`, `not` of them. Fields: attributes.NAME, identifier, firstActive, lastActive, inAppEnabled',
    }),
    channelUuid: text({ max: 255 }),
    segmentUuid: text({ max: 255 }),
    activeSince: instant(),
    after: integer({ min: 1 }),
    include: oneOf(['device']),
  }),
  (given) => {
    if (!isSearch(given) || given.currentPage === undefined) return {}
    return { currentPage: ['cannot be combined with a search: continue with after, the next of the previous page'] }
  },
).required()

function isSearch(given: Record<string, unknown>): boolean {
  return SEARCH_KEYS.some((key) => given[key] !== undefined)
}

/** Requires a number of the contract, as long as none of our keys is there. */
function unlessSearched(number: ReturnType<typeof integer>) {
  return number.test({
    name: 'contract',
    message: IS_REQUIRED,
    test: (value, { parent }) => value !== undefined || isSearch(parent as Record<string, unknown>),
  })
}

/** The wanted users. All given conditions must hold. */
export interface UserSearch {
  filter?: Filter | undefined
  channelUuid?: string | undefined
  /** The uuid of a segment, or its id. */
  segmentUuid?: string | undefined
  /** Active at this time or later (ms). */
  activeSince?: number | undefined
  /** A text inside of the identifier or of a value of the attributes. */
  inside?: Inside | undefined
  /** The `next` of the previous page. */
  after?: number | undefined
  /** Users on a page. */
  limit: number
}

/** A page by number, as in the contract, or a search. */
export type ReadUsersQuery =
  | { page: { currentPage: number; numberPerPage: number }; search?: never }
  | { page?: never; search: UserSearch }

/** Reads a checked query. Throws `invalid` for a filter that is no JSON, or not one over users. */
export function readUsersQuery({
  currentPage,
  numberPerPage,
  filter,
  channelUuid,
  segmentUuid,
  activeSince,
  after,
}: Infer<typeof usersQuery>): ReadUsersQuery {
  if (currentPage !== undefined) return { page: { currentPage, numberPerPage: numberPerPage! } }
  return {
    search: {
      channelUuid,
      segmentUuid,
      after,
      ...(filter !== undefined && { filter: readJsonFilter(filter) }),
      ...(activeSince !== undefined && { activeSince: readInstant(activeSince, WITH_OFFSET)! }),
      limit: numberPerPage ?? USUAL_PAGE,
    },
  }
}

function readJsonFilter(given: string): Filter {
  let value: unknown
  try {
    value = parseJsonText(given)
  } catch (error) {
    const { '': syntax, ...places } = isAppError(error) ? (error.details.fields ?? {}) : {}
    if (syntax === undefined) throw invalid(below('filter', places))
    throw invalid({
      filter: ['must be JSON, such as {"field":"attributes.plan","op":"equals","value":"gold"}, percent-encoded'],
    })
  }
  checkUserFilter(value)
  return value as Filter
}

/** Throws `invalid` that names the error in a filter over users. */
export function checkUserFilter(value: unknown): Condition {
  const { condition, errors } = readFilter(value)
  if (!condition) throw invalid(below('filter', errors))
  if (!isOfUsers(condition)) throw invalid({ filter: [ONLY_USERS] })
  return condition
}

const ONLY_USERS =
  'may use only fields of users (attributes.NAME, identifier, firstActive, lastActive, inAppEnabled): ' +
  'for fields of installs create a segment and give segmentUuid'

/** Tells whether a condition depends on the user only. */
function isOfUsers(condition: Condition): boolean {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.parts.every(isOfUsers)
    case 'not':
      return isOfUsers(condition.part)
    case 'attribute':
    case 'time':
      return true
    case 'word':
      return condition.field === 'identifier'
    case 'flag':
      return condition.field !== 'subscribedToPush'
    default:
      return false
  }
}
