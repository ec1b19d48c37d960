import { messageOf } from '../../../platform/errors.ts'
import { type HttpReply, type SendHttp } from '../../../platform/http.ts'
import { HttpFailure } from '../../../platform/http-exchange.ts'
import { readObject } from '../../../platform/json.ts'
import type { Outcome } from '../gateway.ts'

/** A token to send with, or why there is none. */
export type AccessToken = { token: string } | { outcome: Outcome }

/** The access token of one credential: kept until shortly before its end, one request for a new one at a time. */
export interface AccessTokens {
  current(): Promise<AccessToken>
  /** Forgets a token that was refused; a newer one stays. */
  forget(refused: string): void
}

/** What a token server handed out, and for how long (ms); or what its answer means. */
export type Granted = { token: string; lifeMs: number } | { outcome: Outcome }

/** What the calls of a vendor's token server need. `tokenUrl` is the configured, pinned address. */
export interface TokenServerSettings {
  tokenUrl: string
  ca: readonly string[]
  now: () => number
  sendHttp: SendHttp
}

/** The configured address; one without a path is a host, and the vendor's `path` follows. */
export function tokenAddress(configured: string, path: string): string {
  const url = new URL(configured)
  return url.pathname === '/' ? new URL(path, url).href : url.href
}

/** Asks a token server (OAuth 2.0) with a form. `read` says what its answer means, `who` it is in reasons. Never throws. */
export async function askTokenServer(
  { url, who, ca, sendHttp }: { url: string; who: string } & Pick<TokenServerSettings, 'ca' | 'sendHttp'>,
  form: () => Record<string, string>,
  read: (reply: HttpReply) => Granted,
): Promise<Granted> {
  try {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }
    return read(await sendHttp({ method: 'POST', url, headers, body: new URLSearchParams(form()).toString(), ca }))
  } catch (error) {
    // Asking for a token has no effect on anybody, so an answer that never came is simply a server that is down.
    const isDown = error instanceof HttpFailure && error.kind !== 'untrusted'
    const reason = `${who}: ${messageOf(error)}`
    return { outcome: { kind: isDown ? 'gateway_down' : 'config_error', reason } }
  }
}

/**
 * The token of a good answer and how long it lives (ms), `usualSeconds` where it does not say; undefined when there is none that could
 * go into a header.
 */
export function readGrant(reply: HttpReply, usualSeconds: number): { token: string; lifeMs: number } | undefined {
  if (reply.status !== 200) return undefined
  const { access_token: token, expires_in: expiresIn } = readObject(reply.body) ?? {}
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) return undefined
  const seconds = Number(expiresIn)
  return { token, lifeMs: (seconds > 0 ? seconds : usualSeconds) * 1000 }
}

/**
 * Keeps what `ask` brings. Callers who come while it is asking share its answer. `marginMs`: a token is renewed so long before
 * it ends. `ask` never throws.
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
    // A server that gives out very short tokens must not be asked again for every message.
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
