import type { Answer } from '../stand-in/exchange.ts'
import type { WebService } from './subscriptions.ts'

/** Refusals of push services, under our own names, because each service words them differently. */
export const WEB_REASONS = {
  BadHeaders: 400,
  KeyMismatch: 403,
  BadJwtToken: 403,
  NotFound: 404,
  Gone: 410,
  PayloadTooLarge: 413,
  TooManyRequests: 429,
  InternalError: 500,
  Overloaded: 503,
  RetryAtOnce: 503,
  /** UnifiedPush: no phone subscribes for it at the moment. */
  NoSubscriber: 507,
} as const
export type WebReason = keyof typeof WEB_REASONS

/** Mozilla's numbers (autopush documentation). */
const ERRNO: Record<WebReason, number> = {
  BadHeaders: 110,
  KeyMismatch: 109,
  BadJwtToken: 109,
  NotFound: 102,
  Gone: 106,
  PayloadTooLarge: 104,
  TooManyRequests: 201,
  InternalError: 999,
  Overloaded: 201,
  RetryAtOnce: 202,
  NoSubscriber: 999,
}

/** ntfy's numbers and texts (binwiederhier/ntfy, server/errors.go). Its others are of this form, too. */
const NTFY: Partial<Record<WebReason, [code: number, error: string]>> = {
  TooManyRequests: [42901, 'limit reached: too many requests'],
  NoSubscriber: [50701, 'cannot publish to UnifiedPush topic without previously active subscriber'],
}

/** A refusal in the words of a push service. `detail` says what is wrong with the request. */
export function webError(service: WebService, reason: WebReason, detail: string = reason): Answer {
  switch (service) {
    case 'mozilla': {
      const status = reason === 'KeyMismatch' || reason === 'BadJwtToken' ? 401 : WEB_REASONS[reason]
      return json(status, { code: status, errno: ERRNO[reason], error: detail, message: detail })
    }
    case 'apple':
      if (reason === 'KeyMismatch') return json(400, { reason: 'VapidPkHashMismatch' })
      return json(WEB_REASONS[reason], { reason: reason === 'Gone' ? 'Unregistered' : reason })
    case 'unifiedpush': {
      const http = WEB_REASONS[reason]
      const [code, error] = NTFY[reason] ?? [http * 100 + 1, detail]
      return json(http, { code, http, error })
    }
    case 'google':
      return {
        status: WEB_REASONS[reason],
        headers: { 'content-type': 'text/plain' },
        body: reason === 'KeyMismatch' ? MISMATCH : `${detail}\n`,
      }
  }
}

const MISMATCH =
  'the VAPID credentials in the authorization header do not correspond to the credentials used to create the subscriptions.\n'

function json(status: number, body: unknown): Answer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}
