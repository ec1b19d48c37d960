import type { Sql } from '../../platform/db/connect.ts'
import { notePictures } from '../pictures/uses.ts'
import { APPROVALS, type Approval, type ApprovalState } from './types.ts'

const NEW = APPROVALS.omit('id')

export type ApprovalsRepository = ReturnType<typeof approvalsRepository>

/** Tables: docs/reference/schema.md#push_approvals. */
export function approvalsRepository(sql: Sql) {
  const approvals = () => APPROVALS.in(sql)

  return {
    async insert(approval: Omit<Approval, 'id'>): Promise<Approval> {
      const [row] = await approvals().insert(NEW.toRow(approval)).returning('*')
      await notePictures(sql, 'push approval', row!.id, approval.request)
      return APPROVALS.fromRow(row!)
    },

    async find(appId: number, id: number): Promise<Approval | undefined> {
      const row = await approvals().where({ app_id: appId, id }).first()
      return row && APPROVALS.fromRow(row)
    },

    /** Approvals, newest first, before the id `after`. */
    async list(
      appId: number,
      { state, after, limit }: { state?: ApprovalState | undefined; after?: number | undefined; limit: number },
    ): Promise<Approval[]> {
      const rows = await approvals()
        .where({ app_id: appId })
        .modify((query) => {
          if (state !== undefined) void query.where({ state })
          if (after !== undefined) void query.where('id', '<', after)
        })
        .orderBy('id', 'desc')
        .limit(limit)
      return rows.map(APPROVALS.fromRow)
    },

    /** The number of approvals of an app, at most `most`. */
    async countUpTo(appId: number, most: number): Promise<number> {
      return (await approvals().where({ app_id: appId }).limit(most).select('id')).length
    },

    /** Deletes the oldest one of an app that was decided. Returns whether there was any. */
    async dropOldestDecided(appId: number): Promise<boolean> {
      const oldest = await approvals().where({ app_id: appId }).whereNot({ state: 'waiting' }).orderBy('id').first('id')
      return oldest !== undefined && (await sql('push_approvals').where({ id: oldest.id }).delete()) > 0
    },

    /** Decides one that waits; false when another person was faster. Its request is forgotten: the notification has it. */
    async decide(
      appId: number,
      id: number,
      decision: { state: ApprovalState; decidedName: string; decidedAt: number; notificationId: number | null },
    ): Promise<boolean> {
      const changes = APPROVALS.toRow({ ...decision, request: null })
      return (await approvals().where({ app_id: appId, id, state: 'waiting' }).update(changes)) > 0
    },

    /** Deletes at most `limit` from before `before` (ms), whatever became of them. Returns how many. */
    async forget(before: number, limit: number): Promise<number> {
      const old = sql('push_approvals').where('requested_at', '<', before).orderBy('requested_at').limit(limit)
      return sql('push_approvals').whereIn('id', old.select('id')).delete()
    },
  }
}
