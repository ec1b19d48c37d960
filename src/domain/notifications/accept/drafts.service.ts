import type { StoredContent } from '../types.ts'
import { createEstimate, type EstimateParts } from './estimate.ts'
import { expiryOf, payloadsOf } from './payloads.ts'
import { createSendPreview, createSkipping, type SendPreviewParts } from './send-preview.ts'
import type { SendsService } from './sends.service.ts'

export interface DraftsParts extends Omit<EstimateParts, 'skipping'>, SendPreviewParts {
  guard: SendPreviewParts['guard']
  sends: Pick<SendsService, 'contentFor'>
  /** Time to live in seconds of requests without `ttl`. */
  defaultTtl: number
}

/** Answers what a notification would do that is still being written. */
export function draftsService(parts: DraftsParts) {
  const { sends, previewers, sendable, clock, defaultTtl } = parts
  return {
    describe: createSendPreview(parts),

    /** Who would get it, who would not and why, and when. */
    estimate: createEstimate({ ...parts, skipping: createSkipping(parts) }),

    /** What each kind of gateway would be sent, `ttl` in seconds. Throws `invalid` for content that the app may not send. */
    async payloads(appId: number, content: StoredContent, ttl: number | undefined) {
      const whole = await sends.contentFor(appId, { content, contentPath: 'content' })
      return payloadsOf(previewers, await sendable(appId), whole, expiryOf(ttl ?? defaultTtl, clock.now()))
    },
  }
}
