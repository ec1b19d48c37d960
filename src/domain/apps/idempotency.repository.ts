import type { Sql } from '../../platform/db/connect.ts'
import { deleteSome } from '../../platform/db/delete-some.ts'
import type { Clock } from '../../platform/time/clock.ts'

/** The stored response to the first request with an Idempotency-Key; `status` is null while that request runs. */
export interface StoredAnswer {
  fingerprint: string
  status: number | null
  headers: string | null
  body: string | null
}

/** The number of days for which a key is stored. */
const IDEMPOTENCY_DAYS = 30

/**
 * The caller that uses an idempotency key: a server, a REST key, a person, or a device, which may add the user it speaks for
 * (at most 72 characters). Keys of different callers are kept apart, because the secret key of devices is public in practice.
 */
export type KeyCaller = 'server' | 'rest' | 'device' | `device:${string}` | `person:${number}`

/** A key as one caller uses it. */
export interface CallersKey {
  appId: number
  caller: KeyCaller
  key: string
}

/** Caller of keys that were stored before callers were kept apart: they may belong to any caller. */
const ANYBODY = ''

/** Tables: docs/reference/schema.md#idempotency_keys. */
export function idempotencyRepository(sql: Sql, clock: Clock) {
  const rowOf = ({ appId, key, caller }: CallersKey) => ({ app_id: appId, key, caller })
  const ofAnybody = ({ appId, key }: CallersKey) => ({ app_id: appId, key, caller: ANYBODY })

  return {
    /**
     * Reserves the key for this transaction, or returns its stored answer. On PostgreSQL it waits for a running first
     * request.
     */
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
      // With another fingerprint it is most likely a server's key: a server gets the conflict, a device is not
      // affected.
      if (!before || (before.fingerprint !== fingerprint && of.caller.startsWith('device'))) return 'new'
      await this.forget(of)
      return before
    },

    async finish(of: CallersKey, answer: Omit<StoredAnswer, 'fingerprint'>): Promise<void> {
      await sql('idempotency_keys').where(rowOf(of)).update(answer)
    },

    /** Releases a key that this transaction reserved. */
    async forget(of: CallersKey): Promise<void> {
      await sql('idempotency_keys').where(rowOf(of)).delete()
    },

    /** Deletes at most `limit` keys of any app that are older than `IDEMPOTENCY_DAYS`; returns how many. */
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
