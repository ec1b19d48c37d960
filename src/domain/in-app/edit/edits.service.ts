import { AppError, type FieldErrors, invalid } from '../../../platform/errors.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Measured } from '../../audience/confirmation.ts'
import type { UserWalk } from '../../audience/walk/user-walk.ts'
import { NO_HOUR } from '../../audience/walk/within.ts'
import { type Edit, HELD, isIn, orUndefined, passedEverywhere } from '../../schedules/edit.ts'
import type { Schedule } from '../../schedules/schedule.ts'
import type { TemplatesService } from '../../templates/service.ts'
import type { Accepted, Planning } from '../accept/accept.ts'
import { preparePush } from '../accept/prepare-push.ts'
import { createShownOf, isPersonal, type Shown, type ShownParts } from '../accept/shown.ts'
import { sinceOf } from '../fan-out/fan-out.ts'
import type { LinkedPushes, NewLinkedPush, PreparedPush } from '../fan-out/linked-push.ts'
import { type Timetable, timetableOf } from '../fan-out/timetable.ts'
import type { InAppRepository, LockedMessage } from '../repository.ts'
import type { InAppRequest } from '../request/request.ts'
import type { InAppService } from '../service.ts'
import { type Cursor, type InAppMessage, plannedAtOf, STATUS } from '../types.ts'
import { changesMoreThanTime, editedRequest, isAnnounced, isRendered, keepsPlan } from './merge.ts'
import { refuseClosed } from './refuse-closed.ts'

export interface InAppEditsParts extends Pick<ShownParts, 'judgeLookUp'> {
  repo: Pick<InAppRepository, 'lock' | 'find' | 'edit'>
  planning: Planning
  messages: Pick<InAppService, 'get' | 'measure'>
  templates: Pick<TemplatesService, 'get' | 'version'>
  pushes: Pick<LinkedPushes, 'prepare' | 'move' | 'callOff'>
  users: Pick<UserWalk, 'zoneHours'>
  /** Tells whether the database sends nothing until it is released. */
  isHeld(): Promise<boolean>
  clock: Clock
  /** Time zone of installs that have not told theirs. */
  defaultZone: string
}

/** A push of which only the time, the target and the like change: what it says stays as it is stored. */
const KEPT = 'kept'
type AfterEdit = PreparedPush | typeof KEPT | undefined

const WITHOUT_IT = 'its in-app message goes out without it'

