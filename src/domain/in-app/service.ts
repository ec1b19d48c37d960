import type { Measured } from '../audience/confirmation.ts'
import { createRecords } from '../audience/sends.ts'
import type { UserWalk } from '../audience/walk/user-walk.ts'
import type { RefusalsRepository } from '../consent/refusals.repository.ts'
import { type AcceptParts, createAccept, createInAppMeasure } from './accept/accept.ts'
import { createInAppEstimate } from './accept/estimate.ts'
import { createMessagePreview, type MessagePreviewParts } from './accept/preview.ts'
import type { LinkedPushReport } from './fan-out/linked-push.ts'
import type { RecipientsRepository } from './fan-out/recipients.repository.ts'
import type { InAppLanguageCount, InAppLanguageCounts } from './record/language-counts.repository.ts'
import type { ReactionCounts, UserMessagesRepository } from './record/user-messages.repository.ts'
import type { InAppRepository } from './repository.ts'
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

export type InAppService = ReturnType<typeof inAppService>

/** Accepts in-app messages and reports on them. */
export function inAppService(parts: InAppParts) {
  const { repo, reactions, pushes } = parts

  const measure = createInAppMeasure(parts)
  const records = createRecords<InAppMessage>(repo, 'in-app message')

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

    get: records.get,

    /** Messages, newest first, as `createRecords` lists them. */
    async list(appId: number, page: { after?: number | undefined; limit: number }) {
      const { rows: messages, next } = await records.list(appId, page)
      return { messages, next }
    },

    /** Messages that are being given to users, that are next, and that have just ended: at most ten of each. */
    async underWay(appId: number): Promise<InAppUnderWay> {
      const open = await repo.open(appId, LOOKED_AT)
      const isScheduled = ({ status }: InAppMessage) => status === STATUS.scheduled
      const over = await repo.overAmong(appId, LOOKED_AT, SHOWN)
      const ended = await repo.byIds(appId, over)
      return {
        running: open.filter((message) => !isScheduled(message)).slice(0, SHOWN),
        scheduled: open.filter(isScheduled).slice(0, SHOWN),
        ended: ended.sort((a, b) => b.id - a.id),
      }
    },

    /** Throws `not_found`. */
    async report(appId: number, id: number): Promise<InAppReport> {
      const message = await records.get(appId, id)
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
