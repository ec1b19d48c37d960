import { readObject } from '../../../platform/json/json.ts'
import { type HttpReply, readRetryAfter } from '../../../platform/net/http.ts'
import type { Outcome } from '../gateway.ts'
import {
  type AccessTokens,
  askTokenServer,
  keepAccessToken,
  readGrant,
  type TokenServerSettings,
  tokenAddress,
} from '../send/access-token.ts'
import type { HcmSecret } from './credentials.ts'
import { HCM } from './limits.ts'

const WHO = "Huawei's token server"
/** As Huawei's own clients ask ("Client Credentials", OAuth 2.0). */
const TOKEN_PATH = '/oauth2/v3/token'

/** The access token of one app, obtained with its id and secret. */
export function createHcmTokens(
  { appId, appIdPassword }: HcmSecret,
  { tokenUrl, ca, now, sendHttp }: TokenServerSettings,
): AccessTokens {
  const server = { url: tokenAddress(tokenUrl, TOKEN_PATH), who: WHO, ca, sendHttp }
  const form = { grant_type: 'client_credentials', client_id: appId, client_secret: appIdPassword }
  return keepAccessToken(
    () =>
      askTokenServer(
        server,
        () => form,
        (reply) => readHcmToken(reply) ?? { outcome: readHcmTokenRefusal(reply, now()) },
      ),
    { now, marginMs: HCM.tokenMarginMs },
  )
}

/** The token of a successful answer. */
export const readHcmToken = (reply: HttpReply) => readGrant(reply, HCM.tokenSeconds)

/** What an answer of the token server means when it holds no token. `now` in ms. */
export function readHcmTokenRefusal(reply: HttpReply, now: number): Outcome {
  const { error, sub_error: subError, error_description: description } = readObject(reply.body) ?? {}
  const words = [error, subError, description].filter((part) => typeof part === 'string' || typeof part === 'number')
  const reason = `${WHO}: ${words.join(' ').slice(0, 300) || `HTTP ${reply.status} without a token`}`
  const afterMs = readRetryAfter(reply.headers['retry-after'], now)
  const wait = afterMs !== undefined && { afterMs }
  if (reply.status === 429 || reply.status === 503) return { kind: 'throttled_gateway', reason, ...wait }
  if (reply.status >= 500) return { kind: 'gateway_down', reason, ...wait }
  return { kind: 'config_error', reason }
}
