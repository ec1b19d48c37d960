import { type FieldErrors, invalid } from '../../../platform/errors.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { createMeasure, type Guard, type Measured, requireConfirmation } from '../../audience/confirmation.ts'
import { firstStatus } from '../../audience/sends.ts'
import { type Catalogue, type LookedUp, withoutEmpty } from '../../audience/target.ts'
import type { TargetErrors, UserTarget } from '../../audience/types.ts'
import type { PurposesService } from '../../consent/purposes.service.ts'
import { NO_CONSENT_ASKED } from '../../consent/types.ts'
import { refuseRecurrence } from '../../schedules/recurrence.ts'
import { withUsualHour } from '../../schedules/schedule.ts'
import { type LinkedPushes, type NewLinkedPush, pushTtl } from '../fan-out/linked-push.ts'
import type { RecipientsRepository } from '../fan-out/recipients.repository.ts'
import { timetableOf } from '../fan-out/timetable.ts'
import type { InAppRepository, MessageChange } from '../repository.ts'
import type { InAppRequest } from '../request/request.ts'
import type { InAppMessage, Source } from '../types.ts'
import { preparePush } from './prepare-push.ts'
import { createShown, gather, type Shown, type ShownParts } from './shown.ts'
import { lookupTarget } from './target.ts'

export interface Accepted {
  /** The message; null when no named user can get it, and nothing is stored. */
  message: InAppMessage | null
  errors: TargetErrors
  /** The target as it is stored; null when nothing is stored. */
  target: UserTarget | null
}

export interface AcceptParts extends ShownParts {
  repo: Pick<InAppRepository, 'insert' | 'setNotification' | 'find'>
  recipients: Pick<RecipientsRepository, 'namedInstalls' | 'namedUsers'>
  guard: Guard<UserTarget>
  pushes: LinkedPushes
  catalogue: Catalogue
  purposes: Pick<PurposesService, 'hold'>
  /** The hour at which the users of an app are most often active, for users whose own hour is unknown. */
  usualHour(appId: number): Promise<number | undefined>
  clock: Clock
  /** Maximum time to live of a linked push, in seconds. */
  defaultTtl: number
  /** Time zone of installs that have not told theirs. */
  defaultZone: string
}

/** The parts of a request that an edit may leave as they are stored. Each adds what is wrong to `wrong`. */
interface Said<P> {
  shown(wrong: FieldErrors): Promise<Shown | undefined>
  push(wrong: FieldErrors): Promise<P | undefined>
}

/** A request of which nothing is wrong. */
interface Judged<P> extends LookedUp<UserTarget> {
  shown: Shown
  push: P | undefined
}

/** A request as it is stored: the message without what never changes of it, and its push. */
type Planned = Omit<MessageChange, 'notification' | 'notificationId' | 'cursor' | 'editedAt' | 'updatedAt'>

/** Checks and plans requests, new ones and those that come of an edit. */
export function createPlanning(parts: Omit<AcceptParts, 'repo' | 'clock'>) {
  const { recipients, catalogue, purposes, defaultTtl, defaultZone } = parts

  return {
    /**
     * Looks a request up. Throws `not_found` for an unknown template; then `invalid` naming every wrong tag, target and size at once.
     */
    async judge<P>(
      appId: number,
      request: InAppRequest,
      { shown: shownOf, push: pushOf }: Said<P>,
    ): Promise<Judged<P>> {
      const { targeting, consent = NO_CONSENT_ASKED } = request
      const wrong: FieldErrors = {}
      const shown = await shownOf(wrong)
      const found = await gather(wrong, () => lookupTarget(recipients, catalogue, appId, targeting, 'target.'))
      await gather(wrong, () => purposes.hold(appId, consent))
      const push = await pushOf(wrong)
      if (!shown || !found || Object.keys(wrong).length > 0) throw invalid(wrong)
      return { ...found, shown, push }
    },

    /** Throws `invalid` when the recipients of a request need confirmation. Without `measured` they are counted now. */
    confirm: (
      appId: number,
      { target, request, measured }: { target: UserTarget; request: InAppRequest; measured: Measured | undefined },
    ): Promise<void> => requireConfirmation(parts.guard, appId, { target, confirm: request.confirm, measured }),

    /** Plans a checked request as of `now`: the row to store, with the time of its first step. */
    async plan(
      appId: number,
      request: InAppRequest,
      { shown, target }: Pick<Judged<unknown>, 'shown' | 'target'>,
      now: number,
    ): Promise<Planned & { nextAt: number }> {
      const { targeting, ttlMs = null, consent = NO_CONSENT_ASKED, labels = null } = request
      const { version, ...content } = shown
      const schedule = await withUsualHour(request.schedule ?? null, () => parts.usualHour(appId))
      return {
        status: firstStatus(schedule),
        statusReason: null,
        filters: withoutEmpty(targeting) as Record<string, unknown>,
        target,
        template: request.template,
        templateVersion: version,
        ...content,
        presentedWhen: request.presentedWhen,
        labels,
        ttlMs,
        schedule,
        ...consent,
        nextAt: schedule ? timetableOf(schedule, now, defaultZone).first() : now + (request.holdMs ?? 0),
      }
    },

    /** The push of a planned message. */
    pushOf: (messageId: number, row: Planned & { nextAt: number }): NewLinkedPush => {
      const { filters, schedule, labels, purpose, transactional, ttlMs, nextAt: dueAt } = row
      const consent = { purpose, transactional }
      return { messageId, filters, schedule, consent, labels, dueAt, ttlMs: pushTtl(ttlMs, defaultTtl) }
    },
  }
}

export type Planning = ReturnType<typeof createPlanning>

/**
 * Accepts a checked request: renders its template, looks up its target, stores the message and makes it due, in the
 * caller's transaction. Throws as `judge` of its planning does; then `invalid` when the recipients need confirmation. `measured` comes
 * from `createInAppMeasure`; without it the recipients are counted inside the transaction.
 */
export function createAccept(parts: AcceptParts) {
  const { repo, pushes, clock } = parts
  const shownBy = createShown(parts)
  const { judge, confirm, plan, pushOf } = createPlanning(parts)

  return async function accept(
    appId: number,
    source: Source,
    request: InAppRequest,
    measured?: Measured,
  ): Promise<Accepted> {
    refuseRecurrence(request)
    const now = request.occurrence?.acceptedAt ?? clock.now()
    const { shown, target, errors, reachable, push } = await judge(appId, request, {
      shown: (wrong) => shownBy(appId, request, wrong),
      push: (wrong) => preparePush(pushes, appId, request, wrong, now),
    })
    if (!reachable) return { message: null, errors, target: null }
    await confirm(appId, { target, request, measured })
    const row = await plan(appId, request, { shown, target }, now)
    const id = await repo.insert({
      ...row,
      appId,
      source,
      seriesId: request.occurrence?.seriesId ?? null,
      notification: push?.announcement ?? null,
      createdAt: now,
      updatedAt: now,
    })
    if (push) await repo.setNotification(id, await push.open(pushOf(id, row)))
    return { message: (await repo.find(appId, id))!, errors, target }
  }
}

/** Counts the recipients of a request before the transaction that accepts it. */
export function createInAppMeasure({
  recipients,
  catalogue,
  guard,
}: Pick<AcceptParts, 'recipients' | 'catalogue' | 'guard'>) {
  return createMeasure(guard, (appId, targeting) => lookupTarget(recipients, catalogue, appId, targeting, ''))
}
