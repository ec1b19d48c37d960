import { integer, shape } from '../../platform/parse.ts'

/** The three forms of a request; each has a file of its own. */
export { fromLegacyForm, legacyForm } from './request/legacy.ts'
export { fromMessagesForm, messagesForm } from './request/messages.ts'
export { fromPushForm, pushForm } from './request/push.ts'

/** Pages of the list are short, because a record holds its whole targeting. */
const MAX_PAGE = 100

/** Query of the list: `after` is the `next` of the page before. */
export const listNotifications = shape({
  after: integer({ min: 1 }),
  limit: integer({ min: 1, max: MAX_PAGE }).default(50),
})

/** Query of the list of scheduled notifications. */
export const listSchedules = shape({ limit: integer({ min: 1, max: MAX_PAGE }).default(50) })
