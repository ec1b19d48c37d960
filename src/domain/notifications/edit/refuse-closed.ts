import { AppError } from '../../../platform/errors.ts'
import { isoOffset } from '../../../platform/time/clock.ts'
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
  const why = closedBy(notification) ?? begunBy(notification, begun)
  if (why !== undefined) throw new AppError('conflict', `notification ${notification.id} ${why}`)
}

const AGAIN = 'send another one'

function closedBy({
  status,
  content,
  seriesId,
  schedule,
}: Pick<NotificationRecord, 'status' | 'content' | 'seriesId' | 'schedule'>): string | undefined {
  if (status === STATUS.cancelled) return `was cancelled and cannot be edited: ${AGAIN}`
  if (status === STATUS.failed) return `is finished and cannot be edited, nobody could be reached: ${AGAIN}`
  if (status === STATUS.sent) return `was sent and cannot be edited: ${AGAIN}`
  const { inAppMessageId: message } = content
  if (message !== undefined) {
    return `announces in-app message ${message} and cannot be edited by itself: withdraw the message (appsvc in-app withdraw ${message}), and ${AGAIN}`
  }
  if (seriesId !== null) {
    return `is one time of series ${seriesId} and cannot be edited by itself: change the series (PATCH /v1/series/${seriesId}), or cancel this time`
  }
  if (schedule === null) return `is not scheduled and cannot be edited: it is being sent`
  return undefined
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
