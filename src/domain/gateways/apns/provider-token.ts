import { createHash, createPrivateKey, type KeyObject } from 'node:crypto'
import { signJwt } from '../../../platform/crypto/jwt.ts'
import { APNS } from './limits.ts'

/** A checked token signing key: PEM text, key id, team id. */
export interface SigningKey {
  p8: string
  keyId: string
  teamId: string
}

interface Token {
  text: string
  issuedAt: number
}

/** The current provider token of a key. All times in ms. */
export interface ProviderTokens {
  /** The token to send with; a new one every 45 minutes. */
  current(now: number): string
  /**
   * After ExpiredProviderToken: true if `refused` has been replaced (now or earlier), false if it is too soon to
   * replace it.
   */
  renew(refused: string, now: number): boolean
}

const shared = new Map<string, ProviderTokens>()

/**
 * The tokens of a key. All senders of the process share one object, because Apple counts tokens per key, not per
 * connection.
 */
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
 * Tokens of one key. Their `iat` is the start of a 45-minute slot, not the moment of signing. Threads, machines and a
 * process that restarts repeatedly then all use the same `iat`, so Apple, which refuses more than one new token in 20
 * minutes, sees only one. Slots are shifted by key, so that not all keys renew at once.
 */
export function createProviderTokens(key: SigningKey): ProviderTokens {
  const privateKey = createPrivateKey(key.p8)
  const shift = slotShift(key)
  let token: Token | undefined

  function issue(issuedAt: number): Token {
    return { text: signProviderToken(key, privateKey, issuedAt), issuedAt }
  }

  /** Whether the clock was set back: the token is then from the future, which Apple refuses too. */
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
function signProviderToken(key: SigningKey, privateKey: KeyObject, issuedAt: number): string {
  const claims = { iss: key.teamId, iat: Math.floor(issuedAt / 1000) }
  return signJwt({ alg: 'ES256', kid: key.keyId }, claims, privateKey)
}
