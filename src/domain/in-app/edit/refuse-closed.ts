import { AppError } from '../../../platform/errors.ts'
import { isoOffset } from '../../../platform/time/clock.ts'
import { AGAIN, closedBy } from '../../schedules/edit.ts'
import { type InAppMessage, STATUS } from '../types.ts'

/**
 * Throws `conflict`, naming what can be done, for a message that cannot be edited. `dueAt`: the time (ms) that has come for somebody;
 * undefined when nobody is decided on. Pure.
 */
export function refuseClosed(
  message: Pick<InAppMessage, 'id' | 'status' | 'seriesId' | 'schedule'>,
  dueAt: number | undefined,
): void {
  const why =
    closedBy(message, { calledOff: 'withdrawn', callOff: 'withdraw' }) ??
    begunBy(message.status, dueAt, `withdraw it (appsvc in-app withdraw ${message.id}) and ${AGAIN}`)
  if (why !== undefined) throw new AppError('conflict', `in-app message ${message.id} ${why}`)
}

function begunBy(status: number, dueAt: number | undefined, remedy: string): string | undefined {
  if (status !== STATUS.scheduled) return `is being sent and cannot be edited: ${remedy}`
  if (dueAt === undefined) return undefined
  return `cannot be edited any more, because its first due time ${isoOffset(dueAt)} has come: ${remedy}`
}
