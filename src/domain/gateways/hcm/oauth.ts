import { HttpFailure, type HttpReply, readRetryAfter, type SendHttp } from '../../../platform/http.ts'
import { isPlainObject } from '../../../platform/parse.ts'
import { type AccessTokens, type Granted, keepAccessToken } from '../access-token.ts'
import type { Outcome } from '../gateway.ts'
import { HCM } from '../limits.ts'
import type { HcmSecret } from './credentials.ts'

const WHO = "Huawei's token server"
/** As Huawei's own clients ask ("Client Credentials", OAuth 2.0). */
const TOKEN_PATH = '/oauth2/v3/token'

/** The access token of one app, bought with its id and secret. `tokenUrl` is the configured, pinned address. */
export function createHcmTokens(
  { appId, appIdPassword }: HcmSecret,
  { tokenUrl, ca, now, sendHttp }: { tokenUrl: string; ca: readonly string[]; now: () => number; sendHttp: SendHttp },
): AccessTokens {
  const url = hcmTokenAddress(tokenUrl)
  const form = { grant_type: 'client_credentials', client_id: appId, client_secret: appIdPassword }
  const body = new URLSearchParams(form).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }

  async function ask(): Promise<Granted> {
    try {
      const reply = await sendHttp({ method: 'POST', url, headers, body, ca })
      return readHcmToken(reply) ?? { outcome: readHcmTokenRefusal(reply, now()) }
    } catch (error) {
      return { outcome: outcomeOfHttp(error) }
    }
  }

  return keepAccessToken(ask, { now, marginMs: HCM.tokenMarginMs })
}

/** The configured address; one without a path is a host, and the vendor's path follows. */
export function hcmTokenAddress(configured: string): string {
  const url = new URL(configured)
  return url.pathname === '/' ? new URL(TOKEN_PATH, url).href : url.href
}

/** The token of a good answer and how long it lives (ms); undefined when there is none that could go into a header. */
export function readHcmToken(reply: HttpReply): { token: string; lifeMs: number } | undefined {
  if (reply.status !== 200) return undefined
  const { access_token: token, expires_in: expiresIn } = readObject(reply.body)
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) return undefined
  const seconds = Number(expiresIn)
  return { token, lifeMs: (seconds > 0 ? seconds : HCM.tokenSeconds) * 1000 }
}

/** What an answer of the token server means when it holds no token. `now` in ms. */
export function readHcmTokenRefusal(reply: HttpReply, now: number): Outcome {
  const { error, sub_error: subError, error_description: description } = readObject(reply.body)
  const words = [error, subError, description].filter((part) => typeof part === 'string' || typeof part === 'number')
  const reason = `${WHO}: ${words.join(' ').slice(0, 300) || `HTTP ${reply.status} without a token`}`
  const afterMs = readRetryAfter(reply.headers['retry-after'], now)
  const wait = afterMs !== undefined && { afterMs }
  if (reply.status === 429 || reply.status === 503) return { kind: 'throttled_gateway', reason, ...wait }
  if (reply.status >= 500) return { kind: 'gateway_down', reason, ...wait }
  return { kind: 'config_error', reason }
}

function readObject(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body)
    return isPlainObject(value) ? value : {}
  } catch {
    return {}
  }
}

/** Asking for a token has no effect on anybody, so an answer that never came is simply a server that is down. */
function outcomeOfHttp(error: unknown): Outcome {
  const reason = `${WHO}: ${error instanceof Error ? error.message : String(error)}`
  const down = error instanceof HttpFailure && error.kind !== 'untrusted'
  return { kind: down ? 'gateway_down' : 'config_error', reason }
}
