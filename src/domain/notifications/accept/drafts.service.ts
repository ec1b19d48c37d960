import type { AskedPerson } from '../../personalization/request/person.ts'
import type { Draft } from '../request/draft.ts'
import type { NotificationRequest } from '../request/request.ts'
import { createEstimate, type EstimateParts } from './estimate.ts'
import { expiryOf, payloadsOf } from './payloads.ts'
import { createPersonalPreview, type PersonalPreviewParts, personalPartsOf } from './personal-preview.ts'
import { createSendPreview, createSkipping, type SendPreviewParts } from './send-preview.ts'
import type { SendsService } from './sends.service.ts'

export interface DraftsParts extends Omit<EstimateParts, 'skipping' | 'cover'>, SendPreviewParts, PersonalPreviewParts {
  guard: SendPreviewParts['guard']
  audience: EstimateParts['audience'] & PersonalPreviewParts['audience']
  book: EstimateParts['book'] & PersonalPreviewParts['book']
  sends: Pick<SendsService, 'contentFor'>
  /** Time to live in seconds of requests without `ttl`. */
  defaultTtl: number
}

export type DraftsService = ReturnType<typeof draftsService>

/** Answers questions about a notification that is still being written. */
export function draftsService(parts: DraftsParts) {
  const { sends, previewers, sendable, clock, defaultTtl } = parts
  const personal = createPersonalPreview(parts)

  /** The content as it would be stored. Throws `invalid` for content that the app may not send. */
  async function draftOf(appId: number, request: NotificationRequest): Promise<Draft> {
    const content = await sends.contentFor(appId, request)
    const { userMeta, ttl } = request
    return { content, userMeta, expiresAt: expiryOf(ttl ?? defaultTtl, clock.now()) }
  }

  return {
    describe: createSendPreview(parts),

    /** The recipients who would get it, those who would not and the reasons, and the times. */
    estimate: createEstimate({ ...parts, skipping: createSkipping(parts), cover: personal.cover }),

    draftOf,
    /** The push as one person gets it. Throws `not_found` when there is no such person. */
    render: personal.render,
    /** The content as an install gets it, by its row. */
    forInstall: personal.forInstall,
    /** Counts an audience, and tells what a sample of it would get. */
    measure: personal.measure,

    /**
     * The payload for each kind of gateway, and the push as the person gets it who is asked for. Throws `invalid` for content that the
     * app may not send, and `not_found` when there is no such person.
     */
    async payloads(appId: number, request: NotificationRequest, asked?: AskedPerson) {
      const draft = await draftOf(appId, request)
      const rendered = asked && (await personal.render(appId, draft, asked))
      const payloads = payloadsOf(previewers, await sendable(appId), draft.content, draft.expiresAt)
      return { payloads, ...personalPartsOf(draft, { rendered }) }
    },
  }
}
