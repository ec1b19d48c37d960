import { type KeyObject, sign } from 'node:crypto'

/** A token's header: the algorithm, and the key id if the vendor requires one. */
export interface JwtHeader {
  alg: 'ES256' | 'RS256'
  kid?: string
  typ?: 'JWT'
}

/**
 * A signed JSON Web Token (RFC 7515, compact form). `key` is a private key that fits `alg`: P-256 for ES256, RSA for
 * RS256; any other throws a TypeError here, because otherwise only the vendor would notice the wrong signature, much
 * later. docs/decisions/0022-own-code-for-p12-and-jwt.md says why no library does it.
 */
export function signJwt(header: JwtHeader, claims: Record<string, unknown>, key: KeyObject): string {
  if (!canSign(header.alg, key)) throw new TypeError(`this private key cannot sign ${header.alg}`)
  const signed = `${base64url(header)}.${base64url(claims)}`
  // JOSE requires the raw 64 bytes r‖s; Node's default for elliptic curves is DER. RSA ignores the option.
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' })
  return `${signed}.${signature.toString('base64url')}`
}

/** Whether a private key has the type that an algorithm needs. */
export function canSign(alg: JwtHeader['alg'], key: KeyObject): boolean {
  if (key.type !== 'private') return false
  if (alg === 'RS256') return key.asymmetricKeyType === 'rsa'
  return key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1'
}

function base64url(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
