import type { NotificationRequest } from '../request/request.ts'
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

export type DraftsService = ReturnType<typeof draftsService>

/** Answers questions about a notification that is still being written. */
export function draftsService(parts: DraftsParts) {
  const { sends, previewers, sendable, clock, defaultTtl } = parts
  return {
    describe: createSendPreview(parts),

    /** The recipients who would get it, those who would not and the reasons, and the times. */
    estimate: createEstimate({ ...parts, skipping: createSkipping(parts) }),

    /** The payload of this request for each kind of gateway. Throws `invalid` for content that the app may not send. */
    async payloads(appId: number, request: NotificationRequest) {
      const whole = await sends.contentFor(appId, request)
      const { ttl } = request
      return payloadsOf(previewers, await sendable(appId), whole, expiryOf(ttl ?? defaultTtl, clock.now()))
    },
  }
}
