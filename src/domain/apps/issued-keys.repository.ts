import type { Sql } from '../../platform/db/connect.ts'
import { isPostgres } from '../../platform/db/dialect.ts'
import type { Allowed, IssuedKey, IssuedKind } from './issued-keys.ts'

interface IssuedKeyRow {
  id: number
  app_id: number
  kind: IssuedKind
  name: string
  digest: string
  hint: string
  permissions: string
  created_at: number
  last_used_at: number | null
  revoked_at: number | null
}

export type IssuedKeysRepository<K extends IssuedKind> = ReturnType<typeof issuedKeysRepository<K>>

/** Keys of one kind. */
export function issuedKeysRepository<K extends IssuedKind>(sql: Sql, kind: K) {
  const keys = () => sql<IssuedKeyRow>('issued_keys').where({ kind })

  const toKey = (row: IssuedKeyRow): IssuedKey<K> => ({
    id: row.id,
    appId: row.app_id,
    kind,
    name: row.name,
    hint: row.hint,
    permissions: row.permissions.split(',') as Allowed[K][],
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  })

  return {
    async insert(key: Omit<IssuedKey<K>, 'id'>, digest: string): Promise<IssuedKey<K>> {
      const [row] = await sql<IssuedKeyRow>('issued_keys')
        .insert({
          app_id: key.appId,
          kind,
          name: key.name,
          digest,
          hint: key.hint,
          permissions: key.permissions.join(','),
          created_at: key.createdAt,
          last_used_at: null,
          revoked_at: null,
        })
        .returning('*')
      return toKey(row as IssuedKeyRow)
    },

    /** Keys of the app, including revoked ones, in the order of creation. */
    async list(appId: number): Promise<IssuedKey<K>[]> {
      return (await keys().where({ app_id: appId }).orderBy('id')).map(toKey)
    },

    /** How many keys of the app are valid. Locks the app: a second transaction that asks waits for the first. */
    async countInForce(appId: number): Promise<number> {
      if (isPostgres(sql)) await sql('apps').where({ id: appId }).forNoKeyUpdate().first('id')
      const [row] = await keys().where({ app_id: appId, revoked_at: null }).count({ count: '*' })
      return Number(row!.count)
    },

    async find(appId: number, id: number): Promise<IssuedKey<K> | undefined> {
      const row = await keys().where({ app_id: appId, id }).first()
      return row && toKey(row)
    },

    /** The valid key with this digest, of any app: the key identifies the app. */
    async inForce(digest: string): Promise<IssuedKey<K> | undefined> {
      const row = await keys().where({ digest, revoked_at: null }).first()
      return row && toKey(row)
    },

    async revoke(appId: number, id: number, now: number): Promise<void> {
      await keys().where({ app_id: appId, id, revoked_at: null }).update({ revoked_at: now })
    },

    async revokeAll(appId: number, now: number): Promise<void> {
      await keys().where({ app_id: appId, revoked_at: null }).update({ revoked_at: now })
    },

    /** Stores when the key was used. */
    async touch(appId: number, id: number, now: number): Promise<void> {
      await keys().where({ app_id: appId, id }).update({ last_used_at: now })
    },
  }
}
