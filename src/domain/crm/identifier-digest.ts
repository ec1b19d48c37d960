import type { Vault } from '../../platform/crypto/vault.ts'

/** Lists that outlive the person: who must not be sent to, who was erased, and with which installs and push tokens. */
type ListOfPersons = 'suppression' | 'erasure' | 'erased install' | 'erased token'

/**
 * What a list keeps instead of a user's identifier, the id of an install or a push token: an HMAC under a key that comes from the master key (hex). Nobody can
 * read identifiers from it, and equal identifiers of two apps or two lists differ.
 */
export function digestOfIdentifier(
  vault: Pick<Vault, 'digest'>,
  list: ListOfPersons,
  appId: number,
  identifier: string,
): string {
  return vault.digest(`${list} ${appId} ${identifier}`)
}
