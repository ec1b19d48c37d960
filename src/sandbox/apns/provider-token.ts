import { type KeyObject, verify } from 'node:crypto'
import { readObject } from '../../platform/json/json.ts'
import type { ApnsReason } from './reasons.ts'

/**
 * Checks the provider tokens of APNs (Apple, "Establishing a token-based connection"): a JWT signed with ES256 whose
 * header names the key and whose claims are the team and the time of issue. It expires after one hour.
 */
export interface ProviderTokens {
  /** The refusal, or undefined if the `authorization` header is valid. */
  refuse(authorization: string | undefined, now: number): ApnsReason | undefined
}

const LIFE_S = 3600
/** How far a sender's clock may be ahead. */
const SKEW_S = 60
/** Max tokens to remember. Senders reuse one token for up to an hour; more means one per request. */
const REMEMBERED = 100

export function providerTokens(expected: { publicKey: KeyObject; keyId: string; teamId: string }): ProviderTokens {
  /** Tokens with a verified signature -> time of issue, in seconds. */
  const verified = new Map<string, number>()
  return {
    refuse(authorization, now) {
      if (authorization === undefined) return 'MissingProviderToken'
      const token = /^bearer +(\S+)$/i.exec(authorization)?.[1]
      if (token === undefined) return 'InvalidProviderToken'
      const issued = verified.get(token) ?? readIssued(token, expected)
      if (issued === undefined) return 'InvalidProviderToken'
      if (verified.size >= REMEMBERED && !verified.has(token)) verified.clear()
      verified.set(token, issued)
      const age = now / 1000 - issued
      if (age > LIFE_S) return 'ExpiredProviderToken'
      return age < -SKEW_S ? 'InvalidProviderToken' : undefined
    },
  }
}

function readIssued(
  token: string,
  { publicKey, keyId, teamId }: { publicKey: KeyObject; keyId: string; teamId: string },
): number | undefined {
  const jwt = readJwt(token)
  if (!jwt || jwt.header['alg'] !== 'ES256' || jwt.header['kid'] !== keyId) return undefined
  const { iss, iat } = jwt.claims
  if (iss !== teamId || typeof iat !== 'number' || !Number.isInteger(iat)) return undefined
  const right = verify('sha256', jwt.signed, { key: publicKey, dsaEncoding: 'ieee-p1363' }, jwt.signature)
  return right ? iat : undefined
}

export interface Jwt {
  header: Record<string, unknown>
  claims: Record<string, unknown>
  /** The signed part. */
  signed: Buffer
  signature: Buffer
}

const textOf = (part: string) => Buffer.from(part, 'base64url').toString('utf8')

/** Parses a compact JWT; undefined if it is not one. Does not check the signature. */
export function readJwt(token: string): Jwt | undefined {
  const parts = token.split('.')
  if (parts.length !== 3 || parts.some((part) => !/^[\w-]+$/.test(part))) return undefined
  const header = readObject(textOf(parts[0]!))
  const claims = readObject(textOf(parts[1]!))
  if (!header || !claims) return undefined
  const signed = Buffer.from(`${parts[0]}.${parts[1]}`)
  return { header, claims, signed, signature: Buffer.from(parts[2]!, 'base64url') }
}
