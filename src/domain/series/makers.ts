import { fieldNames, parseJson } from '../../platform/values/parse.ts'
import type { Measured } from '../audience/confirmation.ts'
import type { Source } from '../audience/sends.ts'
import type { Audience } from '../audience/walk/install-walk.ts'
import type { Accepted as AcceptedMessage } from '../in-app/accept/accept.ts'
import type { LinkedPushes } from '../in-app/fan-out/linked-push.ts'
import type { InAppRepository } from '../in-app/repository.ts'
import { fromInAppForm, type InAppRequest, inAppForm } from '../in-app/request/request.ts'
import type { InAppService } from '../in-app/service.ts'
import type { Source as InAppSource } from '../in-app/types.ts'
import { STATUS as IN_APP_STATUS } from '../in-app/types.ts'
import type { Accepted, SendsService } from '../notifications/accept/sends.service.ts'
import type { Ledger } from '../notifications/record/ledger.repository.ts'
import type { RunsRepository } from '../notifications/record/runs.repository.ts'
import type { NotificationsRepository } from '../notifications/repository.ts'
import type { NotificationRequest } from '../notifications/request/request.ts'
import { fromMessagesForm, messagesForm } from '../notifications/schema.ts'
import { STATUS } from '../notifications/types.ts'
import type { OccurrenceOf, Recurrence } from '../schedules/recurrence.ts'
import type { Series, SeriesKind, SeriesOccurrence } from './types.ts'

/** The parts of a request that a series knows. */
export interface Request {
  recurrence: Recurrence | undefined
  /** The segment to which it goes, and the template and push template that it names. */
  segment: string | null
  template: string | null
  pushTemplate: string | null
  /** The first words, for lists: the title of a push, the template of an in-app message. */
  title: string
}

/** The result of making an occurrence; both ids are null when nobody can be reached. */
export interface Made<A> {
  accepted: A
  notificationId: number | null
  messageId: number | null
}

/** Reads the time zones that installs of an app are in. */
export type ReadZones = Audience['zonesInUse']

/** Makes the sends of one kind of series. Everything but `read` runs in the caller's transaction. */
export interface Maker<R extends Request = Request, A = unknown> {
  /** The keys that a body may have. */
  keys: readonly string[]
  /** Reads a stored or given body as the form does. Throws `invalid`. */
  read(body: Record<string, unknown>): R
  /** Accepts one occurrence, as a request for its time would be. Without `measured` its confirmation is asked for. */
  accept(
    appId: number,
    source: Source,
    request: R,
    occurrence: OccurrenceOf,
    measured: Measured | undefined,
  ): Promise<Made<A>>
  /** The time zones that accepting an occurrence would read, so that nobody waits for it; undefined where it reads none. */
  zones(appId: number, request: R, inUse: ReadZones): Promise<readonly (string | null)[] | undefined>
  /** Calls an occurrence off that has not begun; returns whether it did. */
  callOff(appId: number, id: number, why: string): Promise<boolean>
  /** The status of each of these, by its id. */
  statuses(appId: number, ids: readonly number[]): Promise<ReadonlyMap<number, number>>
  /** Tells whether an occurrence was sent too late to count, or will be. `late`: the last time at which it may begin (ms). */
  isMissed(appId: number, id: number, late: number): Promise<boolean>
}

export interface MakersParts {
  sends: Pick<SendsService, 'accept' | 'judge'>
  audience: Pick<Audience, 'zones'>
  sent: Pick<NotificationsRepository, 'find' | 'byIds'>
  runs: Pick<RunsRepository, 'lockDue' | 'cancelDue' | 'span'>
  ledger: Pick<Ledger, 'setStatus'>
  inApp: Pick<InAppService, 'accept'>
  messages: Pick<InAppRepository, 'lock' | 'withdraw' | 'byIds'>
  pushes: Pick<LinkedPushes, 'callOff'>
  now(): number
}

type PushRequest = Request & { asked: NotificationRequest }
type MessageRequest = Request & { asked: InAppRequest }

