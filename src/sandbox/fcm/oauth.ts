import { type KeyObject, randomBytes, verify } from 'node:crypto'
import { readJwt } from '../apns/provider-token.ts'
import { accessTokens } from '../stand-in/access-tokens.ts'
import type { Answer, Exchange } from '../stand-in/exchange.ts'
import { JSON_TYPE } from './errors.ts'

/**
 * Google's OAuth token call for service accounts (RFC 7523): a form with an assertion signed by the account, answered
 * with an access token.
 */
export interface OAuth {
  /** Answers the token call. `now` in milliseconds. */
  grant(exchange: Exchange, now: number): Answer
  /** Whether this `authorization` header has a valid access token. */
  isGood(authorization: string | undefined, now: number): boolean
  /** Sets the life of tokens issued from now on. */
  setLife(seconds: number): void
}

export interface ServiceAccountKeys {
  publicKey: KeyObject
  keyId: string
  clientEmail: string
  /** Whether an assertion may name this audience. */
  isAudience(aud: unknown): boolean
}

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const MESSAGING_SCOPE = 'https://www.googleapis.com/auth/firebase.messaging'
const CLOUD_SCOPE = 'https://www.googleapis.com/auth/cloud-platform'
const LIFE_S = 3599
const MAX_ASSERTION_S = 3600
const SKEW_S = 300

export function startOAuth(account: ServiceAccountKeys): OAuth {
  const tokens = accessTokens(LIFE_S)

  return {
    grant(exchange, now) {
      const type = exchange.headers['content-type'] ?? ''
      if (!/^application\/x-www-form-urlencoded\b/i.test(type)) {
        return oauthError('invalid_request', 'The content type must be application/x-www-form-urlencoded.')
      }
      const form = new URLSearchParams(exchange.body.toString('utf8'))
      if (form.get('grant_type') !== GRANT_TYPE) {
        return oauthError('unsupported_grant_type', `Invalid grant_type: ${form.get('grant_type') ?? ''}`)
      }
      const wrong = refuseAssertion(form.get('assertion') ?? '', account, now / 1000)
      if (wrong) return wrong
      const token = `ya29.sandbox-${randomBytes(24).toString('base64url')}`
      return json(200, { access_token: token, expires_in: tokens.handOut(token, now), token_type: 'Bearer' })
    },
    isGood: (authorization, now) => tokens.judge(authorization, now) === undefined,
    setLife: tokens.setLife,
  }
}

/** Default life of a token, in seconds. */
export const ACCESS_TOKEN_LIFE_S = LIFE_S

function refuseAssertion(assertion: string, account: ServiceAccountKeys, now: number): Answer | undefined {
  const jwt = readJwt(assertion)
  if (!jwt) return invalidGrant('Invalid JWT: the assertion is not a signed JWT.')
  if (jwt.header['alg'] !== 'RS256') return invalidGrant('Invalid JWT: the algorithm must be RS256.')
  const { iss, scope, aud, iat, exp } = jwt.claims
  if (iss !== account.clientEmail) return invalidGrant('Invalid grant: account not found')
  const kid = jwt.header['kid']
  const signed = kid === undefined || kid === account.keyId
  if (!signed || !verify('sha256', jwt.signed, account.publicKey, jwt.signature)) {
    return invalidGrant('Invalid JWT Signature.')
  }
  if (!account.isAudience(aud)) return invalidGrant('Invalid JWT: Failed audience check.')
  if (typeof iat !== 'number' || typeof exp !== 'number' || exp <= iat || exp - iat > MAX_ASSERTION_S) {
    return invalidGrant('Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.')
  }
  if (iat > now + SKEW_S || exp < now - SKEW_S) {
    return invalidGrant(
      'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.',
    )
  }
  const scopes = typeof scope === 'string' ? scope.split(/\s+/) : []
  if (!scopes.includes(MESSAGING_SCOPE) && !scopes.includes(CLOUD_SCOPE)) {
    return oauthError('invalid_scope', 'Invalid OAuth scope or ID token audience provided.')
  }
  return undefined
}

export function invalidGrant(description: string): Answer {
  return oauthError('invalid_grant', description)
}

function oauthError(error: string, error_description: string): Answer {
  return json(400, { error, error_description })
}

function json(status: number, value: unknown): Answer {
  return { status, headers: { 'content-type': JSON_TYPE, 'cache-control': 'no-store' }, body: JSON.stringify(value) }
}
