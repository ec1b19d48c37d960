import { createPrivateKey } from 'node:crypto'
import { HttpFailure, type HttpReply, type SendHttp } from '../../../platform/http.ts'
import { type JwtHeader, signJwt } from '../../../platform/jwt.ts'
import { isPlainObject } from '../../../platform/parse.ts'
import type { Outcome } from '../gateway.ts'
import { FCM } from '../limits.ts'
import type { ServiceAccount } from './credentials.ts'
import { readTokenRefusal } from './outcome.ts'

/** A token to send with, or why there is none. */
export type AccessToken = { token: string } | { outcome: Outcome }

/** The access token of one service account: kept until five minutes before its end, one request at a time. */
export interface AccessTokens {
  current(): Promise<AccessToken>
  /** Forgets a token that was refused; a newer one stays. */
  forget(refused: string): void
}

/** RFC 7523: a signed assertion buys an access token. */
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** `tokenUrl` is the configured, pinned address; the account's own `tokenUri` is never called (S9). */
export function createAccessTokens(
  account: ServiceAccount,
  { tokenUrl, ca, now, sendHttp }: { tokenUrl: string; ca: readonly string[]; now: () => number; sendHttp: SendHttp },
): AccessTokens {
  const url = tokenAddress(tokenUrl)
  const key = createPrivateKey(account.privateKey)
  let kept: { token: string; until: number } | undefined
  let running: Promise<AccessToken> | undefined

  async function fetchToken(): Promise<AccessToken> {
    const issuedAt = now()
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
      const read = readToken(reply)
      if (!read) return { outcome: readTokenRefusal(reply, now()) }
      // A server that gives out very short tokens must not be asked again for every message.
      const margin = Math.min(FCM.tokenMarginMs, read.lifeMs / 2)
      kept = { token: read.token, until: issuedAt + read.lifeMs - margin }
      return { token: read.token }
    } catch (error) {
      return { outcome: outcomeOfHttp(error) }
    }
  }

  return {
    async current() {
      if (kept && now() < kept.until) return { token: kept.token }
      running ??= fetchToken().finally(() => (running = undefined))
      return running
    },
    forget(refused) {
      if (kept?.token === refused) kept = undefined
    },
  }
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
