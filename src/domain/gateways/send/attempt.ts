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

/** How often a request that the peer certainly did not process is repeated at once; after that the delivery decides. */
const FREE_RETRIES = 3

/** What one request came to: an answer to read, or an outcome because there is none, with what was thrown. */
export type Attempt = { reply: PushReply } | { outcome: Outcome; error: unknown }

/**
 * Sends one request and repeats it at once, at most three times, while the peer certainly did nothing with it
 * (docs/reference/promises.md section 4). Never throws.
 */
export async function attempt(pool: Http2Pool, request: PushRequest): Promise<Attempt> {
  for (let repeats = 0; ; repeats++) {
    try {
      return { reply: await pool.request(request) }
    } catch (error) {
      if (error instanceof Http2Failure && isFree(error) && repeats < FREE_RETRIES) continue
      return { outcome: outcomeOfFailure(error), error }
    }
  }
}

function isFree(failure: Http2Failure): boolean {
  return failure.kind === 'not_processed' || failure.kind === 'calm'
}

/** The outcome of a request that has no reply. */
export function outcomeOfFailure(error: unknown): Outcome {
  const reason = messageOf(error)
  // Anything else is a fault of ours after which nobody can say whether the request left.
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

/** A pool, or why the settings make none (an address that is no origin, a PEM text that does not parse). */
export function tryOpenPool(openPool: OpenPool, options: PoolOptions): Http2Pool | Error {
  try {
    return openPool(options)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** A configured gateway address -> the origin of its pool and what stands before the vendor's path. */
export function splitAddress(address: string): { origin: string; prefix: string } {
  const url = new URL(address)
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') }
}
