import { Unreadable } from '../../../platform/values/unreadable.ts'
import { isSchedule } from '../../schedules/schedule.ts'
import type { LinkedPushes } from '../fan-out/linked-push.ts'
import { timetableOf } from '../fan-out/timetable.ts'
import type { WalksRepository } from '../fan-out/walks.repository.ts'

export interface ReplanParts {
  walks: Pick<WalksRepository, 'openIds' | 'find' | 'lock' | 'moveTo'>
  pushes: Pick<LinkedPushes, 'begin'>
  defaultZone: string
}

/** More messages than are ever open at a time. */
const MOST_OPEN = 100_000

/** Plans scheduled messages at one time in a named zone by the time zone rules of now, as notifications are planned anew. */
export function createReplan({ walks, pushes, defaultZone }: ReplanParts) {
  /** One that cannot be read keeps its time and ends when it is due; the others are not held up by it. */
  async function findReadable(id: number) {
    try {
      return await walks.find(id)
    } catch (error) {
      if (error instanceof Unreadable) return undefined
      throw error
    }
  }

  /**
   * In a transaction: the next `limit` behind the id `after`. Returns those that were moved, and the last id; undefined at the
   * end.
   */
  return async function replan(after: number, limit: number) {
    const some = (await walks.openIds(MOST_OPEN)).filter((id) => id > after).slice(0, limit)
    const moved: { id: number; appId: number }[] = []
    for (const id of some) {
      const message = await findReadable(id)
      if (message?.schedule?.strategy !== 'timezone' || message.walkedAt !== null) continue
      // One that cannot be read ends with its reason when it is due.
      if (!isSchedule(message.schedule)) continue
      const { appId, schedule, nextAt: before, createdAt, notificationId } = message
      const nextAt = timetableOf(schedule, createdAt, defaultZone).first()
      if (nextAt === before || !(await walks.lock(id))) continue
      await walks.moveTo(appId, id, nextAt)
      if (notificationId !== null) await pushes.begin(notificationId, { isLast: false, nextAt })
      moved.push({ id, appId })
    }
    return { moved, last: some.length === limit ? some.at(-1)! : undefined }
  }
}
