import type { LinkedPushes } from '../fan-out/linked-push.ts'
import type { WalksRepository } from '../fan-out/walks.repository.ts'
import { timetableOf } from './timetable.ts'

export interface ReplanParts {
  walks: Pick<WalksRepository, 'scheduled' | 'lock' | 'moveTo'>
  pushes: Pick<LinkedPushes, 'begin'>
  defaultZone: string
}

/** Plans scheduled messages at one time in a named zone by the time zone rules of now, as notifications are planned anew. */
export function createReplan({ walks, pushes, defaultZone }: ReplanParts) {
  /**
   * In a transaction: the next `limit` behind the id `after`. Returns those that were moved, and the last id; undefined at the
   * end.
   */
  return async function replan(after: number, limit: number) {
    const some = await walks.scheduled(after, limit)
    const moved: { id: number; appId: number }[] = []
    for (const { id, appId, schedule, nextAt: before, createdAt, notificationId } of some) {
      if (schedule?.strategy !== 'timezone') continue
      const nextAt = timetableOf(schedule, createdAt, defaultZone).first()
      if (nextAt === before || !(await walks.lock(id))) continue
      await walks.moveTo(appId, id, nextAt)
      if (notificationId !== null) await pushes.begin(notificationId, { isLast: false, nextAt })
      moved.push({ id, appId })
    }
    return { moved, last: some.length === limit ? some.at(-1)!.id : undefined }
  }
}
