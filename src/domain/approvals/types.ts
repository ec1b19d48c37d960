import { definition, integer, table, text, type Value } from '../../platform/db/table.ts'

/** States of a push for which a second person is needed. */
export const APPROVAL_STATES = ['waiting', 'approved', 'declined'] as const
export type ApprovalState = (typeof APPROVAL_STATES)[number]

export const APPROVALS = table('push_approvals', {
  id: integer('id'),
  appId: integer('app_id'),
  state: text('state').as<ApprovalState>(),
  /** The body of the send, as the messages host takes it; null once it was decided. */
  request: definition('request').as<Record<string, unknown>>().orNull,
  title: text('title'),
  requestedBy: integer('requested_by'),
  requestedName: text('requested_name'),
  requestedAt: integer('requested_at'),
  decidedName: text('decided_name').orNull,
  decidedAt: integer('decided_at').orNull,
  /** The notification that was sent. */
  notificationId: integer('notification_id').orNull,
})

/** A push that one person composed and another one approves. Times are ms. */
export type Approval = Value<typeof APPROVALS>

/** A person of the admin interface. */
export interface Approver {
  id: number
  name: string
}
