import type { Sql } from '../../../platform/db/connect.ts'
import { lockApp } from '../../apps/repository.ts'
import type { SigningMode } from '../types.ts'

/** A stored signing key. Times are milliseconds. */
export interface StoredSigningKey {
  sealed: string
  hint: string
  createdAt: number
  /** Set when the key was replaced. */
  expiresAt: number | null
}

export type SignedIdsRepository = ReturnType<typeof signedIdsRepository>

/** Tables: docs/reference/schema.md#user_signing_keys. */
export function signedIdsRepository(sql: Sql) {
  const keys = () => sql('user_signing_keys')

  return {
    /** The mode of the app; `off` for an unknown app. */
    async mode(appId: number): Promise<SigningMode> {
      const row = await sql('apps').where({ id: appId }).first('signed_users')
      return row?.signed_users ?? 'off'
    },

    /** All keys of the app including expired ones, newest first. */
    keys(appId: number): Promise<StoredSigningKey[]> {
      return keys()
        .where({ app_id: appId })
        .orderBy('id', 'desc')
        .select('sealed', 'hint', 'created_at as createdAt', 'expires_at as expiresAt')
    },

    sealed(limit: number): Promise<{ appId: number; sealed: string }[]> {
      return keys().orderBy('id', 'desc').limit(limit).select('app_id as appId', 'sealed')
    },

    /** Locks the app until the commit, so that of two who change its mode or its keys the later one sees what the other one did. */
    async lock(appId: number): Promise<void> {
      await lockApp(sql, appId)
    },

    async setMode(appId: number, mode: SigningMode, now: number): Promise<void> {
      await sql('apps').where({ id: appId }).update({ signed_users: mode, updated_at: now })
    },

    async insertKey(appId: number, { sealed, hint, createdAt }: Omit<StoredSigningKey, 'expiresAt'>): Promise<void> {
      await keys().insert({ app_id: appId, sealed, hint, created_at: createdAt, expires_at: null })
    },

    /** Makes the keys of the app expire at `expiresAt`, unless they expire earlier anyway. */
    async expireKeys(appId: number, expiresAt: number): Promise<void> {
      await keys()
        .where({ app_id: appId })
        .where((query) => query.whereNull('expires_at').orWhere('expires_at', '>', expiresAt))
        .update({ expires_at: expiresAt })
    },
  }
}
