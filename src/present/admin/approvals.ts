import { APPROVAL_STATES, type Approval } from '../../domain/approvals/types.ts'
import { answer, boolean, free, integer, nullable, object, oneOf, pageOf, string, time, told } from '../schema.ts'
import { ITS_NUMBER } from '../words.ts'

/** A push that waits for a second person, or what became of it. */
export const approval = answer<Approval>()('Approval', 'A push that waits for a second person, or what became of it.', {
  id: told(integer, ITS_NUMBER),
  state: told(oneOf(APPROVAL_STATES), 'What became of it.', 'waiting'),
  title: told(string, 'Title of the push.', 'Fresh bread'),
  request: told(nullable(free), 'The push as it would be sent; null once it was decided.', {
    target: { segmentUuid: 'regulars' },
    content: { title: 'Fresh bread', message: 'Out of the oven until six.' },
  }),
  requestedBy: told(integer, 'Number of the person who asked.', 2),
  requestedName: told(string, 'Name of the person who asked.', 'Ben'),
  requestedAt: told(time, 'When they asked.', '2026-03-01T12:00:00+0000'),
  decidedName: told(nullable(string), 'Name of the person who decided; null before.', null),
  decidedAt: told(nullable(time), 'When it was decided; null before.', null),
  notificationId: told(nullable(integer), 'The notification that was sent; null when none was.', null),
})
export const presentApproval = approval.present
export const approvalPage = pageOf(
  'items',
  'A page of pushes that wait or were decided.',
  'The pushes, newest first.',
  approval,
  string,
)
export const secondPerson = object('SecondPerson', 'Whether a second person must approve what people send.', {
  required: told(boolean, 'Whether it is so.', true),
})
