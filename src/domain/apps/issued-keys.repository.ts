import type { Sql } from '../../platform/db/connect.ts'
import { integer, type Row, table, text } from '../../platform/db/table.ts'
import type { IssuedKey, IssuedKind } from './issued-keys.ts'
import { lockApp } from './repository.ts'

const KEYS = table('issued_keys', {
  id: integer('id'),
  appId: integer('app_id'),
  name: text('name'),
  hint: text('hint'),
  permissions: text('permissions').through<readonly string[]>(
    (list) => list.split(','),
    (permissions) => permissions.join(','),
  ),
  createdAt: integer('created_at'),
  lastUsedAt: integer('last_used_at').orNull,
  revokedAt: integer('revoked_at').orNull,
})

export type IssuedKeysRepository<K extends IssuedKind> = ReturnType<typeof issuedKeysRepository<K>>

/** Keys of one kind. Tables: docs/reference/schema.md#issued_keys. */
export function issuedKeysRepository<K extends IssuedKind>(sql: Sql, kind: K) {
  const keys = () => sql('issued_keys').where({ kind })
  const toKey = (row: Row<typeof KEYS>) => ({ ...KEYS.fromRow(row), kind }) as IssuedKey<K>

  return {
    async insert(key: Omit<IssuedKey<K>, 'id'>, digest: string): Promise<IssuedKey<K>> {
      const [row] = await sql('issued_keys')
        .insert({ ...KEYS.toRow(key), kind, digest })
        .returning('*')
      return toKey(row)
    },

    /** Keys of the app, including revoked ones, in the order of creation. */
    async list(appId: number): Promise<IssuedKey<K>[]> {
      return (await keys().where({ app_id: appId }).orderBy('id')).map(toKey)
    },

    /** The number of valid keys of the app. Locks the app: a second transaction that asks waits for the first. */
    async countInForce(appId: number): Promise<number> {
      await lockApp(sql, appId)
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
