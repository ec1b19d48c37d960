import { documented, integer, jsonObject, oneOf, shape } from '../../platform/values/parse.ts'
import { SERIES_STATES } from './types.ts'

/** Pages of the list are short, because a series holds its whole request. */
const MAX_PAGE = 100

/** Query of the list: `after` is the `next` of the page before. */
export const listSeries = shape({
  after: integer({ min: 1 }),
  limit: integer({ min: 1, max: MAX_PAGE }).default(50),
  state: oneOf(SERIES_STATES),
  order: oneOf(['created', 'due']),
})

/** Keys of the request that a change replaces. The form of the series checks the whole that comes of it. */
export const seriesChange = documented(jsonObject().required(), {
  type: 'object',
  additionalProperties: true,
  description: 'Keys of the request; null takes one out',
})
