import { type FieldErrors, invalid } from '../../../platform/errors.ts'
import { type SizeLimit, sizeProblem } from '../../../platform/json/json.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Base } from '../../../platform/wiring.ts'
import { createMeasure, type Guard, type Measured, requireConfirmation } from '../../audience/confirmation.ts'
import { firstStatus } from '../../audience/sends.ts'
import { type Catalogue, lookupTarget, type PushBook, withoutEmpty } from '../../audience/target.ts'
import type { Target, TargetErrors } from '../../audience/types.ts'
import type { Audience } from '../../audience/walk/install-walk.ts'
import type { PurposesService } from '../../consent/purposes.service.ts'
import { NO_CONSENT_ASKED } from '../../consent/types.ts'
import type { GatewaysService } from '../../gateways/service.ts'
import type { JudgeLookUp } from '../../personalization/people/judge-look-ups.ts'
import type { TemplateContext } from '../../personalization/types.ts'
import { refuseRecurrence } from '../../schedules/recurrence.ts'
import { isByPlace, withUsualHour } from '../../schedules/schedule.ts'
import { planRuns } from '../fan-out/plan.ts'
import { judgePersonalContent, leastContents } from '../personal/judge.ts'
import { formPath } from '../personal/texts.ts'
import type { Ledger, NewRun } from '../record/ledger.repository.ts'
import type { RunsRepository } from '../record/runs.repository.ts'
import type { NotificationsRepository } from '../repository.ts'
import { concerning, judgeSize, type Previewer } from '../request/content-size.ts'
import {
  isSmall,
  type NotificationRequest,
  type PushTemplateBody,
  type Unfinished,
  urlPathOf,
} from '../request/request.ts'
import { type NewNotification, type Notification, SOURCE, type Source, STATUS, type StoredContent } from '../types.ts'
import { type AtOnceParts, pagesAtOnce } from './at-once.ts'
import { requireEntitlement } from './critical.ts'
import { expiryOf } from './payloads.ts'
import type { JudgedRequest } from './send-preview.ts'

export type FindPushTemplate = (
  appId: number,
  uid: string,
) => Promise<{ version: number; body: PushTemplateBody } | undefined>

export interface Accepted {
  /** Null when nobody that was named can be reached: then nothing is stored. */
  notification: Notification | null
  errors: TargetErrors
}

/** A request as it is stored: the notification without what never changes of it, and its runs. */
export interface Planned {
  row: Omit<NewNotification, 'appId' | 'source' | 'seriesId' | 'isTest' | 'createdAt' | 'updatedAt'>
  planned: NewRun[]
}

/** The runs of a stored notification, and what may take their place. */
interface DueAs extends Pick<Planned, 'planned'> {
  /** The recipients, as `judge` has found them in the same transaction. */
  reached: JudgedRequest['reached'] | undefined
  holdMs?: number | undefined
}

export interface SendsParts {
  repo: Pick<NotificationsRepository, 'insert' | 'insertUserMeta'>
  runs: Pick<RunsRepository, 'insert'>
  ledger: Pick<Ledger, 'insertPages'>
  audience: Pick<Audience, 'zones'>
  /** The gateways of apps. All but `lanes` is called only when the content or its size needs it. */
  gateways: AtOnceParts['gateways'] & Pick<GatewaysService, 'platforms' | 'siteUrl' | 'allowsCritical'>
  /** Maximum recipients per page. */
  pageSize: number
  /** Tells threads of work, once the transaction has committed. */
  wake: Base['wake']
  /** Tells whether the database sends nothing until it is released. */
  isHeld(): Promise<boolean>
  guard: Guard<Target>
  /** The hour at which the users of an app are most often active, for users whose own hour is unknown. */
  usualHour(appId: number): Promise<number | undefined>
  book: PushBook
  catalogue: Catalogue
  purposes: Pick<PurposesService, 'hold'>
  /** Judges a look-up against the data tables of an app. */
  judgeLookUp: JudgeLookUp
  /** The newest version of a push template; undefined when the app has none of this uid. */
  pushTemplate: FindPushTemplate
  /** Every kind of gateway. A notification must keep the size limits of those of its app. */
  previewers: readonly Previewer[]
  clock: Clock
  /** Time to live in seconds of requests without `ttl`. */
  defaultTtl: number
  /** Time zone of installs that have not told theirs. */
  defaultZone: string
  /** Maximum size of `reportingMeta`, and of the `userMeta` of one user; absent: no limit. */
  maxMeta?: SizeLimit
}

const NO_WEBSITE =
  'is a path, and the website of the app is not known: give the whole address, or set siteUrl of the safari gateway'

export type SendsService = ReturnType<typeof sendsService>

