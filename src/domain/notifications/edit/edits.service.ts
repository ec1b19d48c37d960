import { AppError } from '../../../platform/errors.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Measured } from '../../audience/confirmation.ts'
import { type Edit, HELD, isIn, orUndefined, passedEverywhere, timeOf } from '../../schedules/edit.ts'
import type { Accepted, SendsService } from '../accept/sends.service.ts'
import type { NewRun } from '../record/ledger.repository.ts'
import type { RunsRepository } from '../record/runs.repository.ts'
import type { NotificationsService } from '../report/service.ts'
import type { NotificationsRepository } from '../repository.ts'
import type { NotificationRequest } from '../request/request.ts'
import type { NotificationRecord } from '../types.ts'
import { changesMoreThanTime, editedRequest } from './merge.ts'
import { refuseClosed } from './refuse-closed.ts'

export interface EditsParts {
  repo: Pick<NotificationsRepository, 'edit' | 'insertUserMeta' | 'deleteUserMeta'>
  runs: Pick<RunsRepository, 'lockDue' | 'firstBegun' | 'deleteAll'>
  notifications: Pick<NotificationsService, 'get' | 'again'>
  sends: Pick<SendsService, 'judge' | 'whole' | 'confirm' | 'plan' | 'makeDue' | 'measure'>
  /** Tells whether the database sends nothing until it is released. */
  isHeld(): Promise<boolean>
  clock: Clock
}

/** Changes scheduled notifications of which nothing has begun. */
export function editsService({ repo, runs, notifications, sends, isHeld, clock }: EditsParts) {
  /** The request that comes of an edit, with the content of the push template that the edit names. */
  async function requestOf(notification: NotificationRecord, edit: Edit): Promise<NotificationRequest> {
    const { appId, id, schedule } = notification
    const stored = { ...(await notifications.again(appId, id)), ...timeOf(schedule) }
    return sends.whole(appId, editedRequest(notification, stored, edit))
  }

  /** The notification, locked against the scheduler until the commit. Throws as `edit` does when it cannot be edited. */
  async function open(appId: number, id: number, now: number): Promise<NotificationRecord> {
    // Before the lock, which does not know of apps.
    await notifications.get(appId, id)
    await runs.lockDue(id)
    const notification = await notifications.get(appId, id)
    refuseClosed(notification, await runs.firstBegun(id, now))
    if (await isHeld()) throw new AppError('conflict', `notification ${id} ${HELD}`)
    return notification
  }

  return {
    /** Locks the notification until the commit, as an edit and a cancellation of it do first. Throws `not_found`. */
    async lock(appId: number, id: number): Promise<void> {
      // Before the lock, which does not know of apps.
      await notifications.get(appId, id)
      await runs.lockDue(id)
    },

    /**
     * Counts the recipients of an edited notification before the transaction that edits it. Undefined when nothing has to be
     * confirmed; what is wrong with the edit is for `edit` to say.
     */
    async measure(appId: number, id: number, edit: Edit): Promise<Measured | undefined> {
      if (!changesMoreThanTime(edit)) return undefined
      return orUndefined(async () => sends.measure(appId, await requestOf(await notifications.get(appId, id), edit)))
    },

    /**
     * Changes a scheduled notification in the caller's transaction, and plans it anew: keys of `edit` replace those of its request, and
     * null takes one out; without a time it is due at once. Either this comes before anything of it has begun, or it throws. Throws
     * `not_found`; `conflict`, naming what can be done, when something of it has begun or is due, when it is over, belongs to a
     * series or an in-app message, or while the database is held; and as the acceptance of a send does. `notification` is null, and
     * nothing is changed, when nobody that was named can be reached.
     */
    async edit(appId: number, id: number, edit: Edit, measured?: Measured): Promise<Accepted> {
      const now = clock.now()
      const before = await open(appId, id, now)
      const request = await requestOf(before, edit)
      const { content, target, errors, reachable, reached } = await sends.judge(appId, request)
      if (!reachable) return { notification: null, errors }
      if (changesMoreThanTime(edit)) await sends.confirm(appId, { target, request, measured })
      const { row, planned } = await sends.plan(appId, request, { content, target, now })
      if (row.schedule !== null) refusePast(planned)
      const { filters, ...kept } = row
      // An erasure may be taking a name out of a target that stays.
      const change = { ...(isIn(edit, ['target']) ? { ...kept, filters } : kept), editedAt: now, updatedAt: now }
      await repo.edit(before, change)
      await runs.deleteAll(appId, id)
      if (Object.hasOwn(edit, 'userMeta')) await changeUserMeta(before, request)
      const notification = { ...before, ...change }
      await sends.makeDue(notification, { planned, reached })
      return { notification, errors }
    },
  }

  async function changeUserMeta({ appId, id }: NotificationRecord, { userMeta }: NotificationRequest): Promise<void> {
    await repo.deleteUserMeta(appId, id)
    if (userMeta) await repo.insertUserMeta(appId, id, userMeta)
  }
}

/** Throws `invalid` for a time at which nobody would get it. */
function refusePast(planned: readonly NewRun[]): void {
  const isForSomebody = planned.some(({ kind, within }) => kind === 'send' && within?.places.length !== 0)
  // Without a run that skips, nobody is there yet for whom it could have passed.
  if (!isForSomebody && planned.some(({ kind }) => kind === 'skip')) throw passedEverywhere()
}
