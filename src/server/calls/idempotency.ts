import { createHash } from 'node:crypto'
import type { KeyCaller } from '../../domain/apps/idempotency.repository.ts'
import { AppError, invalid } from '../../platform/errors.ts'
import { isPlainObject, isStorable } from '../../platform/json/json.ts'
import type { Areas } from '../../program.ts'
import { Reply, type Route } from '../routing/route.ts'

/** Header that marks a stored answer. */
export const REPLAYED = 'Idempotency-Replayed'

/** The `Idempotency-Key` of a POST, its owner, and a fingerprint of the request. */
export interface Idempotency {
  caller: KeyCaller
  key: string
  fingerprint: string
}

/**
 * Reads the header. Throws `invalid` when it is unusable. `body` is the parsed body, so white space does not matter.
 */
export function idempotencyOf(
  header: string | undefined,
  { needs }: Pick<Route, 'needs'>,
  {
    method,
    path,
    params,
    body,
    personId,
  }: { method: string; path: string; params: Record<string, string>; body: unknown; personId?: number | undefined },
): Idempotency | undefined {
  if (header === undefined) return undefined
  if (header === '' || header.length > 255 || !isStorable(header)) {
    throw invalid({ 'Idempotency-Key': ['must have 1 to 255 characters'] })
  }
  const fingerprint = createHash('sha256')
    .update(`${method} ${path}\n${JSON.stringify(body)}`)
    .digest('hex')
  return {
    caller: personId === undefined ? callerOf(needs, params, body) : `person:${personId}`,
    key: header,
    fingerprint,
  }
}

/**
 * The secret key is in every copy of an app, so the idempotency keys of a device must not collide with those of
 * servers, nor with those of other devices where the call names an install or a user.
 */
function callerOf(needs: Route['needs'], params: Record<string, string>, body: unknown): KeyCaller {
  if (needs === 'server-key' || needs === 'own-app') return 'server'
  if (needs === 'rest-key') return 'rest'
  const given = isPlainObject(body) ? body : {}
  const named = [params.installId, params.userId, given.installId, given.userIdentifier]
  if (named.every((name) => name === undefined || name === null)) return 'device'
  return `device:${createHash('sha256').update(JSON.stringify(named)).digest('hex')}`
}

/**
 * Runs `run` once for a key, inside the caller's transaction: the answer is stored with the work, so a repeat gets
 * the first answer and nothing happens twice, also after a crash. The same key for another request is 422. A refusal
 * leaves the key unused.
 */
export async function answerOnce(tx: Areas, appId: number, id: Idempotency, run: () => Promise<Reply>): Promise<Reply> {
  const { fingerprint, ...callers } = id
  const own = { appId, ...callers }
  const first = await tx.idempotency.find(own, fingerprint)
  if (first) {
    if (first.fingerprint !== fingerprint) {
      throw invalid({ 'Idempotency-Key': ['was used for another request: use a new key for each new request'] })
    }
    if (first.status === null)
      throw new AppError('conflict', 'the first request with this Idempotency-Key is still running')
    const headers = { ...(JSON.parse(first.headers ?? '{}') as Record<string, string>), [REPLAYED]: 'true' }
    return new Reply(first.status, first.body === null ? undefined : JSON.parse(first.body), headers)
  }
  const reply = await run()
  // A refusal changed nothing, so the corrected request may use the same key.
  if (reply.status >= 400) return reply
  await tx.idempotency.keep(own, {
    fingerprint,
    status: reply.status,
    headers: JSON.stringify(reply.headers),
    body: reply.body === undefined ? null : JSON.stringify(reply.body),
  })
  return reply
}