/** Changes scheduled in-app messages of which nothing has begun, each with the push that announces it. */
export function inAppEdits(parts: InAppEditsParts) {
  const { repo, planning, messages, templates, pushes, users, clock, defaultZone } = parts
  const { judge: judgeShown, shownOf } = createShownOf(parts)

  /** The zones, and as far as they matter the hours, in which the app has users. */
  const placesFor = async (appId: number, { isByPlace, isByHour }: Timetable) =>
    isByPlace ? users.zoneHours(appId, { withHours: isByHour }) : [ANYWHERE]

  /** The time that has come for somebody, or at which a walk under way was due; undefined when everything is still to come. */
  async function begunAt(message: LockedMessage, now: number): Promise<number | undefined> {
    const { appId, schedule, nextAt, walkedAt } = message
    if (schedule === null || nextAt === null || message.status !== STATUS.scheduled) return undefined
    if (walkedAt !== null) return nextAt
    if (nextAt > now) return undefined
    const timetable = timetableOf(schedule, plannedAtOf(message), defaultZone)
    const places = await placesFor(appId, timetable)
    const isOver = timetable.next(places, now) === null
    return isOver || timetable.isDue(places, sinceOf(message), now) ? nextAt : undefined
  }

  /** The message, locked against the scheduler until the commit. Throws as `edit` does when it cannot be edited. */
  async function open(appId: number, id: number, now: number): Promise<LockedMessage> {
    const message = await repo.lock(appId, id)
    if (!message) throw new AppError('not_found', `there is no in-app message ${id}`)
    refuseClosed(message, await begunAt(message, now))
    if (await parts.isHeld()) throw new AppError('conflict', `in-app message ${id} ${HELD}`)
    return message
  }

  /** Its template: in the version that it has, or in the newest one when the edit names it. Throws `invalid`, and `not_found`. */
  async function templateOf(
    { appId, template: uid, templateVersion }: InAppMessage,
    request: InAppRequest,
    edit: Edit,
  ) {
    if (isIn(edit, ['template'])) return templates.get(appId, request.template)
    const found = await orUndefined(() => templates.version(appId, uid, templateVersion))
    if (found) return found
    throw invalid({ template: ['was deleted: give another template with its content, or leave the texts as they are'] })
  }

  async function shownAfter(
    before: InAppMessage,
    request: InAppRequest,
    edit: Edit,
    wrong: FieldErrors,
  ): Promise<Shown | undefined> {
    if (isRendered(edit)) return shownOf(before.appId, await templateOf(before, request, edit), request, wrong)
    const { templateVersion: version, content, tagValues, personal } = before
    const { data = null, inbox = null } = request
    const shown = { version, content, tagValues, personal, data, inbox }
    if (isIn(edit, ['data', 'inbox']) && isPersonal(shown)) await judgeShown(before.appId, shown, wrong)
    return shown
  }

  async function pushAfter(
    before: InAppMessage,
    request: InAppRequest,
    edit: Edit,
    { wrong, now }: { wrong: FieldErrors; now: number },
  ): Promise<AfterEdit> {
    if (isAnnounced(before, edit)) return preparePush(pushes, before.appId, request, wrong, now)
    return before.notification === null ? undefined : KEPT
  }

  /** Brings the push of a message in step with it. One that was cancelled by itself stays so, unless the edit names what it says. */
  async function announce(
    { appId, notificationId: id, notification }: InAppMessage,
    after: AfterEdit,
    push: NewLinkedPush,
    isNamed: boolean,
  ): Promise<Pick<InAppMessage, 'notification' | 'notificationId'>> {
    if (after === undefined) {
      if (id !== null) await pushes.callOff(id, WITHOUT_IT)
      return { notification: null, notificationId: null }
    }
    if (after === KEPT) {
      if (id !== null) await pushes.move(appId, id, push)
      return { notification, notificationId: id }
    }
    const isInPlace = id !== null && ((await after.replace(id, push)) || !isNamed)
    return { notification: after.announcement, notificationId: isInPlace ? id : await after.open(push) }
  }

  /** Throws `invalid` for a time at which nobody would get it. */
  async function refusePast(appId: number, schedule: Schedule, now: number): Promise<void> {
    const timetable = timetableOf(schedule, now, defaultZone)
    const places = await placesFor(appId, timetable)
    // While nobody is there, nobody is there for whom it could have passed.
    if (places.length > 0 && places.every((place) => timetable.when(place) === 'passed')) throw passedEverywhere()
  }

  return {
    /**
     * Counts the recipients of an edited message before the transaction that edits it. Undefined when nothing has to be confirmed; what is
     * wrong with the edit is for `edit` to say.
     */
    async measure(appId: number, id: number, edit: Edit): Promise<Measured | undefined> {
      if (!changesMoreThanTime(edit)) return undefined
      return orUndefined(async () => messages.measure(appId, editedRequest(await messages.get(appId, id), edit)))
    },

    /**
     * Changes a scheduled message in the caller's transaction, and plans it anew, with its push: keys of `edit` replace those of its
     * request, and null takes one out; without a time it is due at once. An edit that names neither time nor target leaves its plan alone. Either this comes before anything of it has begun, or it throws.
     * Throws `not_found`; `conflict`, naming what can be done, when something of it has begun or is due, when it is over, belongs to a
     * series, or while the database is held; and as the acceptance of a message does. `message` is null, and nothing is changed, when
     * nobody that was named can get it.
     */
    async edit(appId: number, id: number, edit: Edit, measured?: Measured): Promise<Accepted> {
      const before = await open(appId, id, clock.now())
      // Later than every edit before: copies of what a message shows and of its times are told apart by it.
      const now = Math.max(clock.now(), (before.editedAt ?? 0) + 1)
      const request = editedRequest(before, edit)
      const { shown, target, errors, reachable, push } = await planning.judge<AfterEdit>(appId, request, {
        shown: (wrong) => shownAfter(before, request, edit, wrong),
        push: (wrong) => pushAfter(before, request, edit, { wrong, now }),
      })
      if (!reachable) return { message: null, errors, target: null }
      if (changesMoreThanTime(edit)) await planning.confirm(appId, { target, request, measured })
      const { cursor, ...planned } = keptPlan(before, edit, await planning.plan(appId, request, { shown, target }, now))
      if (planned.schedule !== null && !keepsPlan(edit)) await refusePast(appId, planned.schedule, now)
      const row = planned.schedule === null ? { ...planned, nextAt: clock.now() } : planned
      const announced = await announce(before, push, planning.pushOf(id, row), isIn(edit, ['notification']))
      await repo.edit(before, { ...row, ...announced, cursor, editedAt: now, updatedAt: now })
      return { message: (await repo.find(appId, id))!, errors, target }
    },
  }
}

/**
 * A plan with the place of its fan-out. An edit that keeps the plan leaves both as they are: somebody who came to a zone after its time had
 * passed there gets the message in the last walk, as without the edit. Pure.
 */
function keptPlan<P extends { schedule: Schedule | null; nextAt: number }>(
  before: LockedMessage,
  edit: Edit,
  fresh: P,
): P & { cursor: Cursor } {
  if (!keepsPlan(edit)) return { ...fresh, cursor: {} }
  const { schedule, nextAt, cursor } = before
  return { ...fresh, schedule, nextAt: nextAt ?? fresh.nextAt, cursor: { ...cursor, plannedAt: plannedAtOf(before) } }
}

/** The place of everybody, where due times do not depend on it. */
const ANYWHERE = { zone: null, hour: NO_HOUR }
