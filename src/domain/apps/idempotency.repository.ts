import type { Clock } from '../../platform/clock.ts'
import type { Sql } from '../../platform/db/connect.ts'
import { deleteSome } from '../../platform/db/delete-some.ts'

/** The stored first answer to an Idempotency-Key; `status` is null while the first request runs. */
export interface StoredAnswer {
  fingerprint: string
  status: number | null
  headers: string | null
  body: string | null
}

/** How long a key is remembered. */
export const IDEMPOTENCY_DAYS = 30

export function idempotencyRepository(sql: Sql, clock: Clock) {
  return {
    /** Takes the key for this transaction, or gives what was answered to it before. On PostgreSQL it waits for a running first. */
    async begin(appId: number, key: string, fingerprint: string): Promise<'new' | StoredAnswer> {
      await sql('idempotency_keys')
        .where({ app_id: appId, key })
        .where('created_at', '<', clock.now() - IDEMPOTENCY_DAYS * 86_400_000)
        .delete()
      const inserted = await sql('idempotency_keys')
        .insert({ app_id: appId, key, fingerprint, created_at: clock.now() })
        .onConflict(['app_id', 'key'])
        .ignore()
        .returning('key')
      if (inserted.length > 0) return 'new'
      return sql('idempotency_keys').where({ app_id: appId, key }).first('fingerprint', 'status', 'headers', 'body')
    },

    async finish(appId: number, key: string, answer: Omit<StoredAnswer, 'fingerprint'>): Promise<void> {
      await sql('idempotency_keys').where({ app_id: appId, key }).update(answer)
    },

    /** Gives a key back that this transaction took. */
    async forget(appId: number, key: string): Promise<void> {
      await sql('idempotency_keys').where({ app_id: appId, key }).delete()
    },

    /** Forgets at most `limit` keys of any app that are older than the promise. Returns how many. */
    async sweep(limit: number): Promise<number> {
      const before = clock.now() - IDEMPOTENCY_DAYS * 86_400_000
      const old = sql('idempotency_keys').where('created_at', '<', before).orderBy('created_at').limit(limit)
      return deleteSome(sql, 'idempotency_keys', old)
    },

    /** Deletes at most `limit` keys of an app; returns how many. */
    clearApp(appId: number, limit: number): Promise<number> {
      const some = sql('idempotency_keys').where({ app_id: appId }).orderBy('key').limit(limit)
      return deleteSome(sql, 'idempotency_keys', some)
    },
  }
}
