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

/** How long a key is kept. */
export const IDEMPOTENCY_DAYS = 30

/**
 * The kind of caller: a server, a REST key or a device, with whom it acts for (at most 72 characters). Each has a namespace of its own,
 * because the key of devices is public.
 */
export type KeyCaller = 'server' | 'rest' | 'device' | `device:${string}`

/** A key as one caller uses it. */
export interface CallersKey {
  appId: number
  caller: KeyCaller
  key: string
}

/** The caller of keys that were stored before callers were distinguished: unknown. */
const ANYBODY = ''

export function idempotencyRepository(sql: Sql, clock: Clock) {
  const rowOf = ({ appId, key, caller }: CallersKey) => ({ app_id: appId, key, caller })
  const ofAnybody = ({ appId, key }: CallersKey) => ({ app_id: appId, key, caller: ANYBODY })

  return {
    /** Claims the key for this transaction, or returns the stored answer. On PostgreSQL it waits for a concurrent first request. */
    async begin(of: CallersKey, fingerprint: string): Promise<'new' | StoredAnswer> {
      await sql('idempotency_keys')
        .where({ app_id: of.appId, key: of.key })
        .whereIn('caller', [of.caller, ANYBODY])
        .where('created_at', '<', clock.now() - IDEMPOTENCY_DAYS * 86_400_000)
        .delete()
      const inserted = await sql('idempotency_keys')
        .insert({ ...rowOf(of), fingerprint, created_at: clock.now() })
        .onConflict(['app_id', 'key', 'caller'])
        .ignore()
        .returning('key')
      const answer = ['fingerprint', 'status', 'headers', 'body']
      if (inserted.length === 0) return sql('idempotency_keys').where(rowOf(of)).first(answer)
      const before: StoredAnswer | undefined = await sql('idempotency_keys').where(ofAnybody(of)).first(answer)
      // A key of another request was most likely a server's. It binds servers, but not devices.
      if (!before || (before.fingerprint !== fingerprint && of.caller.startsWith('device'))) return 'new'
      await this.forget(of)
      return before
    },

    async finish(of: CallersKey, answer: Omit<StoredAnswer, 'fingerprint'>): Promise<void> {
      await sql('idempotency_keys').where(rowOf(of)).update(answer)
    },

    /** Releases a key that this transaction claimed. */
    async forget(of: CallersKey): Promise<void> {
      await sql('idempotency_keys').where(rowOf(of)).delete()
    },

    /** Deletes at most `limit` keys of all apps older than `IDEMPOTENCY_DAYS`. Returns how many. */
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
