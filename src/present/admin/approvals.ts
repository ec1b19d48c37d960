import { APPROVAL_STATES, type Approval } from '../../domain/approvals/types.ts'
import { isoOffset } from '../../platform/time/clock.ts'
import { answerOf, boolean, free, integer, nullable, object, oneOf, pageOf, string, time } from '../schema.ts'

/** A push that waits for a second person, or what became of it. */
export function presentApproval(approval: Approval) {
  const { id, state, title, request, requestedBy, requestedName, requestedAt } = approval
  const { decidedName, decidedAt, notificationId } = approval
  return {
    id,
    state,
    title,
    request,
    requestedBy,
    requestedName,
    requestedAt: isoOffset(requestedAt),
    decidedName,
    decidedAt: decidedAt === null ? null : isoOffset(decidedAt),
    notificationId,
  }
}

export const approval = answerOf<typeof presentApproval>('Approval', {
  id: integer,
  state: oneOf(APPROVAL_STATES),
  title: string,
  request: nullable(free),
  requestedBy: integer,
  requestedName: string,
  requestedAt: time,
  decidedName: nullable(string),
  decidedAt: nullable(time),
  notificationId: nullable(integer),
})
export const approvalPage = pageOf('items', approval, string)
export const secondPerson = object({ required: boolean }, 'SecondPerson')
