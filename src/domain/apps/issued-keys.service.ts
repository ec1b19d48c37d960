import { mintKey } from '../../platform/crypto/ids.ts'
import type { Vault } from '../../platform/crypto/vault.ts'
import { AppError } from '../../platform/errors.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { IssuedKeysRepository } from './issued-keys.repository.ts'
import { type Allowed, ISSUED, type IssuedKey, type IssuedKind, MAX_KEYS } from './issued-keys.ts'
import type { Admission, KeyMemory } from './key-memory.ts'
import { hintOf } from './keys.ts'

/** The time of use is stored at most once in this time, because it is a write. */
const USE_INTERVAL_MS = 3_600_000

interface Parts<K extends IssuedKind> {
  kind: K
  repo: IssuedKeysRepository<K>
  vault: Vault
  clock: Clock
  known: Pick<KeyMemory, 'find'>
  /** Forgets the known keys once the change is committed. */
  keysEnded(): void
}

/** Keys of one kind: REST keys, which give access to data tables, or server keys with scopes. */
export function issuedKeysService<K extends IssuedKind>({ kind, repo, vault, clock, known, keysEnded }: Parts<K>) {
  const { prefix, noun } = ISSUED[kind]
  const allowed: readonly Allowed[K][] = ISSUED[kind].allowed

  async function admittedBy(key: string): Promise<(Admission & { key: IssuedKey<K> }) | undefined> {
    const found = await repo.inForce(vault.digest(key))
    return found && { appId: found.appId, until: (found.lastUsedAt ?? -Infinity) + USE_INTERVAL_MS, key: found }
  }

  return {
    /**
     * Creates a key and returns it in clear text, this once. Throws `conflict` when the app has the maximum number of
     * keys.
     */
    async create(
      appId: number,
      { name = '', permissions }: { name?: string | undefined; permissions: readonly Allowed[K][] },
    ): Promise<IssuedKey<K> & { key: string }> {
      if ((await repo.countInForce(appId)) >= MAX_KEYS) {
        throw new AppError('conflict', `the app has ${MAX_KEYS} ${noun}s, the maximum: end one with appsvc keys delete`)
      }
      const key = mintKey(prefix)
      const kept = await repo.insert(
        {
          appId,
          kind,
          name,
          hint: hintOf(key),
          permissions: allowed.filter((permission) => permissions.includes(permission)),
          createdAt: clock.now(),
          lastUsedAt: null,
          revokedAt: null,
        },
        vault.digest(key),
      )
      return { ...kept, key }
    },

    list: (appId: number): Promise<IssuedKey<K>[]> => repo.list(appId),

    find: (appId: number, id: number): Promise<IssuedKey<K> | undefined> => repo.find(appId, id),

    /** Ends a key at once; one that has ended stays so. Throws `not_found`. */
    async revoke(appId: number, id: number): Promise<IssuedKey<K>> {
      await repo.revoke(appId, id, clock.now())
      keysEnded()
      const key = await repo.find(appId, id)
      if (!key) throw new AppError('not_found', `there is no key ${id}: appsvc keys list shows them`)
      return key
    },

    /** Ends all keys of the app at once. */
    async revokeAll(appId: number): Promise<void> {
      await repo.revokeAll(appId, clock.now())
      keysEnded()
    },

    /**
     * The valid key with this text, or undefined. The look-up is by digest, which nobody can compute without the master
     * key, so a comparison in constant time is not needed.
     */
    async authenticate(key: string): Promise<IssuedKey<K> | undefined> {
      return (await known.find(kind === 'rest' ? 'rest' : 'scoped', [key], () => admittedBy(key)))?.key
    },

    /** Tells whether the use of the key should be stored with `noteUse`. */
    isUseDue: ({ lastUsedAt }: IssuedKey): boolean =>
      lastUsedAt === null || clock.now() - lastUsedAt >= USE_INTERVAL_MS,

    noteUse: ({ appId, id }: IssuedKey): Promise<void> => repo.touch(appId, id, clock.now()),
  }
}
