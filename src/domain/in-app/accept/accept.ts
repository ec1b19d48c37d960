import type { Clock } from '../../../platform/clock.ts'
import { type FieldErrors, invalid, isAppError } from '../../../platform/errors.ts'
import { type Guard, type Measured, measureSend, requireConfirmation } from '../../audience/confirmation.ts'
import { type Catalogue, withoutEmpty } from '../../audience/target.ts'
import type { TargetErrors } from '../../audience/types.ts'
import { withUsualHour } from '../../schedules/schedule.ts'
import { renderTemplate, type TemplatesService } from '../../templates/service.ts'
import type { Rendered } from '../../templates/types.ts'
import { type LinkedPushes, pushTtl } from '../fan-out/linked-push.ts'
import type { RecipientsRepository } from '../fan-out/recipients.repository.ts'
import type { InAppRepository } from '../repository.ts'
import type { InAppRequest } from '../request/request.ts'
import { type InAppMessage, type InAppTarget, type Source, STATUS } from '../types.ts'
import { lookupTarget } from './target.ts'
import { timetableOf } from './timetable.ts'

export interface Accepted {
  /** Null when nobody that was named can get it: then nothing is stored. */
  message: InAppMessage | null
  errors: TargetErrors
  /** To whom, as it is stored; null when nothing is. */
  target: InAppTarget | null
}

export interface AcceptParts {
  repo: Pick<InAppRepository, 'insert' | 'setNotification' | 'find'>
  recipients: Pick<RecipientsRepository, 'namedInstalls' | 'namedUsers'>
  templates: Pick<TemplatesService, 'get'>
  guard: Guard<InAppTarget>
  pushes: LinkedPushes
  catalogue: Catalogue
  /** When the users of an app are most often active, for those of whom it is not known. */
  usualHour(appId: number): Promise<number | undefined>
  clock: Clock
  /** Seconds: what a linked push has at most. */
  defaultTtl: number
  /** Zone of installs that did not say theirs. */
  defaultZone: string
}

/**
 * Takes a checked request: renders its template, looks its targets up, stores it and makes it due. Everything in the caller's
 * transaction. Throws `not_found` for an unknown template, then `invalid` that names every wrong tag, target and size at once, and
 * then when it goes to more users than are confirmed. `measured` is what was found before the transaction (`createMeasure`); without it
 * they are counted inside.
 */
export function createAccept(parts: AcceptParts) {
  const { repo, recipients, templates, pushes, catalogue, clock, defaultTtl, defaultZone } = parts

  /** What a message says: its template with the values. Wrong values are added to `wrong`. */
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
    const { targeting, notification = null, ttlMs = null } = request
    const now = clock.now()
    const wrong: FieldErrors = {}
    const rendered = await render(appId, request, wrong)
    const found = await gather(wrong, () => lookupTarget(recipients, catalogue, appId, targeting, 'target.'))
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
      status: schedule ? STATUS.scheduled : STATUS.queued,
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
      nextAt,
      createdAt: now,
      updatedAt: now,
    })
    if (notification) {
      const push = { messageId: id, announcement: notification, filters, schedule, dueAt: nextAt }
      await repo.setNotification(id, await pushes.open(appId, { ...push, ttlMs: pushTtl(ttlMs, defaultTtl) }))
    }
    return { message: (await repo.find(appId, id))!, errors, target }
  }
}

/** Counts whom a request goes to as far as its app wants to know it, before the transaction that takes it. */
export function createMeasure(parts: Pick<AcceptParts, 'recipients' | 'catalogue' | 'guard'>) {
  const { recipients, catalogue, guard } = parts
  return (appId: number, request: InAppRequest): Promise<Measured> =>
    measureSend(guard, appId, request.confirm, async () => {
      const { target } = await lookupTarget(recipients, catalogue, appId, request.targeting, '')
      return target
    })
}

/** Runs `work` and adds what it finds invalid to `wrong`, so that one answer names everything. Other errors go through. */
async function gather<T>(wrong: FieldErrors, work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!isAppError(error) || !error.details.fields) throw error
    Object.assign(wrong, error.details.fields)
    return undefined
  }
}
