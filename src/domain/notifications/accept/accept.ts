import type { Clock } from '../../../platform/clock.ts'
import { type FieldErrors, invalid } from '../../../platform/errors.ts'
import { type SizeLimit, sizeProblem } from '../../../platform/json.ts'
import { type Guard, type Measured, measureSend, requireConfirmation } from '../../audience/confirmation.ts'
import type { Audience } from '../../audience/resolve.ts'
import { type AddressBook, type Catalogue, lookupTarget, withoutEmpty } from '../../audience/target.ts'
import type { Target, TargetErrors } from '../../audience/types.ts'
import type { Platform } from '../../gateways/registry.ts'
import { isByPlace, withUsualHour } from '../../schedules/schedule.ts'
import type { RunsRepository } from '../fan-out/runs.repository.ts'
import type { NotificationsRepository } from '../repository.ts'
import { type NotificationRequest, urlPathOf } from '../request/request.ts'
import { type Notification, SOURCE, type Source, STATUS, type StoredContent } from '../types.ts'
import { concerning, judgeSize, type Previewer } from './content-size.ts'
import { planRuns } from './plan.ts'

export interface Accepted {
  /** Null when nobody that was named can be reached: then nothing is stored. */
  notification: Notification | null
  errors: TargetErrors
}

export interface AcceptParts {
  repo: Pick<NotificationsRepository, 'insert' | 'insertUserMeta'>
  runs: Pick<RunsRepository, 'insert'>
  audience: Pick<Audience, 'zones'>
  guard: Guard<Target>
  /** When the users of an app are most often active, for those of whom it is not known. */
  usualHour(appId: number): Promise<number | undefined>
  book: AddressBook
  catalogue: Catalogue
  /** Every gateway there is. A notification must keep the size limits of those that its app has. */
  previewers: readonly Previewer[]
  /** The address of the app's website, undefined when it is not known. Asked only for a path. */
  siteUrl(appId: number): Promise<string | undefined>
  /** The gateways that an app has. Asked only when one of all limits is exceeded. */
  configured(appId: number): Promise<Platform[]>
  clock: Clock
  /** Seconds, for requests that say nothing. */
  defaultTtl: number
  /** Zone of installs that did not say theirs. */
  defaultZone: string
  /** What `reportingMeta` may have, and the `userMeta` of one user; absent: any size. */
  largestMeta?: SizeLimit
}

/**
 * Takes a checked request: looks its targets up, stores it and makes it due, now or as scheduled. Everything in the caller's transaction.
 * Throws `invalid` when the content is too large for a gateway, metadata for the events that carry it, or the audience for what is
 * confirmed, and when the content has a path for an address and the app no website. `measured` is what was found before the
 * transaction (`createMeasure`); without it the audience is counted inside.
 */
export function createAccept(parts: AcceptParts) {
  const { repo, runs, audience, book, catalogue, previewers, clock, defaultTtl, defaultZone } = parts

  /** Every platform gets the whole address: only a website's own push could do with a path. */
  async function withWholeUrl(appId: number, request: NotificationRequest): Promise<StoredContent> {
    const { content } = request
    if (!content.url?.startsWith('/')) return content
    const siteUrl = await parts.siteUrl(appId)
    if (siteUrl !== undefined) return { ...content, url: new URL(content.url, siteUrl).href }
    const why =
      'is a path, and the website of the app is not known: give the whole address, or set siteUrl of the safari gateway'
    throw invalid({ [urlPathOf(request)]: [why] })
  }

  return async function accept(
    appId: number,
    source: Source,
    request: NotificationRequest,
    measured?: Measured,
  ): Promise<Accepted> {
    const { targeting, contentPath, userMeta = {}, reportingMeta = null } = request
    refuseLargeMeta({ userMeta, reportingMeta }, parts.largestMeta)
    const now = clock.now()
    const content = await withWholeUrl(appId, request)
    const ttlMs = (request.ttl ?? defaultTtl) * 1000
    const tooLarge = judgeSize(content, previewers, now + ttlMs)
    const refusals = tooLarge.length > 0 ? concerning(tooLarge, await parts.configured(appId)) : []
    if (refusals.length > 0) throw invalid({ [contentPath]: refusals })

    const { target, errors, reachable } = await lookupTarget(
      book,
      catalogue,
      appId,
      targeting,
      request.targetPath ?? '',
    )
    // The legacy answer has no place for errors: its notification is stored, and its report tells what went wrong.
    if (!reachable && source !== SOURCE.legacy) return { notification: null, errors }

    if (reachable) await requireConfirmation(parts.guard, appId, { target, confirm: request.confirm, measured })

    const schedule = await withUsualHour(request.schedule ?? null, () => parts.usualHour(appId))
    const zones = schedule && isByPlace(schedule) ? await audience.zones(appId, target) : []
    const planned = planRuns({ schedule, zones, now, defaultZone, ttlMs })
    const hasUserMeta = Object.keys(userMeta).length > 0
    const notification = await repo.insert({
      appId,
      source,
      status: reachable ? (schedule ? STATUS.scheduled : STATUS.queued) : STATUS.failed,
      statusReason: reachable ? null : describeUnreachable(errors),
      filters: withoutEmpty(targeting) as Record<string, unknown>,
      target,
      content,
      reportingMeta,
      hasUserMeta,
      schedule,
      rateLimit: request.rateLimit ?? null,
      expiresAt: Math.max(now, ...planned.map(({ dueAt }) => dueAt)) + ttlMs,
      createdAt: now,
      updatedAt: now,
    })
    if (hasUserMeta) await repo.insertUserMeta(appId, notification.id, userMeta)
    if (reachable) await runs.insert(appId, notification.id, planned)
    return { notification, errors }
  }
}

function refuseLargeMeta(
  { userMeta, reportingMeta }: { userMeta: Record<string, unknown>; reportingMeta: Record<string, unknown> | null },
  limit: SizeLimit | undefined,
): void {
  const errors: FieldErrors = {}
  const judge = (path: string, value: unknown) => {
    const tooLarge = sizeProblem(value, limit)
    if (tooLarge !== undefined) errors[path] = [tooLarge]
  }
  judge('reportingMeta', reportingMeta)
  // Of many users each has little: all together are looked at once.
  if (sizeProblem(userMeta, limit) !== undefined) {
    for (const [identifier, meta] of Object.entries(userMeta)) judge(`userMeta.${identifier}`, meta)
  }
  if (Object.keys(errors).length > 0) throw invalid(errors)
}

/** Counts whom a request goes to as far as its app wants to know it, before the transaction that takes it. */
export function createMeasure(parts: Pick<AcceptParts, 'book' | 'catalogue' | 'guard'>) {
  const { book, catalogue, guard } = parts
  return (appId: number, request: NotificationRequest): Promise<Measured> =>
    measureSend(guard, appId, request.confirm, async () => {
      const { target } = await lookupTarget(book, catalogue, appId, request.targeting, '')
      return target
    })
}

function describeUnreachable(errors: TargetErrors): string {
  const parts = [
    [errors.unknownInstallIds, 'unknown installs'],
    [errors.unsubscribedInstallIds, 'unsubscribed installs'],
    [errors.unknownUserIds, 'unknown users'],
    [errors.unsubscribedUserIds, 'unsubscribed users'],
  ] as const
  const found = parts.flatMap(([ids, what]) => (ids ? [`${what}: ${ids.length}`] : []))
  return `nobody who was named can be reached (${found.join(', ')})`
}
