import type { Clock } from '../../platform/clock.ts'
import type { Vault } from '../../platform/crypto.ts'
import { AppError } from '../../platform/errors.ts'
import { mintKey } from '../../platform/ids.ts'
import { hintOf } from './keys.ts'
import type { RestKeysRepository } from './rest-keys.repository.ts'
import { PERMISSIONS, type Permission, type RestKey } from './rest-keys.ts'

/** Uses are noted this often, not more: a note is a write. */
const NOTED_EVERY_MS = 3_600_000

export type RestKeysService = ReturnType<typeof restKeysService>

/** REST keys: they open the data area and nothing else. */
export function restKeysService({ repo, vault, clock }: { repo: RestKeysRepository; vault: Vault; clock: Clock }) {
  return {
    /** A new key, in clear this once. */
    async create(
      appId: number,
      { name = '', permissions }: { name?: string | undefined; permissions: readonly Permission[] },
    ): Promise<RestKey & { key: string }> {
      const key = mintKey('rk')
      const kept = await repo.insert(
        {
          appId,
          name,
          hint: hintOf(key),
          permissions: PERMISSIONS.filter((permission) => permissions.includes(permission)),
          createdAt: clock.now(),
          lastUsedAt: null,
          revokedAt: null,
        },
        vault.digest(key),
      )
      return { ...kept, key }
    },

    list: (appId: number): Promise<RestKey[]> => repo.list(appId),

    /** Ends a key at once; one that has ended stays so. Throws `not_found`. */
    async revoke(appId: number, id: number): Promise<RestKey> {
      await repo.revoke(appId, id, clock.now())
      const key = await repo.find(appId, id)
      if (!key) throw new AppError('not_found', `there is no REST key ${id}: appsvc keys list shows them`)
      return key
    },

    /** Ends all keys of the app at once. */
    revokeAll: (appId: number): Promise<void> => repo.revokeAll(appId, clock.now()),

    /**
     * The key that this text is, unless it is revoked. It is found by its digest, so there is nothing to compare in equal time.
     */
    authenticate: (key: string): Promise<RestKey | undefined> => repo.inForce(vault.digest(key)),

    /** Whether a use of the key should be noted with `noteUse`. */
    isUseDue: ({ lastUsedAt }: RestKey): boolean => lastUsedAt === null || clock.now() - lastUsedAt >= NOTED_EVERY_MS,

    noteUse: ({ appId, id }: RestKey): Promise<void> => repo.touch(appId, id, clock.now()),
  }
}
