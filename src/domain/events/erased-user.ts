import type { Vault } from '../../platform/crypto/vault.ts'
import type { EventData } from './types.ts'

/** The event that tells others to erase a person, too. It is deleted some weeks later. */
export const USER_ERASED = 'user.erased'

/** What the name of an erased person is sealed for. */
export const erasedContext = (appId: number) => `app ${appId}, an erased user`

/**
 * The data of such an event as it is stored. It holds the name of the person under the master key, so that nothing in the
 * database, its log or a backup names them, and readers of the event log are told all the same.
 */
export function sealErased(vault: Pick<Vault, 'seal'>, appId: number, identifier: string): EventData {
  return { sealed: vault.seal(identifier, erasedContext(appId)) }
}

/** Whom such an event names; undefined for an event of that type that a caller stored, and under another master key. */
export function openErased(
  vault: Pick<Vault, 'open'>,
  { appId, data }: { appId: number; data: EventData | null },
): string | undefined {
  if (typeof data?.sealed !== 'string') return undefined
  try {
    return vault.open(data.sealed, erasedContext(appId))
  } catch {
    return undefined
  }
}
