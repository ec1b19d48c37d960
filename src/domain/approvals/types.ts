/** States of a push for which a second person is needed. */
export const APPROVAL_STATES = ['waiting', 'approved', 'declined'] as const
export type ApprovalState = (typeof APPROVAL_STATES)[number]

/** A push that one person composed and another one approves. Times are ms. */
export interface Approval {
  id: number
  appId: number
  state: ApprovalState
  /** The body of the send, as the messages host takes it; null once it was decided. */
  request: Record<string, unknown> | null
  title: string
  requestedBy: number
  requestedName: string
  requestedAt: number
  decidedName: string | null
  decidedAt: number | null
  /** The notification that was sent. */
  notificationId: number | null
}

/** A person of the admin interface. */
export interface Approver {
  id: number
  name: string
}
