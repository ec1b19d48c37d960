import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { isIdentifier, MAX_ID_LENGTH } from '../schema.ts'
import type { SigningMode } from '../types.ts'

/**
 * Tokens that devices send instead of a user's identifier, so that knowing an identifier is not enough to act for the
 * user. A token is one line of text, allowed wherever an identifier is: `su1.<identifier>.<expiry>.<signature>`, where
 * the identifier is base64url of its UTF-8, the expiry seconds since 1970 (0: never), and the signature base64url of
 * the HMAC-SHA-256 of everything before its dot.
 */

/** The mode and keys of an app, to check what devices send. */
export interface SigningState {
  mode: SigningMode
  /** Newest first, including expired ones. */
  keys: readonly SigningKey[]
}

interface SigningKey {
  key: KeyObject
  /** Milliseconds; null while in force. */
  expiresAt: number | null
}

/** The user that a device speaks for, or why it is refused. */
export type Claim = { identifier: string } | { refused: string }

/** The beginning of every token of this version. */
export const TOKEN_PREFIX = 'su1.'
const TOKEN = /^su1\.([A-Za-z0-9_-]+)\.(\d{1,12})\.([A-Za-z0-9_-]{43})$/

/** The text with all tokens in it masked, for the log. Includes tokens of deleted keys. */
export function withoutTokens(text: string): string {
  return text.replace(/su1\.[A-Za-z0-9_-]+\.\d{1,12}\.[A-Za-z0-9_-]{43}/g, 'su1.***')
}

/** The bytes of a key: the characters of its text. */
export function signingKey(text: string): KeyObject {
  return createSecretKey(Buffer.from(text))
}

/**
 * The token of an identifier; `expiresAt` (ms) is rounded up to seconds. Undefined when the token would be longer than
 * an identifier may be, which happens above about 140 bytes.
 */
export function signIdentifier(key: KeyObject, identifier: string, expiresAt: number | null): string | undefined {
  const seconds = expiresAt === null ? 0 : Math.ceil(expiresAt / 1000)
  const text = `${TOKEN_PREFIX}${Buffer.from(identifier).toString('base64url')}.${seconds}`
  const token = `${text}.${signatureOf(key, text)}`
  return token.length > MAX_ID_LENGTH ? undefined : token
}

/** True for text that is or looks like a token. It must never become an identifier. */
export function looksSigned(text: string, { keys }: SigningState): boolean {
  // An app that never had a key may have users of any name, except what can only be a token.
  return text.startsWith(TOKEN_PREFIX) && (keys.length > 0 || TOKEN.test(text))
}

/** The identifier in a token, if one of our keys signed it and it has not expired. */
export function readToken(token: string, { keys }: SigningState, now: number): Claim {
  const parts = TOKEN.exec(token)
  if (!parts) return { refused: 'the token of the user is damaged' }
  // Compared as text: four different base64url texts decode to the same bytes, and only one of them was issued.
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
  // A token of a token would make a token an identifier.
  const isName = isIdentifier(identifier) && !identifier.startsWith(TOKEN_PREFIX)
  return isName && Buffer.from(identifier).equals(bytes)
    ? { identifier }
    : { refused: 'the token of the user names nobody' }
}

/**
 * The user that an install speaks for when an event names `given`. An install may always name its own anonymous user,
 * whose identifier is the install's id.
 */
export function judgeClaim(given: string, installId: string, state: SigningState, now: number): Claim {
  if (looksSigned(given, state)) return readToken(given, state, now)
  if (state.mode !== 'require' || given === installId) return { identifier: given }
  return { refused: 'this app asks for signed users, and this is a plain identifier' }
}

function signatureOf(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}
