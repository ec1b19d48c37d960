import type { Vault } from '../../platform/crypto/vault.ts'

/** Lists that outlive the person: suppressed users, erased users, and the installs and push tokens of erased users. */
type ListOfPersons = 'suppression' | 'erasure' | 'erased install' | 'erased token'

/**
 * The digest that a list keeps instead of a user's identifier, the id of an install or a push token: an HMAC under a
 * key that comes from the master key (hex). Nobody can read identifiers from it, and the digests of one identifier in
 * two apps or two lists differ.
 */
export function digestOfIdentifier(
  vault: Pick<Vault, 'digest'>,
  list: ListOfPersons,
  appId: number,
  identifier: string,
): string {
  return vault.digest(`${list} ${appId} ${identifier}`)
}
