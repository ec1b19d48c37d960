import { integer, oneOf, shape, text } from '../../platform/values/parse.ts'
import { MOMENT_KINDS, PROFILE_SORTS } from './types.ts'

/** Longest text that a search takes. */
const MAX_TEXT = 500
/** A place in a list: an id, one behind an instant, or one of those that have the text inside. */
const CURSOR = /^(?:[1-9]\d{0,15}|\d{1,16}-[1-9]\d{0,15}|in:\d{1,16})$/

const search = {
  q: text({ max: MAX_TEXT, empty: true }).default(''),
  after: text({ max: 40 }).matches(CURSOR, 'must be the next of the page before'),
}

/** Query of the list of profiles. */
export const listProfiles = shape({
  ...search,
  sort: oneOf(PROFILE_SORTS).default('-created'),
  limit: integer({ min: 1, max: 100 }).default(50),
})

/** Query of the count of a search. */
export const countProfiles = shape(search)

/** Query of the export of a search. */
export const exportProfiles = shape({ q: search.q })

/** Query of the suggestions of the search field. */
export const suggestProfiles = shape({ q: text({ max: MAX_TEXT, empty: true }).default('') })

/** Query of a timeline. */
export const readTimeline = shape({
  after: text({ max: 500 }),
  limit: integer({ min: 1, max: 100 }).default(30),
  kind: oneOf(MOMENT_KINDS),
})
