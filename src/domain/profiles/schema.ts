import { integer, oneOf, shape, text } from '../../platform/values/parse.ts'
import { MOMENT_KINDS } from './types.ts'

/** Longest text that a search takes. */
const MAX_TEXT = 500

/** Query of the list of profiles. */
export const listProfiles = shape({
  q: text({ max: MAX_TEXT, empty: true }).default(''),
  after: integer({ min: 1 }),
  limit: integer({ min: 1, max: 100 }).default(50),
})

/** Query of the suggestions of the search field. */
export const suggestProfiles = shape({ q: text({ max: MAX_TEXT, empty: true }).default('') })

/** Query of a timeline. */
export const readTimeline = shape({
  after: text({ max: 500 }),
  limit: integer({ min: 1, max: 100 }).default(30),
  kind: oneOf(MOMENT_KINDS),
})