/** Takes in notifications. */
export function sendsService(parts: SendsParts) {
  const { repo, runs, audience, gateways, book, catalogue, purposes, previewers, clock, defaultTtl, defaultZone } =
    parts

  /** Every platform gets an absolute URL: only a push to the website itself could use a path. */
  async function withWholeUrl(
    appId: number,
    request: Pick<NotificationRequest, 'content' | 'contentPath'>,
  ): Promise<StoredContent> {
    const { content } = request
    const isPath = (url: string | undefined) => url?.startsWith('/') === true
    const { languages } = content
    const variants = Object.entries(languages ?? {}).filter(([, { url }]) => isPath(url))
    if (!isPath(content.url) && variants.length === 0) return content
    const siteUrl = await gateways.siteUrl(appId)
    const paths = [
      ...(isPath(content.url) ? [urlPathOf(request)] : []),
      ...variants.map(([tag]) => formPath(`content.languages.${tag}.url`, request.contentPath)),
    ]
    if (siteUrl === undefined) throw invalid(Object.fromEntries(paths.map((path) => [path, [NO_WEBSITE]])))
    // The parser would escape the braces of a template text; its path begins with a slash anyway.
    const whole = (path: string) => (content.personalize ? new URL(siteUrl).origin + path : new URL(path, siteUrl).href)
    return {
      ...content,
      ...(isPath(content.url) && { url: whole(content.url!) }),
      ...(languages && {
        languages: {
          ...languages,
          ...Object.fromEntries(variants.map(([tag, one]) => [tag, { ...one, url: whole(one.url!) }])),
        },
      }),
    }
  }

  /** The template that a request names. Throws `invalid` when there is none. */
  async function templateOf(appId: number, { uid, path }: Unfinished) {
    const template = await parts.pushTemplate(appId, uid)
    if (template) return template
    const why = 'is the uid of no push template: create it (appsvc push-templates create), or give title and message'
    throw invalid({ [path]: [why] })
  }

  /** The request with the content of the push template that it names. Throws `invalid` when it cannot have that. */
  async function whole(appId: number, request: NotificationRequest): Promise<NotificationRequest> {
    const { unfinished, content: _, ...own } = request
    if (!unfinished) return request
    const { version, body } = await templateOf(appId, unfinished)
    const finished = unfinished.finish(body)
    return { ...finished, ...own, content: { ...finished.content, template: { uid: unfinished.uid, version } } }
  }

  /** The content as it is stored. Throws `invalid` when the app may not send it, whatever its size. `own`: what its texts may read. */
  async function contentFor(
    appId: number,
    given: NotificationRequest,
    own?: Pick<TemplateContext, 'meta'>,
  ): Promise<StoredContent> {
    const request = await whole(appId, given)
    const content = await withWholeUrl(appId, request)
    const wrong = await judgePersonalContent(parts.judgeLookUp, appId, content, request.contentPath, own)
    if (Object.keys(wrong).length > 0) throw invalid(wrong)
    await requireEntitlement(gateways.allowsCritical, appId, content)
    return content
  }

  /** Checks a request as `accept` does, but for confirmation, and stores nothing. Throws as `accept` does. */
  async function judge(appId: number, given: NotificationRequest): Promise<JudgedRequest> {
    const request = await whole(appId, given)
    const { targeting, contentPath, userMeta = {}, reportingMeta = null, consent = NO_CONSENT_ASKED } = request
    refuseLargeMeta({ userMeta, reportingMeta }, parts.maxMeta)
    const content = await contentFor(appId, request)
    const expiresAt = expiryOf(ttlOf(request) / 1000, clock.now())
    await refuseLargeContent(appId, content, contentPath, expiresAt)
    await purposes.hold(appId, consent)
    const found = await lookupTarget(book, catalogue, appId, targeting, request.targetPath ?? '')
    return { ...found, content, consent, expiresAt }
  }

  /** Throws `invalid` when the content is too large for a gateway of the app, in whichever language. */
  async function refuseLargeContent(
    appId: number,
    content: StoredContent,
    contentPath: string,
    expiresAt: number,
  ): Promise<void> {
    const errors: FieldErrors = {}
    for (const { path, content: one } of leastContents(content, contentPath)) {
      const tooLarge = judgeSize(one, previewers, expiresAt)
      const refusals = tooLarge.length > 0 ? concerning(tooLarge, await gateways.platforms(appId)) : []
      if (refusals.length > 0) errors[path ?? contentPath] = refusals
    }
    if (Object.keys(errors).length > 0) throw invalid(errors)
  }

  /** Time to live in milliseconds. */
  function ttlOf({ ttl = defaultTtl }: NotificationRequest): number {
    return ttl * 1000
  }

  /**
   * Takes in a checked request: looks up its target, stores the notification and makes it due, now or as scheduled, in the
   * caller's transaction. Throws `invalid` when the content is too large for a gateway or metadata for the events that carry
   * it, when the recipients need confirmation, when the URL is a path but the app has no website, and when the content is
   * critical but the app may not send that. Without `measured` the recipients are counted inside the transaction.
   */
  async function accept(
    appId: number,
    source: Source,
    given: NotificationRequest,
    measured?: Measured,
  ): Promise<Accepted> {
    const request = await whole(appId, given)
    refuseRecurrence(request)
    const now = request.occurrence?.acceptedAt ?? clock.now()
    const { content, target, errors, reachable, reached } = await judge(appId, request)
    // The response of the legacy form has no `errors`: the notification is stored, and its report says what went wrong.
    if (!reachable && source !== SOURCE.legacy) return { notification: null, errors }
    if (reachable) await confirm(appId, { target, request, measured })

    const { row, planned } = await plan(appId, request, { content, target, now })
    const notification = await repo.insert({
      ...row,
      appId,
      source,
      seriesId: request.occurrence?.seriesId ?? null,
      isTest: request.isTest ?? false,
      ...(!reachable && { status: STATUS.failed, statusReason: describeUnreachable(errors) }),
      createdAt: now,
      updatedAt: now,
    })
    if (row.hasUserMeta) await repo.insertUserMeta(appId, notification.id, request.userMeta!)
    if (reachable) await makeDue(notification, { planned, reached, holdMs: request.holdMs })
    return { notification, errors }
  }

  /** Throws `invalid` when the recipients of a request need confirmation. Without `measured` they are counted now. */
  function confirm(
    appId: number,
    { target, request, measured }: { target: Target; request: NotificationRequest; measured: Measured | undefined },
  ): Promise<void> {
    return requireConfirmation(parts.guard, appId, { target, confirm: request.confirm, measured })
  }

  /** Plans a checked request as of `now`: the row to store, and its runs. */
  async function plan(
    appId: number,
    request: NotificationRequest,
    { content, target, now }: Pick<JudgedRequest, 'content' | 'target'> & { now: number },
  ): Promise<Planned> {
    const { targeting, userMeta = {}, reportingMeta = null, labels = null, consent = NO_CONSENT_ASKED } = request
    const ttlMs = ttlOf(request)
    const schedule = await withUsualHour(request.schedule ?? null, () => parts.usualHour(appId))
    const known = request.occurrence?.zones
    const zones = schedule && isByPlace(schedule) ? (known ?? (await audience.zones(appId, target))) : []
    const planned = planRuns({ schedule, zones, now, defaultZone, ttlMs, holdMs: request.holdMs })
    const due = planned.filter(({ kind, within }) => kind === 'send' && within?.places.length !== 0)
    const row = {
      status: firstStatus(schedule),
      statusReason: null,
      filters: withoutEmpty(targeting) as Record<string, unknown>,
      target,
      content,
      reportingMeta,
      labels,
      hasUserMeta: Object.keys(userMeta).length > 0,
      schedule,
      dueAt: schedule && Math.min(...(due.length > 0 ? due : planned).map(({ dueAt }) => dueAt)),
      oneTry: ttlMs === 0,
      rateLimit: request.rateLimit ?? null,
      ...consent,
      expiresAt: Math.max(now, ...planned.map(({ dueAt }) => dueAt)) + ttlMs,
    }
    return { row, planned }
  }

  /** Makes a stored notification due: now or as it is planned. */
  async function makeDue(
    { appId, id, schedule, rateLimit, oneTry, updatedAt: now }: Notification,
    { planned, reached, holdMs = 0 }: DueAs,
  ): Promise<void> {
    // Behind a hold, whoever has the installs when it ends gets the push: a run finds them then.
    const isDueNow = schedule === null && holdMs === 0 && rateLimit === null && !(await parts.isHeld())
    const pages = isDueNow ? await pagesAtOnce(parts, { appId, reached, oneTry }, now) : undefined
    parts.wake(pages ? 'senders' : 'all')
    if (!pages) await runs.insert(appId, id, planned)
    else
      await parts.ledger.insertPages(
        pages.map((page) => ({ ...page, notificationId: id })),
        now,
      )
  }

  const measure = createMeasure(parts.guard, (appId, targeting) => lookupTarget(book, catalogue, appId, targeting, ''))

  return {
    accept,
    judge,
    confirm,
    plan,
    makeDue,
    whole,
    contentFor,
    /** The body of a request with the content of its push template, and which one that is. Throws `invalid` as `judge` does. */
    async wholeBody(appId: number, body: Record<string, unknown>, { unfinished }: NotificationRequest) {
      if (!unfinished) return { body, template: undefined }
      const { version, body: template } = await templateOf(appId, unfinished)
      return { body: unfinished.bodyWith(template), template: { uid: unfinished.uid, version } }
    },
    /** Counts the recipients of a request before the transaction that accepts it. */
    measure,
    /** `measure` where it takes long; undefined for a request that `accept` counts in no time. */
    measureLarge: async (appId: number, request: NotificationRequest): Promise<Measured | undefined> =>
      isSmall(request) ? undefined : measure(appId, request),
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
  // Usually many users with little each: measure all of them at once first.
  if (sizeProblem(userMeta, limit) !== undefined) {
    for (const [identifier, meta] of Object.entries(userMeta)) judge(`userMeta.${identifier}`, meta)
  }
  if (Object.keys(errors).length > 0) throw invalid(errors)
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
