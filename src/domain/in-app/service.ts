import { readFittingPage, readInOrder, readWeighedPage } from '../../platform/db/pages.ts'
import { invalid } from '../../platform/errors.ts'
import type { Measured } from '../audience/confirmation.ts'
import { createGet, type ORDERS } from '../audience/sends.ts'
import type { UserWalk } from '../audience/walk/user-walk.ts'
import type { RefusalsRepository } from '../consent/refusals.repository.ts'
import { labelOf } from '../labels/schema.ts'
import { type AcceptParts, createAccept, createInAppMeasure } from './accept/accept.ts'
import { createInAppEstimate } from './accept/estimate.ts'
import { createMessagePreview, type MessagePreviewParts } from './accept/preview.ts'
import type { LinkedPushReport } from './fan-out/linked-push.ts'
import type { RecipientsRepository } from './fan-out/recipients.repository.ts'
import type { InAppLanguageCount, InAppLanguageCounts } from './record/language-counts.repository.ts'
import type { ReactionCounts, UserMessagesRepository } from './record/user-messages.repository.ts'
import { type InAppRepository, type LabelledRow, timeIn } from './repository.ts'
import { type InAppRequest, isSmall } from './request/request.ts'
import { type InAppMessage, STATUS } from './types.ts'

/** A message with its results: most counts are in the record itself. */
export interface InAppReport {
  message: InAppMessage
  /** The results of the linked push; null when the message has none. */
  push: LinkedPushReport | null
  /** Users by the language in which they got it; empty when it has only one. */
  languages: InAppLanguageCount[]
}

export interface InAppParts extends AcceptParts, MessagePreviewParts {
  repo: InAppRepository
  reactions: Pick<UserMessagesRepository, 'pending'>
  languages: Pick<InAppLanguageCounts, 'languages'>
  recipients: RecipientsRepository
  users: Pick<UserWalk, 'walk'>
  refusals: Pick<RefusalsRepository, 'rulesOf' | 'users'>
}

/** The number of messages of each kind that are shown, and the number among which they are looked for. */
const SHOWN = 10
const LOOKED_AT = 100

/** Messages of an app that are in progress. Each message has its counts; `nextAt` of a scheduled one is its due time. */
export interface InAppUnderWay {
  running: InAppMessage[]
  scheduled: InAppMessage[]
  /** Ended messages, newest first. */
  ended: InAppMessage[]
}

/** The query of a list. */
interface Asked {
  after?: number | undefined
  limit: number
  label?: string | undefined
  order?: (typeof ORDERS)[number] | undefined
}

export type InAppService = ReturnType<typeof inAppService>

/** Accepts in-app messages and reports on them. */
export function inAppService(parts: InAppParts) {
  const { repo, reactions, pushes } = parts

  const measure = createInAppMeasure(parts)
  const get = createGet<InAppMessage>(repo, 'in-app message')

  const isGone = (id: number) =>
    invalid({ after: [`in-app message ${id} is not there any more: begin the list again without after`] })

  /** Newest first. The last message before is looked for only where nothing follows it: that saves a statement for each page. */
  async function newest(appId: number, after: number | undefined, limit: number) {
    const page = await readWeighedPage(
      limit,
      (most) => repo.list(appId, after, most),
      (ids) => repo.byIds(appId, ids),
    )
    if (page.rows.length === 0 && after !== undefined && !(await repo.find(appId, after))) throw isGone(after)
    return page
  }

  /** In that order; with a label those that carry it. */
  async function list(appId: number, { after, limit, label, order = 'created' }: Asked) {
    if (order === 'created' && label === undefined) return newest(appId, after, limit)
    const last = after === undefined ? undefined : await repo.find(appId, after)
    const isPlaced = last !== undefined && (order === 'created' || timeIn(order, last) !== null)
    if (after !== undefined && !isPlaced) throw isGone(after)
    const read = (ids: readonly number[]) => repo.byIds(appId, ids)
    if (order === 'created') return readWeighedPage(limit, (most) => repo.listLabelled(appId, label!, last, most), read)
    const look = (most: number) => repo.listByTime(appId, order, last, most)
    if (label === undefined) return readWeighedPage(limit, look, read)
    const fits = ({ labels }: LabelledRow) => (JSON.parse(labels ?? '[]') as string[]).includes(label)
    return readFittingPage(limit, look, { fits, read })
  }

  return {
    accept: createAccept(parts),

    measure,
    /** `measure` where it takes long; undefined for a request that `accept` counts in no time. */
    measureLarge: async (appId: number, request: InAppRequest): Promise<Measured | undefined> =>
      isSmall(request) ? undefined : measure(appId, request),

    /** The users who would get a message that is still being written, and those who would not, with the reasons. */
    estimate: createInAppEstimate(parts),

    /** A message that is still being written, as a user would get it, or in one language. */
    preview: createMessagePreview(parts),

    get,

    /**
     * Messages, newest first by the time of their creation or in another order; with a label those that carry it. Throws `invalid`
     * when the list cannot go on after `after`, because that message is not in it any more.
     */
    async list(appId: number, { label, ...asked }: Asked) {
      const { rows: messages, next } = await list(appId, {
        ...asked,
        label: label === undefined ? undefined : labelOf(label),
      })
      return { messages, next }
    },

    /** Messages that are being given to users, that are next, and that have just ended: at most ten of each. */
    async underWay(appId: number): Promise<InAppUnderWay> {
      const open = await repo.open(appId, LOOKED_AT)
      const isScheduled = ({ status }: InAppMessage) => status === STATUS.scheduled
      const over = await repo.overAmong(appId, LOOKED_AT, SHOWN)
      return {
        running: open.filter((message) => !isScheduled(message)).slice(0, SHOWN),
        scheduled: open.filter(isScheduled).slice(0, SHOWN),
        ended: await readInOrder(over, (ids) => repo.byIds(appId, ids)),
      }
    },

    /** Throws `not_found`. */
    async report(appId: number, id: number): Promise<InAppReport> {
      const message = await get(appId, id)
      // Counts that are not yet added to the record, because another transaction was writing it.
      for (const [kind, count] of Object.entries(await reactions.pending(appId, id))) {
        message[kind as keyof ReactionCounts] += count
      }
      const { notificationId, personal } = message
      const languages = personal?.languages ? await parts.languages.languages(appId, id) : []
      const push = notificationId === null ? null : await pushes.report(appId, notificationId)
      return { message, push, languages }
    },
  }
}
