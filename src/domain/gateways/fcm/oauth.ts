import { createPrivateKey } from 'node:crypto'
import { HttpFailure, type HttpReply, type SendHttp } from '../../../platform/http.ts'
import { type JwtHeader, signJwt } from '../../../platform/jwt.ts'
import { isPlainObject } from '../../../platform/parse.ts'
import { type AccessTokens, type Granted, keepAccessToken } from '../access-token.ts'
import type { Outcome } from '../gateway.ts'
import { FCM } from '../limits.ts'
import type { ServiceAccount } from './credentials.ts'
import { readTokenRefusal } from './outcome.ts'

/** RFC 7523: a signed assertion buys an access token. */
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/**
 * The access token of one service account. `tokenUrl` is the configured, pinned address; the account's own `tokenUri` is never called (S9).
 */
export function createAccessTokens(
  account: ServiceAccount,
  { tokenUrl, ca, now, sendHttp }: { tokenUrl: string; ca: readonly string[]; now: () => number; sendHttp: SendHttp },
): AccessTokens {
  const url = tokenAddress(tokenUrl)
  const key = createPrivateKey(account.privateKey)

  async function ask(issuedAt: number): Promise<Granted> {
    const header: JwtHeader = {
      alg: 'RS256',
      typ: 'JWT',
      ...(account.privateKeyId && { kid: account.privateKeyId }),
    }
    try {
      const assertion = signJwt(header, buildAssertion(account, url, issuedAt), key)
      const body = new URLSearchParams({ grant_type: GRANT_TYPE, assertion }).toString()
      const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }
      const reply = await sendHttp({ method: 'POST', url, headers, body, ca })
      return readToken(reply) ?? { outcome: readTokenRefusal(reply, now()) }
    } catch (error) {
      return { outcome: outcomeOfHttp(error) }
    }
  }

  return keepAccessToken(ask, { now, marginMs: FCM.tokenMarginMs })
}

/** The claims of the assertion that buys an access token. Times in whole seconds. Pure. */
export function buildAssertion(account: ServiceAccount, audience: string, now: number): Record<string, unknown> {
  const iat = Math.floor(now / 1000)
  return { iss: account.clientEmail, scope: FCM.scope, aud: audience, iat, exp: iat + FCM.assertionSeconds }
}

/** The configured address; one without a path is a host, and the vendor's path is `/token`. */
export function tokenAddress(configured: string): string {
  const url = new URL(configured)
  return url.pathname === '/' ? new URL('/token', url).href : url.href
}

function readToken(reply: HttpReply): { token: string; lifeMs: number } | undefined {
  if (reply.status !== 200) return undefined
  try {
    const body: unknown = JSON.parse(reply.body)
    if (!isPlainObject(body) || typeof body['access_token'] !== 'string' || !body['access_token']) return undefined
    const seconds = Number(body['expires_in'])
    return { token: body['access_token'], lifeMs: (seconds > 0 ? seconds : FCM.tokenSeconds) * 1000 }
  } catch {
    return undefined
  }
}

/** Asking for a token has no effect on anybody, so an answer that never came is simply a server that is down. */
function outcomeOfHttp(error: unknown): Outcome {
  const reason = `Google's token server: ${error instanceof Error ? error.message : String(error)}`
  const down = error instanceof HttpFailure && error.kind !== 'untrusted'
  return { kind: down ? 'gateway_down' : 'config_error', reason }
}
