import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { isIdentifier, LONGEST_ID } from './schema.ts'
import type { SigningMode } from './types.ts'

/**
 * Tokens that devices give in the place of a user's identifier, so that nobody can speak for a user by naming him. One line of text
 * that stands wherever an identifier may: `su1.<identifier>.<expiry>.<signature>`, where the identifier is base64url of its UTF-8,
 * the expiry seconds since 1970 (0: never), and the signature base64url of HMAC-SHA-256 over all before its dot.
 */

/** What is needed to judge what devices say. */
export interface SigningState {
  mode: SigningMode
  /** The newest first; also those that have ended. */
  keys: readonly SigningKey[]
}

export interface SigningKey {
  key: KeyObject
  /** Milliseconds; null: in force. */
  expiresAt: number | null
}

/** Who a device is heard as, or why it is not. */
export type Claim = { identifier: string } | { refused: string }

/** What every token of this version begins with. */
export const TOKEN_PREFIX = 'su1.'
const TOKEN = /^su1\.([A-Za-z0-9_-]+)\.(\d{1,12})\.([A-Za-z0-9_-]{43})$/

/** The text with every token in it blacked out, also of keys that are gone: for what goes into a log. */
export function withoutTokens(text: string): string {
  return text.replace(/su1\.[A-Za-z0-9_-]+\.\d{1,12}\.[A-Za-z0-9_-]{43}/g, 'su1.***')
}

/** The key's text as servers have it -> what signs and checks: its characters are the bytes. */
export function signingKey(text: string): KeyObject {
  return createSecretKey(Buffer.from(text))
}

/**
 * The token of an identifier; `expiresAt` in ms is rounded up to seconds. Undefined when it would be longer than an identifier can
 * be: the identifier may have some 140 bytes.
 */
export function signIdentifier(key: KeyObject, identifier: string, expiresAt: number | null): string | undefined {
  const seconds = expiresAt === null ? 0 : Math.ceil(expiresAt / 1000)
  const text = `${TOKEN_PREFIX}${Buffer.from(identifier).toString('base64url')}.${seconds}`
  const token = `${text}.${signatureOf(key, text)}`
  return token.length > LONGEST_ID ? undefined : token
}

/** True for text that is or looks like a token: it must never become a user's identifier. */
export function looksSigned(text: string, { keys }: SigningState): boolean {
  // An app that never had a key may have users of any name, but for what only a token can be.
  return text.startsWith(TOKEN_PREFIX) && (keys.length > 0 || TOKEN.test(text))
}

/** Whom a token names, if it is one of ours and still good. */
export function readToken(token: string, { keys }: SigningState, now: number): Claim {
  const parts = TOKEN.exec(token)
  if (!parts) return { refused: 'the token of the user is damaged' }
  // As texts: four texts stand for the same bytes, and only one of them is what we gave out.
  const given = Buffer.from(parts[3]!)
  const text = token.slice(0, token.lastIndexOf('.'))
  const known = keys.filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
  if (!known.some(({ key }) => timingSafeEqual(Buffer.from(signatureOf(key, text)), given))) {
    return { refused: 'the token of the user is not signed with a key of this app' }
  }
  const seconds = Number(parts[2])
  if (seconds !== 0 && seconds * 1000 <= now) return { refused: 'the token of the user has expired' }
  const bytes = Buffer.from(parts[1]!, 'base64url')
  const identifier = bytes.toString()
  // A token of a token would make one a user's identifier.
  const isName = isIdentifier(identifier) && !identifier.startsWith(TOKEN_PREFIX)
  return isName && Buffer.from(identifier).equals(bytes)
    ? { identifier }
    : { refused: 'the token of the user names nobody' }
}

/**
 * Whom an install speaks for when it names `given` in an event. An install is always heard as its own anonymous user, whose
 * identifier is its id.
 */
export function judgeClaim(given: string, installId: string, state: SigningState, now: number): Claim {
  if (looksSigned(given, state)) return readToken(given, state, now)
  if (state.mode !== 'require' || given === installId) return { identifier: given }
  return { refused: 'this app asks for signed users, and this is a plain identifier' }
}

function signatureOf(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}
