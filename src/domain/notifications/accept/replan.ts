import { dueTimes } from '../../schedules/schedule.ts'
import type { RunsRepository } from '../record/runs.repository.ts'
import type { NotificationsRepository } from '../repository.ts'

export interface ReplanParts {
  repo: Pick<NotificationsRepository, 'scheduled'>
  runs: Pick<RunsRepository, 'lockDue' | 'moveDue'>
  defaultZone: string
}

/** A notification that is due at another time now. */
export interface Replanned {
  id: number
  appId: number
}

/**
 * Plans scheduled notifications by the time zone rules of now. Only those at one time in a named zone have it stored: where the
 * zones of installs decide, due times are computed when each run begins.
 */
export function createReplan({ repo, runs, defaultZone }: ReplanParts) {
  /**
   * Plans the next `limit` notifications behind the id `after`, in a transaction. Returns those that were moved, and
   * the last id; undefined at the end. One whose time has passed by the new rules keeps the old one.
   */
  return async function replan(
    after: number,
    limit: number,
  ): Promise<{ moved: Replanned[]; last: number | undefined }> {
    const some = await repo.scheduled(after, limit)
    const moved: Replanned[] = []
    for (const { id, appId, schedule, plannedAt } of some) {
      if (schedule?.strategy !== 'timezone') continue
      const at = dueTimes(schedule, [], plannedAt, defaultZone).due[0]?.at
      if (at === undefined) continue
      await runs.lockDue(id)
      if (await runs.moveDue(appId, id, at)) moved.push({ id, appId })
    }
    return { moved, last: some.length === limit ? some.at(-1)!.id : undefined }
  }
}
