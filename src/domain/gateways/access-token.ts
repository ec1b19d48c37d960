import type { Outcome } from './gateway.ts'

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