export interface Makers {
  push: Maker<PushRequest, Accepted>
  'in-app': Maker<MessageRequest, AcceptedMessage>
}

/** The makers of both kinds. */
export function createMakers(parts: MakersParts): Makers {
  return { push: pushMaker(parts), 'in-app': messageMaker(parts) }
}

function pushMaker({ sends, audience, sent, runs, ledger, now }: MakersParts): Makers['push'] {
  return {
    keys: fieldNames(messagesForm),
    read(body) {
      const { recurrence, ...asked } = fromMessagesForm(parseJson(messagesForm, body))
      const segment = asked.targeting.segmentUuid ?? null
      const pushTemplate = asked.unfinished?.uid ?? null
      const title = asked.content.title || (pushTemplate ?? '')
      return { asked, recurrence, segment, template: null, pushTemplate, title }
    },
    async accept(appId, source, { asked }, occurrence, measured) {
      const accepted = await sends.accept(appId, source, { ...asked, occurrence }, measured)
      return { accepted, notificationId: accepted.notification?.id ?? null, messageId: null }
    },
    async zones(appId, { asked }, inUse) {
      if (asked.schedule?.strategy !== 'local') return undefined
      return audience.zones(appId, (await sends.judge(appId, asked)).target, inUse)
    },
    async callOff(appId, id, why) {
      // While these locks are held no step can be stored.
      await runs.lockDue(id)
      const found = await sent.find(appId, id)
      if (found?.status !== STATUS.scheduled) return false
      await ledger.setStatus(id, [STATUS.scheduled], STATUS.cancelled, why, now())
      await runs.cancelDue(id)
      return true
    },
    statuses: async (appId, ids) => statusesOf(await sent.byIds(appId, ids)),
    async isMissed(appId, id, late) {
      const found = await sent.find(appId, id)
      if (!found || found.status === STATUS.cancelled) return false
      const { lastBegun } = await runs.span(id)
      return lastBegun === null ? now() > late : lastBegun > late
    },
  }
}

function messageMaker({ inApp, messages, pushes, now }: MakersParts): Makers['in-app'] {
  return {
    keys: fieldNames(inAppForm),
    read(body) {
      const { recurrence, ...asked } = fromInAppForm(parseJson(inAppForm, body))
      const segment = asked.targeting.segmentUuid ?? null
      const pushTemplate = asked.notification?.template ?? null
      return { asked, recurrence, segment, template: asked.template, pushTemplate, title: asked.template }
    },
    async accept(appId, source, { asked }, occurrence, measured) {
      const accepted = await inApp.accept(appId, source as InAppSource, { ...asked, occurrence }, measured)
      return { accepted, notificationId: null, messageId: accepted.message?.id ?? null }
    },
    // Its due times are read when they come.
    zones: async () => undefined,
    async callOff(appId, id, why) {
      // While this lock is held, no step of the message can be stored.
      const message = await messages.lock(appId, id)
      if (message?.status !== IN_APP_STATUS.scheduled) return false
      await messages.withdraw(id, now(), why)
      if (message.notificationId !== null) await pushes.callOff(message.notificationId)
      return true
    },
    statuses: async (appId, ids) => statusesOf(await messages.byIds(appId, ids)),
    // A message that comes late is still given to its users: it disturbs nobody.
    isMissed: async () => false,
  }
}

function statusesOf(found: readonly { id: number; status: number }[]): Map<number, number> {
  return new Map(found.map(({ id, status }) => [id, status]))
}

/** The id of what was made for an occurrence. */
export function idOf({ notificationId, messageId }: Pick<SeriesOccurrence, 'notificationId' | 'messageId'>) {
  return notificationId ?? messageId
}

/** The body with which one occurrence is accepted: that of the series, with the time of the occurrence. */
export function bodyAt({ request }: Pick<Series, 'request'>, schedule: object): Record<string, unknown> {
  return { ...request, schedule }
}

/** The maker of a kind. */
export const makerOf = (makers: Makers, kind: SeriesKind): Maker => makers[kind]
