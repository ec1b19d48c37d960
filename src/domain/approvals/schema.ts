import { flag, integer, oneOf, shape } from '../../platform/values/parse.ts'
import { confirmField } from '../apps/schema.ts'
import { APPROVAL_STATES } from './types.ts'

/** Body of the rule: whether a push that a person composed waits for another one. */
export const secondPersonForm = shape({ required: flag().required() }).required()

/** Query of the list, newest first. */
export const listApprovals = shape({
  state: oneOf(APPROVAL_STATES),
  after: integer({ min: 1 }),
  limit: integer({ min: 1, max: 50 }).default(20),
})

/** Body of an approval: the number of recipients that the second person saw, where the app asks for it. */
export const approveForm = shape({ confirm: confirmField() })
