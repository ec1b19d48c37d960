import { randomBytes } from 'node:crypto'
import { sameDigest, type Vault } from '../../../platform/crypto/vault.ts'

/** The app and website that a token is valid for. */
export interface TokenScope {
  appId: number
  websitePushId: string
}

const NONCE_BYTES = 16
const TOKEN = /^([A-Za-z0-9_-]{22})\.([0-9a-f]{64})$/

/**
 * A new authentication token for one push package. Nothing is stored: the token consists of a random part and a proof
 * that this program made it, with its master key, for this app and website.
 */
export function mintToken(vault: Pick<Vault, 'digest'>, scope: TokenScope): string {
  const nonce = randomBytes(NONCE_BYTES).toString('base64url')
  return `${nonce}.${proofOf(vault, scope, nonce)}`
}

/** Whether a token came from `mintToken` for the same scope. Anything may be passed in. */
export function isToken(vault: Pick<Vault, 'digest'>, scope: TokenScope, token: string): boolean {
  const [, nonce, proof] = TOKEN.exec(token) ?? []
  return nonce !== undefined && proof !== undefined && sameDigest(proof, proofOf(vault, scope, nonce))
}

/** Keeps these digests apart from those of access keys, which use the same pepper. */
function proofOf(vault: Pick<Vault, 'digest'>, { appId, websitePushId }: TokenScope, nonce: string): string {
  return vault.digest(`safari package ${appId} ${websitePushId} ${nonce}`)
}
