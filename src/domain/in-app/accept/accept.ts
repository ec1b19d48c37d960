import { type FieldErrors, invalid, isAppError } from '../../../platform/errors.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { createMeasure, type Guard, type Measured, requireConfirmation } from '../../audience/confirmation.ts'
import { firstStatus } from '../../audience/sends.ts'
import { type Catalogue, withoutEmpty } from '../../audience/target.ts'
import type { TargetErrors, UserTarget } from '../../audience/types.ts'
import type { PurposesService } from '../../consent/purposes.service.ts'
import { NO_CONSENT_ASKED } from '../../consent/types.ts'
import { refuseRecurrence } from '../../schedules/recurrence.ts'
import { withUsualHour } from '../../schedules/schedule.ts'
import { renderTemplate, type TemplatesService } from '../../templates/service.ts'
import type { Rendered } from '../../templates/types.ts'
import { type LinkedPushes, pushTtl } from '../fan-out/linked-push.ts'
import type { RecipientsRepository } from '../fan-out/recipients.repository.ts'
import { timetableOf } from '../fan-out/timetable.ts'
import type { InAppRepository } from '../repository.ts'
import type { InAppRequest } from '../request/request.ts'
import type { InAppMessage, Source } from '../types.ts'
import { lookupTarget } from './target.ts'

export interface Accepted {
  /** The message; null when no named user can get it, and nothing is stored. */
  message: InAppMessage | null
  errors: TargetErrors
  /** The target as it is stored; null when nothing is stored. */
  target: UserTarget | null
}

export interface AcceptParts {
  repo: Pick<InAppRepository, 'insert' | 'setNotification' | 'find'>
  recipients: Pick<RecipientsRepository, 'namedInstalls' | 'namedUsers'>
  templates: Pick<TemplatesService, 'get'>
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
  const { repo, recipients, templates, pushes, catalogue, purposes, clock, defaultTtl, defaultZone } = parts

  /** The content of a message: its template with the values. Adds wrong values to `wrong`. */
  async function render(appId: number, request: InAppRequest, wrong: FieldErrors): Promise<Rendered | undefined> {
    const template = await templates.get(appId, request.template)
    const { content } = request
    if (content === undefined && template.tags.length > 0)
      wrong.content = ['is required: the template has dynamic tags']
    return gather(wrong, () => renderTemplate(template, content ?? {}))
  }

  return async function accept(
    appId: number,
    source: Source,
    request: InAppRequest,
    measured?: Measured,
  ): Promise<Accepted> {
    const { targeting, notification = null, ttlMs = null, consent = NO_CONSENT_ASKED } = request
    refuseRecurrence(request)
    const now = request.occurrence?.acceptedAt ?? clock.now()
    const wrong: FieldErrors = {}
    const rendered = await render(appId, request, wrong)
    const found = await gather(wrong, () => lookupTarget(recipients, catalogue, appId, targeting, 'target.'))
    await gather(wrong, () => purposes.hold(appId, consent))
    const tooLarge = notification ? await pushes.judge(appId, notification, now) : []
    if (tooLarge.length > 0) wrong.notification = tooLarge
    if (!rendered || !found || Object.keys(wrong).length > 0) throw invalid(wrong)
    const { target, errors, reachable } = found
    if (!reachable) return { message: null, errors, target: null }
    await requireConfirmation(parts.guard, appId, { target, confirm: request.confirm, measured })

    const schedule = await withUsualHour(request.schedule ?? null, () => parts.usualHour(appId))
    const nextAt = schedule ? timetableOf(schedule, now, defaultZone).first() : now
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
      templateVersion: rendered.version,
      tagValues: request.content ?? {},
      notification,
      content: rendered.content,
      data: request.data ?? null,
      inbox: request.inbox ?? null,
      presentedWhen: request.presentedWhen,
      ttlMs,
      schedule,
      ...consent,
      nextAt,
      createdAt: now,
      updatedAt: now,
    })
    if (notification) {
      const push = { messageId: id, announcement: notification, filters, schedule, consent, dueAt: nextAt }
      await repo.setNotification(id, await pushes.open(appId, { ...push, ttlMs: pushTtl(ttlMs, defaultTtl) }))
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

/**
 * Runs `work`; adds the fields it finds invalid to `wrong`, so that one response names them all. Throws other errors.
 */
async function gather<T>(wrong: FieldErrors, work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!isAppError(error) || !error.details.fields) throw error
    Object.assign(wrong, error.details.fields)
    return undefined
  }
}
