import { AppError } from '../../platform/errors.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { parseJson, present } from '../../platform/values/parse.ts'
import type { AppsService } from '../apps/service.ts'
import type { Measured } from '../audience/confirmation.ts'
import type { Accepted, SendsService } from '../notifications/accept/sends.service.ts'
import type { NotificationRequest } from '../notifications/request/request.ts'
import { fromMessagesForm, messagesForm } from '../notifications/schema.ts'
import { type PersonalParts, SOURCE } from '../notifications/types.ts'
import { sendPush } from '../series/send.ts'
import type { SeriesService } from '../series/service.ts'
import type { ApprovalsRepository } from './repository.ts'
import type { Approval, ApprovalState, Approver } from './types.ts'

/** Maximum number of approvals of an app, decided ones included. */
const MOST = 100
const DAY_MS = 86_400_000
const KEPT_DAYS = 30

export interface ApprovalsParts {
  repo: ApprovalsRepository
  apps: Pick<AppsService, 'needsSecondPerson'>
  sends: Pick<SendsService, 'accept' | 'judge' | 'measure' | 'wholeBody'>
  series: Pick<SeriesService, 'createPush'>
  clock: Clock
}

/** Pushes that wait until a second person approves them. Servers send without: this is for people. */
export function approvalsService({ repo, apps, sends, series, clock }: ApprovalsParts) {
  async function waiting(appId: number, id: number): Promise<Approval & { request: Record<string, unknown> }> {
    const { request, state, ...rest } = await get(appId, id)
    if (state !== 'waiting' || request === null) {
      throw new AppError('conflict', `this push was ${state} already by ${rest.decidedName}`)
    }
    return { ...rest, state, request }
  }

  async function get(appId: number, id: number): Promise<Approval> {
    const found = await repo.find(appId, id)
    if (!found) throw new AppError('not_found', `there is no push ${id} that waits for approval`)
    return found
  }

  const requestOf = ({ template, ...body }: Record<string, unknown>, confirm?: number): NotificationRequest => {
    const request = fromMessagesForm(parseJson(messagesForm, body))
    const content = { ...request.content, ...present({ template: template as PersonalParts['template'] }) }
    return { ...request, content, ...present({ confirm }) }
  }

  async function decide(appId: number, id: number, state: ApprovalState, by: Approver, notificationId: number | null) {
    const decision = { state, decidedName: by.name, decidedAt: clock.now(), notificationId }
    if (!(await repo.decide(appId, id, decision))) await waiting(appId, id)
    return get(appId, id)
  }

  return {
    /** Throws `not_found`. */
    get,

    /** Approvals, newest first; `next` leads to older ones. */
    async list(
      appId: number,
      query: { state?: ApprovalState | undefined; after?: number | undefined; limit: number },
    ): Promise<{ approvals: Approval[]; next: number | null }> {
      const approvals = await repo.list(appId, query)
      return { approvals, next: approvals.length < query.limit ? null : approvals.at(-1)!.id }
    },

    /** Throws `forbidden` in an app in which a second person must approve: the push has to be asked for, or `instead` be done. */
    async requireNone(appId: number, instead = 'ask for approval instead of sending it'): Promise<void> {
      if (!(await apps.needsSecondPerson(appId))) return
      const message = `in this app a second person approves each push: ${instead}`
      throw new AppError('forbidden', message, { body: { error: message, code: 'second_person' } })
    },

    /**
     * Stores a push that waits. It is checked like a send. Throws the errors of `judge`, and `conflict` when the app
     * has the maximum number that wait. The content of a push template becomes its own, so that what is approved is what is sent.
     */
    async ask(appId: number, given: Record<string, unknown>, by: Approver): Promise<Approval> {
      const whole = await sends.wholeBody(appId, given, requestOf(given))
      const body = { ...whole.body, ...present({ template: whole.template }) }
      const request = requestOf(body)
      await sends.judge(appId, request)
      const isFull = (await repo.countUpTo(appId, MOST)) >= MOST
      if (isFull && !(await repo.dropOldestDecided(appId))) {
        throw new AppError('conflict', `${MOST} pushes wait for approval already: decide some of them first`)
      }
      return repo.insert({
        appId,
        state: 'waiting',
        request: body,
        title: [...request.content.title].slice(0, 255).join(''),
        requestedBy: by.id,
        requestedName: by.name,
        requestedAt: clock.now(),
        decidedName: null,
        decidedAt: null,
        notificationId: null,
      })
    },

    /** The size of one that waits, counted before the transaction that approves it. Throws as `approve` does. */
    async measure(appId: number, id: number, confirm: number | undefined): Promise<Measured> {
      const { request } = await waiting(appId, id)
      return sends.measure(appId, requestOf(request, confirm))
    },

    /**
     * Sends it after `holdMs`. Throws `not_found`; `conflict` when it was decided already; `forbidden` for the person who asked;
     * and the errors of a send. `accepted.notification` is null when nobody can be reached any more: then it still waits.
     */
    async approve(
      appId: number,
      id: number,
      by: Approver,
      { holdMs, confirm, measured }: { holdMs: number; confirm?: number | undefined; measured?: Measured | undefined },
    ): Promise<{ approval: Approval; accepted: Accepted }> {
      const { request, requestedBy } = await waiting(appId, id)
      if (requestedBy === by.id) throw new AppError('forbidden', 'you wrote this push: somebody else must approve it')
      const asked = { ...requestOf(request, confirm), holdMs }
      const body = confirm === undefined ? request : { ...request, confirm }
      const sent = { source: SOURCE.console, body, request: asked, measured }
      const accepted = await sendPush({ sends, series }, appId, sent)
      if (accepted.notification === null) return { approval: await get(appId, id), accepted }
      return { approval: await decide(appId, id, 'approved', by, accepted.notification.id), accepted }
    },

    /** Declines or withdraws it. Throws `not_found`, and `conflict` when it was decided already. */
    async decline(appId: number, id: number, by: Approver): Promise<Approval> {
      await waiting(appId, id)
      return decide(appId, id, 'declined', by, null)
    },

    /** Forgets approvals of a month ago, also those that still wait. At most `limit`; returns how many. */
    forget: (limit: number) => repo.forget(clock.now() - KEPT_DAYS * DAY_MS, limit),
  }
}
