import type { Sql } from '../../platform/db/connect.ts'
import { deleteSome } from '../../platform/db/delete-some.ts'
import { unindexed } from '../../platform/db/dialect.ts'
import { newestFirst } from '../../platform/db/pages.ts'
import { ATTEMPTS, type Attempt } from './types.ts'

const NEW = ATTEMPTS.omit('id')
const SHOWN = ATTEMPTS.omit('webhookId', 'appId')

/** Maximum number of attempts of one webhook that are kept, whatever their age. */
const MAX_ATTEMPTS = 1000
/** The number of attempts after which those beyond the limit are deleted. */
const PRUNE_EVERY = 64

export type AttemptsRepository = ReturnType<typeof attemptsRepository>

/** Results of each request to an endpoint, for people who look for a fault. Tables: docs/reference/schema.md#webhook_attempts. */
export function attemptsRepository(sql: Sql) {
  return {
    async insert(attempt: Omit<Attempt, 'id'> & { webhookId: number; appId: number }): Promise<void> {
      const reason = attempt.reason?.slice(0, 255).toWellFormed() ?? null
      const [made] = await sql('webhook_attempts')
        .insert(NEW.toRow({ ...attempt, reason }))
        .returning('id')
      if ((made as { id: number }).id % PRUNE_EVERY !== 0) return
      const oldest: { id: number } | undefined = await sql('webhook_attempts')
        .where({ webhook_id: attempt.webhookId })
        .orderBy('id', 'desc')
        .offset(MAX_ATTEMPTS)
        .first('id')
      if (!oldest) return
      await sql('webhook_attempts').where({ webhook_id: attempt.webhookId }).where('id', '<=', oldest.id).delete()
    },

    /** Attempts, newest first; with `before`, those with a lower id. */
    async list(appId: number, webhookId: number, before: number | undefined, limit: number): Promise<Attempt[]> {
      const rows = await sql('webhook_attempts')
        .where({ webhook_id: webhookId })
        .whereRaw(`${unindexed('app_id')} = ?`, [appId])
        .modify(newestFirst(before, limit))
        .select(SHOWN.names)
      return rows.map(SHOWN.fromRow)
    },

    /** Deletes at most `limit` attempts of all apps from before `before`; returns how many. */
    forget(before: number, limit: number): Promise<number> {
      const old = sql('webhook_attempts').where('happened_at', '<', before).orderBy('happened_at').limit(limit)
      return deleteSome(sql, 'webhook_attempts', old)
    },
  }
}
