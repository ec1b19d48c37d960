import { Collision } from '../../platform/db/collision.ts'
import type { Sql } from '../../platform/db/connect.ts'
import { deleteSome } from '../../platform/db/delete-some.ts'
import { prepared, preparedUpsert } from '../../platform/db/prepared.ts'
import type { Clock } from '../../platform/time/clock.ts'

/** The stored response to the first request with an Idempotency-Key; `status` is null while that request runs. */
export type StoredAnswer = {
  fingerprint: string
  status: number | null
  headers: string | null
  body: string | null
}

/** The number of days for which a key is stored. */
const IDEMPOTENCY_DAYS = 30
const KEPT_MS = IDEMPOTENCY_DAYS * 86_400_000

/**
 * The caller that uses an idempotency key: a server, a REST key, a person, or a device, which may add the user it speaks for
 * (at most 72 characters). Keys of different callers are kept apart, because the secret key of devices is public in practice.
 */
export type KeyCaller = 'server' | 'rest' | 'device' | `device:${string}` | `person:${number}`

/** A key as one caller uses it. */
export type CallersKey = {
  appId: number
  caller: KeyCaller
  key: string
}

/** Caller of keys that were stored before callers were kept apart: they may belong to any caller. */
const ANYBODY = ''

const FIND = prepared<CallersKey & { since: number }, StoredAnswer & { caller: string }>(
  `SELECT caller, fingerprint, status, headers, body FROM idempotency_keys
   WHERE app_id = :appId AND key = :key AND caller IN (:caller, '${ANYBODY}') AND created_at >= :since`,
  { appId: 'bigint', caller: 'text', key: 'text', since: 'bigint' },
)
const KEEP = preparedUpsert<StoredAnswer & { app_id: number; key: string; caller: string; created_at: number }>(
  'idempotency_keys',
  {
    app_id: 'bigint',
    key: 'text',
    caller: 'text',
    fingerprint: 'text',
    status: 'bigint',
    headers: 'text',
    body: 'text',
    created_at: 'bigint',
  },
  { key: ['app_id', 'key', 'caller'], replaces: `idempotency_keys.created_at < excluded.created_at - ${KEPT_MS}` },
)

/** Tables: docs/reference/schema.md#idempotency_keys. */
export function idempotencyRepository(sql: Sql, clock: Clock) {
  return {
    /** The stored answer to a key; undefined for a new one. */
    async find(of: CallersKey, fingerprint: string): Promise<StoredAnswer | undefined> {
      const found = await FIND.all(sql, { ...of, since: clock.now() - KEPT_MS })
      const own = found.find(({ caller }) => caller === of.caller)
      if (own) return own
      const [before] = found
      // With another fingerprint it is most likely a server's key: a server gets the conflict, a device is not
      // affected.
      return before?.fingerprint !== fingerprint && of.caller.startsWith('device') ? undefined : before
    },

    /**
     * Stores the answer to a new key in the transaction of its work. On PostgreSQL it waits for another first request with this key,
     * and throws `Collision` when that has stored its answer.
     */
    async keep({ appId, ...of }: CallersKey, answer: StoredAnswer): Promise<void> {
      const row = { app_id: appId, ...of, ...answer, created_at: clock.now() }
      if ((await KEEP.run(sql, row)) === 0) throw new Collision('another request with this Idempotency-Key was faster')
    },

    /** Deletes at most `limit` keys of any app that are older than they are kept; returns how many. */
    async sweep(limit: number): Promise<number> {
      const before = clock.now() - KEPT_MS
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
