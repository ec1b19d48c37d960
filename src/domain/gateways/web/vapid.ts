import type { KeyObject } from 'node:crypto'
import { signJwt } from '../../../platform/crypto/jwt.ts'
import { WEB } from './limits.ts'
import { signingKeyOf, type VapidKey } from './vapid-keys.ts'

/** Max cached tokens: pairs of key and push service. */
const MAX_TOKENS = 1000

/**
 * The `authorization` headers of an app (RFC 8292), one for each key and push service. Each is reused for twelve hours,
 * because signing costs as much as encrypting. If the clock goes back, new ones are made.
 */
export function vapidTokens(subject: string) {
  const signers = new Map<string, KeyObject>()
  const tokens = new Map<string, { header: string; madeAt: number }>()

  function signerOf(key: VapidKey): KeyObject {
    let signer = signers.get(key.id)
    if (!signer) signers.set(key.id, (signer = signingKeyOf(key)))
    return signer
  }

  return {
    /** `origin` is scheme and host of the endpoint. `now` in ms. */
    header(key: VapidKey, origin: string, now: number): string {
      const name = `${key.id} ${origin}`
      const known = tokens.get(name)
      if (known && now >= known.madeAt && now - known.madeAt < WEB.vapidRenewMs) return known.header
      const claims = { aud: origin, exp: Math.floor((now + WEB.vapidLifeMs) / 1000), sub: subject }
      const token = signJwt({ typ: 'JWT', alg: 'ES256' }, claims, signerOf(key))
      const header = `vapid t=${token}, k=${key.publicKey}`
      if (tokens.size >= MAX_TOKENS) tokens.clear()
      tokens.set(name, { header, madeAt: now })
      return header
    },
  }
}
