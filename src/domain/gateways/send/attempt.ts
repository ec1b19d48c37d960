import { messageOf } from '../../../platform/errors.ts'
import {
  Http2Failure,
  type Http2Pool,
  type OpenPool,
  type PoolOptions,
  type PushReply,
  type PushRequest,
} from '../../../platform/http2/types.ts'
import type { Outcome } from '../gateway.ts'

/** Max immediate repeats of a request that the peer certainly did not process. After that the delivery decides. */
export const FREE_RETRIES = 3

/** The result of one request: a reply, or the outcome and the error if there is none. */
export type Attempt = { reply: PushReply } | { outcome: Outcome; error: unknown }

/**
 * Sends one request. Repeats it at once, at most three times, if the peer certainly did not process it
 * (docs/reference/promises.md section 4). Never throws.
 */
export async function attempt(pool: Http2Pool, request: PushRequest): Promise<Attempt> {
  for (let repeats = 0; ; repeats++) {
    try {
      return { reply: await pool.request(request) }
    } catch (error) {
      if (isFree(error) && repeats < FREE_RETRIES) continue
      return { outcome: outcomeOfFailure(error), error }
    }
  }
}

/** Tells whether the peer certainly did nothing with the request. */
export function isFree(error: unknown): boolean {
  return error instanceof Http2Failure && (error.kind === 'not_processed' || error.kind === 'calm')
}

/** The outcome of a request that has no reply. */
export function outcomeOfFailure(error: unknown): Outcome {
  const reason = messageOf(error)
  // Any other error is a bug of ours, after which it is unknown whether the request was sent.
  const kind = error instanceof Http2Failure ? error.kind : 'uncertain'
  switch (kind) {
    case 'not_processed':
    case 'unreachable':
      return { kind: 'gateway_down', reason }
    case 'calm':
      return { kind: 'throttled_gateway', reason }
    case 'untrusted':
    case 'rejected':
      return { kind: 'config_error', reason }
  }
  return { kind, reason }
}

/** A pool, or the error if the settings are unusable (an address that is not an origin, PEM that does not parse). */
export function tryOpenPool(openPool: OpenPool, options: PoolOptions): Http2Pool | Error {
  try {
    return openPool(options)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** A configured gateway address -> the pool's origin, and the path prefix before the vendor's path. */
export function splitAddress(address: string): { origin: string; prefix: string } {
  const url = new URL(address)
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') }
}
