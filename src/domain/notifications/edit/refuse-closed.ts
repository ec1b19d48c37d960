import { AppError } from '../../../platform/errors.ts'
import { isoOffset } from '../../../platform/time/clock.ts'
import { AGAIN, closedBy } from '../../schedules/edit.ts'
import type { Run } from '../record/ledger.repository.ts'
import { type NotificationRecord, STATUS } from '../types.ts'

/**
 * Throws `conflict`, naming what can be done, for a notification that cannot be edited. `begun`: the first of its runs that has begun
 * or is due; undefined when every one is still to come. Pure.
 */
export function refuseClosed(
  notification: Pick<NotificationRecord, 'id' | 'status' | 'content' | 'seriesId' | 'schedule'>,
  begun: Pick<Run, 'kind' | 'dueAt'> | undefined,
): void {
  const why =
    (notification.status < STATUS.sent ? announcedBy(notification) : undefined) ??
    closedBy(notification, { calledOff: 'cancelled', callOff: 'cancel' }) ??
    begunBy(notification, begun)
  if (why !== undefined) throw new AppError('conflict', `notification ${notification.id} ${why}`)
}

function announcedBy({ content: { inAppMessageId: id } }: Pick<NotificationRecord, 'content'>): string | undefined {
  if (id === undefined) return undefined
  return `announces in-app message ${id} and cannot be edited by itself: edit the message (PATCH /v1/in-app-messages/${id})`
}

function begunBy(
  { id, status }: Pick<NotificationRecord, 'id' | 'status'>,
  begun: Pick<Run, 'kind' | 'dueAt'> | undefined,
): string | undefined {
  const remedy = `cancel the rest (appsvc schedules cancel ${id}) and ${AGAIN}`
  if (begun === undefined)
    return status === STATUS.scheduled ? undefined : `is being sent and cannot be edited: ${remedy}`
  if (begun.kind === 'skip') {
    return `cannot be edited any more, because its time had passed for some when it was accepted and they are left out: ${remedy}`
  }
  return `cannot be edited any more, because its first due time ${isoOffset(begun.dueAt)} has come: ${remedy}`
}
