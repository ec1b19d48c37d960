import type { Sql } from '../../platform/db/connect.ts'
import type { Permission, RestKey } from './rest-keys.ts'

interface RestKeyRow {
  id: number
  app_id: number
  name: string
  digest: string
  hint: string
  permissions: string
  created_at: number
  last_used_at: number | null
  revoked_at: number | null
}

const toRestKey = (row: RestKeyRow): RestKey => ({
  id: row.id,
  appId: row.app_id,
  name: row.name,
  hint: row.hint,
  permissions: row.permissions.split(',') as Permission[],
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
  revokedAt: row.revoked_at,
})

export type RestKeysRepository = ReturnType<typeof restKeysRepository>

export function restKeysRepository(sql: Sql) {
  const keys = () => sql<RestKeyRow>('rest_keys')

  return {
    async insert(key: Omit<RestKey, 'id'>, digest: string): Promise<RestKey> {
      const [row] = await keys()
        .insert({
          app_id: key.appId,
          name: key.name,
          digest,
          hint: key.hint,
          permissions: key.permissions.join(','),
          created_at: key.createdAt,
          last_used_at: null,
          revoked_at: null,
        })
        .returning('*')
      return toRestKey(row!)
    },

    /** Keys of the app in the order of their creation, revoked ones as well. */
    async list(appId: number): Promise<RestKey[]> {
      return (await keys().where({ app_id: appId }).orderBy('id')).map(toRestKey)
    },

    async find(appId: number, id: number): Promise<RestKey | undefined> {
      const row = await keys().where({ app_id: appId, id }).first()
      return row && toRestKey(row)
    },

    /** The key in force with this digest, of whatever app: it is the key that says the app. */
    async inForce(digest: string): Promise<RestKey | undefined> {
      const row = await keys().where({ digest, revoked_at: null }).first()
      return row && toRestKey(row)
    },

    async revoke(appId: number, id: number, now: number): Promise<void> {
      await keys().where({ app_id: appId, id, revoked_at: null }).update({ revoked_at: now })
    },

    async revokeAll(appId: number, now: number): Promise<void> {
      await keys().where({ app_id: appId, revoked_at: null }).update({ revoked_at: now })
    },

    /** Notes a use. */
    async touch(appId: number, id: number, now: number): Promise<void> {
      await keys().where({ app_id: appId, id }).update({ last_used_at: now })
    },
  }
}
