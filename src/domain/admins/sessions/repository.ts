import type { Sql } from '../../../platform/db/connect.ts'
import { deleteSome } from '../../../platform/db/delete-some.ts'
import { whereAmong } from '../../../platform/db/dialect.ts'
import { SESSIONS, type Session } from '../types.ts'

const SHOWN = SESSIONS.omit('digest')
const NEW = SESSIONS.omit('id')

export type SessionsRepository = ReturnType<typeof sessionsRepository>

/** Tables: docs/reference/schema.md#admin_sessions. */
export function sessionsRepository(sql: Sql) {
  const sessions = () => SESSIONS.in(sql)

  return {
    async find(digest: string): Promise<Session | undefined> {
      const row = await sessions().where({ digest }).first()
      return row && SHOWN.fromRow(row)
    },

    async byIds(ids: readonly number[]): Promise<Session[]> {
      if (ids.length === 0) return []
      return (await whereAmong(sessions(), sql, 'id', [...new Set(ids)])).map((row) => SHOWN.fromRow(row))
    },

    async list(adminId: number): Promise<Session[]> {
      return (await sessions().where({ admin_id: adminId }).orderBy('id')).map((row) => SHOWN.fromRow(row))
    },

    async insert(session: Parameters<typeof NEW.toRow>[0]): Promise<Session> {
      const [row] = await sessions().insert(NEW.toRow(session)).returning('*')
      return SHOWN.fromRow(row!)
    },

    async update(sessionId: number, change: { seenAt?: number; freshUntil?: number }): Promise<void> {
      await sessions().where({ id: sessionId }).update(SESSIONS.toRow(change))
    },

    async remove(adminId: number, id: number): Promise<boolean> {
      return (await sessions().where({ admin_id: adminId, id }).delete()) > 0
    },

    /** Ends all sessions of a person but `keep`. */
    async removeAll(adminId: number, keep = 0): Promise<number> {
      return sessions().where({ admin_id: adminId }).whereNot({ id: keep }).delete()
    },

    /** Deletes at most `limit` that have reached their end; returns how many. */
    forget(now: number, limit: number): Promise<number> {
      const some = sql('admin_sessions').where('expires_at', '<', now).orderBy('expires_at').limit(limit)
      return deleteSome(sql, 'admin_sessions', some)
    },
  }
}
