import { createHash, createPrivateKey, type KeyObject } from 'node:crypto'
import { signJwt } from '../../../platform/jwt.ts'
import { APNS } from './limits.ts'

/** A token signing key as it was checked: PEM text, key id, team id. */
export interface SigningKey {
  p8: string
  keyId: string
  teamId: string
}

interface Token {
  text: string
  issuedAt: number
}

/** The one current token of a key. All times in ms. */
export interface ProviderTokens {
  /** The token to send with, signed when the last one is 45 minutes old. */
  current(now: number): string
  /** After ExpiredProviderToken: true when `refused` was replaced (now or by somebody before), false when it is too soon. */
  renew(refused: string, now: number): boolean
}

const shared = new Map<string, ProviderTokens>()

/** The tokens of a key, the same object for every sender of the process: Apple counts tokens per key, not per connection. */
export function providerTokens(key: SigningKey): ProviderTokens {
  const fingerprint = createHash('sha256').update(key.p8).digest('base64url')
  const name = `${key.teamId}/${key.keyId}/${fingerprint}`
  let tokens = shared.get(name)
  if (!tokens) {
    tokens = createProviderTokens(key)
    shared.set(name, tokens)
  }
  return tokens
}

/**
 * Tokens of one key. They are issued "at" the start of a 45 minute slot rather than at the moment of signing: threads,
 * machines and a process that restarts again and again then all say the same `iat`, and Apple, who refuses more than one
 * new token in 20 minutes, sees one. The slots of different keys are shifted, so that not all renew at once.
 */
export function createProviderTokens(key: SigningKey): ProviderTokens {
  const privateKey = createPrivateKey(key.p8)
  const shift = slotShift(key)
  let token: Token | undefined

  function issue(issuedAt: number): Token {
    return { text: signProviderToken(key, privateKey, issuedAt), issuedAt }
  }

  /** A clock that was set back makes a token of the future, which Apple refuses as well. */
  function isFresh({ issuedAt }: Token, now: number): boolean {
    return issuedAt <= now && now - issuedAt < APNS.providerTokenRenewMs
  }

  return {
    current(now) {
      if (!token || !isFresh(token, now)) token = issue(now - ((now - shift) % APNS.providerTokenRenewMs))
      return token.text
    },
    renew(refused, now) {
      if (!token || token.text !== refused) return true
      if (now - token.issuedAt <= APNS.providerTokenMinAgeMs) return false
      token = issue(now)
      return true
    },
  }
}

function slotShift(key: SigningKey): number {
  const digest = createHash('sha256').update(`${key.teamId}/${key.keyId}`).digest()
  return digest.readUInt32BE(0) % APNS.providerTokenRenewMs
}

/** One provider token (ES256; `iat` in whole seconds, no `exp`). */
export function signProviderToken(key: SigningKey, privateKey: KeyObject, issuedAt: number): string {
  const claims = { iss: key.teamId, iat: Math.floor(issuedAt / 1000) }
  return signJwt({ alg: 'ES256', kid: key.keyId }, claims, privateKey)
}
