import { messageOf } from '../../../platform/errors.ts'
import { readObject } from '../../../platform/json/json.ts'
import { type HttpReply, type SendHttp } from '../../../platform/net/http.ts'
import { HttpFailure } from '../../../platform/net/http-exchange.ts'
import type { Outcome } from '../gateway.ts'

/** A token to send with, or why there is none. */
type AccessToken = { token: string } | { outcome: Outcome }

/** The access token of one credential: cached until shortly before it expires, renewed by one request at a time. */
export interface AccessTokens {
  current(): Promise<AccessToken>
  /** Drops a refused token; a newer one is kept. */
  forget(refused: string): void
}

/** A granted token and its lifetime (ms), or the outcome if none was granted. */
export type Granted = { token: string; lifeMs: number } | { outcome: Outcome }

/** Settings for calls to a vendor's token server. `tokenUrl` is the configured address. */
export interface TokenServerSettings {
  tokenUrl: string
  ca: readonly string[]
  now: () => number
  sendHttp: SendHttp
}

/** The configured address. If it has no path, the vendor's `path` is appended. */
export function tokenAddress(configured: string, path: string): string {
  const url = new URL(configured)
  return url.pathname === '/' ? new URL(path, url).href : url.href
}

/**
 * Sends a form to a token server (OAuth 2.0). `read` interprets the answer; `who` names the server in reasons. Never
 * throws.
 */
export async function askTokenServer(
  { url, who, ca, sendHttp }: { url: string; who: string } & Pick<TokenServerSettings, 'ca' | 'sendHttp'>,
  form: () => Record<string, string>,
  read: (reply: HttpReply) => Granted,
): Promise<Granted> {
  try {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }
    return read(await sendHttp({ method: 'POST', url, headers, body: new URLSearchParams(form()).toString(), ca }))
  } catch (error) {
    // A token request delivers nothing, so a missing answer simply means that the server is down.
    const isDown = error instanceof HttpFailure && error.kind !== 'untrusted'
    const reason = `${who}: ${messageOf(error)}`
    return { outcome: { kind: isDown ? 'gateway_down' : 'config_error', reason } }
  }
}

/**
 * The token of a successful answer and its lifetime (ms; `usualSeconds` if the answer names none). Undefined without a
 * token that fits into a header.
 */
export function readGrant(reply: HttpReply, usualSeconds: number): { token: string; lifeMs: number } | undefined {
  if (reply.status !== 200) return undefined
  const { access_token: token, expires_in: expiresIn } = readObject(reply.body) ?? {}
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) return undefined
  const seconds = Number(expiresIn)
  return { token, lifeMs: (seconds > 0 ? seconds : usualSeconds) * 1000 }
}

/**
 * Caches the result of `ask`. Callers during a request share its answer. A token is renewed `marginMs` before it
 * expires. `ask` never throws.
 */
export function keepAccessToken(
  ask: (now: number) => Promise<Granted>,
  { now, marginMs }: { now: () => number; marginMs: number },
): AccessTokens {
  let kept: { token: string; until: number } | undefined
  let running: Promise<AccessToken> | undefined

  async function renew(): Promise<AccessToken> {
    const askedAt = now()
    const granted = await ask(askedAt)
    if ('outcome' in granted) return granted
    // Do not ask again for every message when a server grants very short-lived tokens.
    const margin = Math.min(marginMs, granted.lifeMs / 2)
    kept = { token: granted.token, until: askedAt + granted.lifeMs - margin }
    return { token: granted.token }
  }

  return {
    async current() {
      if (kept && now() < kept.until) return { token: kept.token }
      running ??= renew().finally(() => (running = undefined))
      return running
    },
    forget(refused) {
      if (kept?.token === refused) kept = undefined
    },
  }
}
