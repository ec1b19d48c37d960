import { createPrivateKey } from 'node:crypto'
import { type JwtHeader, signJwt } from '../../../platform/crypto/jwt.ts'
import {
  type AccessTokens,
  askTokenServer,
  keepAccessToken,
  readGrant,
  type TokenServerSettings,
  tokenAddress,
} from '../send/access-token.ts'
import type { ServiceAccount } from './credentials.ts'
import { FCM } from './limits.ts'
import { readTokenRefusal, TOKEN_SERVER } from './outcome.ts'

/** RFC 7523: the token server exchanges a signed assertion for an access token. */
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** The access token of one service account. The account's own `tokenUri` is never called (S9). */
export function createAccessTokens(
  account: ServiceAccount,
  { tokenUrl, ca, now, sendHttp }: TokenServerSettings,
): AccessTokens {
  const url = tokenAddress(tokenUrl, '/token')
  const server = { url, who: TOKEN_SERVER, ca, sendHttp }
  const key = createPrivateKey(account.privateKey)
  const header: JwtHeader = { alg: 'RS256', typ: 'JWT', ...(account.privateKeyId && { kid: account.privateKeyId }) }

  return keepAccessToken(
    (issuedAt) =>
      askTokenServer(
        server,
        () => ({ grant_type: GRANT_TYPE, assertion: signJwt(header, buildAssertion(account, url, issuedAt), key) }),
        (reply) => readGrant(reply, FCM.tokenSeconds) ?? { outcome: readTokenRefusal(reply, now()) },
      ),
    { now, marginMs: FCM.tokenMarginMs },
  )
}

/** The claims of the assertion that is exchanged for an access token. Times in whole seconds. Pure. */
function buildAssertion(account: ServiceAccount, audience: string, now: number): Record<string, unknown> {
  const iat = Math.floor(now / 1000)
  return { iss: account.clientEmail, scope: FCM.scope, aud: audience, iat, exp: iat + FCM.assertionSeconds }
}
