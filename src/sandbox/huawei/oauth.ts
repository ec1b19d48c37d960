import { randomBytes } from 'node:crypto'
import { accessTokens } from '../stand-in/access-tokens.ts'
import type { Answer, Exchange } from '../stand-in/exchange.ts'
import { HCM_JSON } from './codes.ts'

/** Huawei's OAuth token call (client credentials, RFC 6749 section 4.4). */
export interface HcmOAuth {
  /** Answers the token call. `now` in milliseconds. */
  grant(exchange: Exchange, now: number): Answer
  /** What is wrong with this `authorization` header: an unknown or an expired token; undefined if it is valid. */
  judge(authorization: string | undefined, now: number): 'unknown' | 'expired' | undefined
  /** Sets the life of tokens issued from now on. */
  setLife(seconds: number): void
}

export function startHcmOAuth(client: { id: string; secret: string }, life: number): HcmOAuth {
  const tokens = accessTokens(life)

  return {
    grant(exchange, now) {
      if (!/^application\/x-www-form-urlencoded\b/i.test(exchange.headers['content-type'] ?? '')) {
        return refusal(1101, 'The content type must be application/x-www-form-urlencoded')
      }
      const form = new URLSearchParams(exchange.body.toString('utf8'))
      if (form.get('grant_type') !== 'client_credentials') return refusal(1101, 'invalid grant_type')
      if (form.get('client_id') !== client.id) return refusal(1203, 'client id is invalid')
      if (form.get('client_secret') !== client.secret) return refusal(1203, 'client secret is invalid')
      // Real tokens are base64 and contain slashes, which Huawei escapes as \/.
      const token = `CV/${randomBytes(48).toString('base64')}`
      const seconds = tokens.handOut(token, now)
      const body = JSON.stringify({ access_token: token, expires_in: seconds, token_type: 'Bearer' })
      return { status: 200, headers: { 'content-type': HCM_JSON }, body: body.replaceAll('/', '\\/') }
    },
    judge: tokens.judge,
    setLife: tokens.setLife,
  }
}

function refusal(error: number, description: string): Answer {
  const body = JSON.stringify({ error, sub_error: error === 1203 ? 20_041 : 20_001, error_description: description })
  return { status: 400, headers: { 'content-type': HCM_JSON }, body }
}
