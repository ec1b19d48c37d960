import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { JsonSchema } from '../../platform/values/parse.ts'
import type { Route } from '../routing/route.ts'

const known = new WeakMap<Route, boolean>()

/** Whether the answer is a list for servers, which poll them. SDKs get what they always got. */
export function isTaggedList(route: Route): boolean {
  let isTagged = known.get(route)
  if (isTagged === undefined) {
    isTagged = route.method === 'get' && !route.device && route.returns !== undefined && isList(route.returns)
    known.set(route, isTagged)
  }
  return isTagged
}

/** An array, or an object with a page of one, or with nothing but one. */
function isList({ type, properties = {}, anyOf = [] }: JsonSchema): boolean {
  const members = properties as Record<string, JsonSchema>
  if (type === 'array' || 'next' in members || (anyOf as JsonSchema[]).some(isList)) return true
  const [only, ...others] = Object.values(members)
  return only?.type === 'array' && others.length === 0
}

/**
 * The tag of an answer: a digest of its bytes, so that the same answer has the same tag whichever thread or process
 * gives it, and nothing has to be kept. It costs a microsecond for each kilobyte and saves sending the answer, not
 * reading it.
 */
export function etagOf(body: string | Buffer): string {
  return `"${hash('sha1', body, 'base64url')}"`
}

/** Whether the caller has this answer already (`If-None-Match`). */
export function isKnown({ headers }: IncomingMessage, etag: string): boolean {
  const given = headers['if-none-match']
  if (given === undefined) return false
  return given.split(',').some((one) => {
    const tag = one.trim()
    return tag === '*' || tag.replace(/^W\//, '') === etag
  })
}
