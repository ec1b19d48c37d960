import { createHash } from 'node:crypto'
import { type Areas } from '../app.ts'
import { AppError, invalid } from '../platform/errors.ts'
import { isStorable } from '../platform/json.ts'
import { Reply } from './route.ts'

/** The header of an answer that was given before. */
export const REPLAYED = 'Idempotency-Replayed'

/** `Idempotency-Key` of a POST: the caller's key, and a fingerprint of what the key stands for. */
export interface Idempotency {
  key: string
  fingerprint: string
}

/** Reads the header. Throws `invalid` when it is unusable. `body` is the parsed body: white space does not make another request. */
export function idempotencyOf(
  header: string | undefined,
  method: string,
  path: string,
  body: unknown,
): Idempotency | undefined {
  if (header === undefined) return undefined
  if (header === '' || header.length > 255 || !isStorable(header)) {
    throw invalid({ 'Idempotency-Key': ['must have 1 to 255 characters'] })
  }
  const fingerprint = createHash('sha256')
    .update(`${method} ${path}\n${JSON.stringify(body)}`)
    .digest('hex')
  return { key: header, fingerprint }
}

/**
 * Runs `run` once for a key, inside the caller's transaction: the answer is stored with the work, so a repeat gets the first
 * answer and nothing happens twice, also after a crash. The same key for another request is 422. A refusal leaves the key unused.
 */
export async function once(app: Areas, appId: number, id: Idempotency, run: () => Promise<Reply>): Promise<Reply> {
  const first = await app.idempotency.begin(appId, id.key, id.fingerprint)
  if (first !== 'new') {
    if (first.fingerprint !== id.fingerprint) {
      throw invalid({ 'Idempotency-Key': ['was used for another request: take a new key for a new request'] })
    }
    if (first.status === null)
      throw new AppError('conflict', 'the first request with this Idempotency-Key is still running')
    const headers = { ...(JSON.parse(first.headers ?? '{}') as Record<string, string>), [REPLAYED]: 'true' }
    return new Reply(first.status, first.body === null ? undefined : JSON.parse(first.body), headers)
  }
  const reply = await run()
  // Nothing happened, as when `run` throws: whoever corrects the request can send it with the same key.
  if (reply.status >= 400) {
    await app.idempotency.forget(appId, id.key)
    return reply
  }
  await app.idempotency.finish(appId, id.key, {
    status: reply.status,
    headers: JSON.stringify(reply.headers),
    body: reply.body === undefined ? null : JSON.stringify(reply.body),
  })
  return reply
}
