import { Unreadable } from '../../../platform/values/unreadable.ts'
import { isSchedule } from '../../schedules/schedule.ts'
import type { LinkedPushes } from '../fan-out/linked-push.ts'
import { timetableOf } from '../fan-out/timetable.ts'
import type { WalksRepository } from '../fan-out/walks.repository.ts'
import { plannedAtOf } from '../types.ts'

export interface ReplanParts {
  walks: Pick<WalksRepository, 'openIds' | 'find' | 'lock' | 'moveTo'>
  pushes: Pick<LinkedPushes, 'begin'>
  defaultZone: string
}

/** Maximum number of open messages that are read, far above the number that there ever is. */
const MOST_OPEN = 100_000

/**
 * Plans scheduled messages at one time in a named zone by the present time zone rules, as scheduled notifications are planned
 * again.
 */
export function createReplan({ walks, pushes, defaultZone }: ReplanParts) {
  /**
   * Finds a message; undefined when its row cannot be read. Such a message keeps its time, ends when it is due, and does not
   * hold up the others.
   */
  async function findReadable(id: number) {
    try {
      return await walks.find(id)
    } catch (error) {
      if (error instanceof Unreadable) return undefined
      throw error
    }
  }

  /**
   * Plans the next `limit` messages behind the id `after`, in a transaction. Returns the messages that were moved, and
   * the last id; undefined at the end.
   */
  return async function replan(after: number, limit: number) {
    const some = (await walks.openIds(MOST_OPEN)).filter((id) => id > after).slice(0, limit)
    const moved: { id: number; appId: number }[] = []
    for (const id of some) {
      const message = await findReadable(id)
      if (message?.schedule?.strategy !== 'timezone' || message.walkedAt !== null) continue
      // One that cannot be read ends with its reason when it is due.
      if (!isSchedule(message.schedule)) continue
      const { appId, schedule, nextAt: before, notificationId } = message
      const nextAt = timetableOf(schedule, plannedAtOf(message), defaultZone).first()
      if (nextAt === before || !(await walks.lock(id))) continue
      await walks.moveTo(appId, id, nextAt)
      if (notificationId !== null) await pushes.begin(notificationId, { isLast: false, nextAt })
      moved.push({ id, appId })
    }
    return { moved, last: some.length === limit ? some.at(-1)! : undefined }
  }
}
