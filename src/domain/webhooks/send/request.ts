import { readRetryAfter } from '../../../platform/net/http.ts'
import { HttpFailure } from '../../../platform/net/http-exchange.ts'
import type { AllowPrivate, SendOutbound } from '../../../platform/net/outbound.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { isoOffset } from '../../../platform/time/clock.ts'
import type { Endpoint, Result } from '../deliveries.service.ts'
import { signedHeaders } from './signature.ts'

/** What a request to an endpoint needs. */
export interface RequestParts {
  send: SendOutbound
  clock: Clock
  allowPrivate: AllowPrivate
  /** Certificate authorities (PEM) besides the built-in ones. */
  ca: readonly string[]
}

/** From the first byte sent to the last one received. */
const DEADLINE_MS = 15_000
/** The answer says nothing that we need beyond its head. */
const MAX_REPLY_BYTES = 4096
/** An endpoint may ask to be left alone for this long at most. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000

/** Sends one message and says what came of it; when `signal` aborts, at once. Throws only for faults of ours. */
export async function requestEndpoint(
  { send, clock, allowPrivate, ca }: RequestParts,
  { url, secrets }: Pick<Endpoint, 'url' | 'secrets'>,
  id: string,
  body: string,
  signal?: AbortSignal,
): Promise<Result> {
  const begun = clock.monotonic()
  const took = () => Math.round(clock.monotonic() - begun)
  try {
    const { status, headers } = await send({
      method: 'POST',
      url,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'appsvc',
        ...signedHeaders(id, clock.now(), body, secrets),
      },
      body,
      ca,
      allowPrivate,
      deadlineMs: DEADLINE_MS,
      largestReply: MAX_REPLY_BYTES,
      signal,
    })
    const retryAfterMs = readRetryAfter(headers['retry-after'], clock.now(), MAX_RETRY_AFTER_MS)
    return { status, reason: refusalOf(status), retryAfterMs, tookMs: took() }
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    return { status: null, reason: error.message, retryAfterMs: undefined, tookMs: took() }
  }
}

/** Sends a message without an event, of the type `appsvc.test`. */
export function sendTestMessage(
  parts: RequestParts,
  endpoint: Pick<Endpoint, 'url' | 'secrets'>,
  webhookId: number,
): Promise<Result> {
  const now = parts.clock.now()
  const body = JSON.stringify({ type: 'appsvc.test', timestamp: isoOffset(now), data: { webhook: webhookId } })
  return requestEndpoint(parts, endpoint, `test_${webhookId}_${now}`, body)
}

/** Why an answer is not a success; null when it is one. */
function refusalOf(status: number): string | null {
  if (status >= 200 && status < 300) return null
  if (status >= 300 && status < 400) return `answered ${status}: redirects are not followed, give the final address`
  return `answered ${status}`
}
