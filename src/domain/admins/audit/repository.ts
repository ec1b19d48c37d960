import type { Sql } from '../../../platform/db/connect.ts'
import { deleteSome } from '../../../platform/db/delete-some.ts'
import { integer, json, table, text } from '../../../platform/db/table.ts'

const AUDIT = table('audit', {
  id: integer('id'),
  at: integer('happened_at'),
  adminId: integer('admin_id').orNull,
  who: text('who'),
  role: text('role').orNull,
  action: text('action'),
  appId: integer('app_id').orNull,
  target: text('target').orNull,
  before: json('before').as<unknown>().orNull,
  after: json('after').as<unknown>().orNull,
  remote: text('remote'),
})
const NEW = AUDIT.omit('id')

/** One row of the audit log. */
export type AuditEntry = ReturnType<typeof AUDIT.fromRow>

/** Filters of the audit log: by app, person and action. `after` is the id of the last row of the page before. */
export interface AuditFilter {
  appId?: number | undefined
  adminId?: number | undefined
  action?: string | undefined
  after?: number | undefined
  limit: number
}

export type AuditRepository = ReturnType<typeof auditRepository>

/** The rows of the audit log. Nothing changes a row: what happened stays. Tables: docs/reference/schema.md#audit. */
export function auditRepository(sql: Sql) {
  return {
    async add(entry: Parameters<typeof NEW.toRow>[0]): Promise<void> {
      await AUDIT.in(sql).insert(NEW.toRow(entry))
    },

    async list({ appId, adminId, action, after, limit }: AuditFilter): Promise<AuditEntry[]> {
      const rows = await AUDIT.in(sql)
        .modify((q) => {
          if (appId !== undefined) void q.where({ app_id: appId })
          if (adminId !== undefined) void q.where({ admin_id: adminId })
          if (action !== undefined) void q.where({ action })
          if (after !== undefined) void q.where('id', '<', after)
        })
        .orderBy('id', 'desc')
        .limit(limit)
      return rows.map(AUDIT.fromRow)
    },

    /** Deletes at most `limit` rows older than `before`; returns how many. */
    forget(before: number, limit: number): Promise<number> {
      return deleteSome(
        sql,
        'audit',
        sql('audit').where('happened_at', '<', before).orderBy('happened_at').limit(limit),
      )
    },
  }
}
