import { type FieldErrors, invalid } from '../../../platform/errors.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { createMeasure, type Guard, type Measured, requireConfirmation } from '../../audience/confirmation.ts'
import { firstStatus } from '../../audience/sends.ts'
import { type Catalogue, withoutEmpty } from '../../audience/target.ts'
import type { TargetErrors, UserTarget } from '../../audience/types.ts'
import type { PurposesService } from '../../consent/purposes.service.ts'
import { NO_CONSENT_ASKED } from '../../consent/types.ts'
import { refuseRecurrence } from '../../schedules/recurrence.ts'
import { withUsualHour } from '../../schedules/schedule.ts'
import { type LinkedPushes, pushTtl } from '../fan-out/linked-push.ts'
import type { RecipientsRepository } from '../fan-out/recipients.repository.ts'
import { timetableOf } from '../fan-out/timetable.ts'
import type { InAppRepository } from '../repository.ts'
import type { InAppRequest } from '../request/request.ts'
import type { InAppMessage, Source } from '../types.ts'
import { preparePush } from './prepare-push.ts'
import { createShown, gather, type ShownParts } from './shown.ts'
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

/**
 * Accepts a checked request: renders its template, looks up its target, stores the message and makes it due, in the
 * caller's transaction. Throws `not_found` for an unknown template; then `invalid` naming every wrong tag, target and
 * size at once; then `invalid` when the recipients need confirmation. `measured` comes from `createInAppMeasure`;
 * without it the recipients are counted inside the transaction.
 */
export function createAccept(parts: AcceptParts) {
  const { repo, recipients, pushes, catalogue, purposes, clock, defaultTtl, defaultZone } = parts
  const shownBy = createShown(parts)

  return async function accept(
    appId: number,
    source: Source,
    request: InAppRequest,
    measured?: Measured,
  ): Promise<Accepted> {
    const { targeting, ttlMs = null, consent = NO_CONSENT_ASKED, labels = null } = request
    refuseRecurrence(request)
    const now = request.occurrence?.acceptedAt ?? clock.now()
    const wrong: FieldErrors = {}
    const shown = await shownBy(appId, request, wrong)
    const found = await gather(wrong, () => lookupTarget(recipients, catalogue, appId, targeting, 'target.'))
    await gather(wrong, () => purposes.hold(appId, consent))
    const push = await preparePush(pushes, appId, request, wrong, now)
    if (!shown || !found || Object.keys(wrong).length > 0) throw invalid(wrong)
    const { version, ...content } = shown
    const { target, errors, reachable } = found
    if (!reachable) return { message: null, errors, target: null }
    await requireConfirmation(parts.guard, appId, { target, confirm: request.confirm, measured })

    const schedule = await withUsualHour(request.schedule ?? null, () => parts.usualHour(appId))
    const nextAt = schedule ? timetableOf(schedule, now, defaultZone).first() : now + (request.holdMs ?? 0)
    const filters = withoutEmpty(targeting) as Record<string, unknown>
    const id = await repo.insert({
      appId,
      source,
      seriesId: request.occurrence?.seriesId ?? null,
      status: firstStatus(schedule),
      statusReason: null,
      filters,
      target,
      template: request.template,
      templateVersion: version,
      notification: push?.announcement ?? null,
      ...content,
      presentedWhen: request.presentedWhen,
      labels,
      ttlMs,
      schedule,
      ...consent,
      nextAt,
      createdAt: now,
      updatedAt: now,
    })
    if (push) {
      const times = { dueAt: nextAt, ttlMs: pushTtl(ttlMs, defaultTtl) }
      await repo.setNotification(id, await push.open({ messageId: id, filters, schedule, consent, labels, ...times }))
    }
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
