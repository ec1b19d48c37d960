import { BLOCK_IDS } from '../../../src/domain/crm/store/directory.ts'
import type { Sql } from '../../../src/platform/db/connect.ts'

/** The numbers 1 to `count` as `n.i`. */
export const numbers = (count: number) =>
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`

/** The token of the install with this number (from 1), as long as a token of FCM. */
export function tokenOf(number: number): string {
  return `bench${String(number).padStart(9, '0')}:APA91b${'x'.repeat(140)}`
}

/**
 * Stores what a device's first upload and its association store, for many devices in four statements. Through the API a
 * million devices would take an hour. Install `i` is `install-i`, and its user `user-i`.
 */
export async function insertInstalls(sql: Sql, appId: number, count: number, now = Date.now()): Promise<void> {
  const [before, after] = tokenOf(0).split('000000000') as [string, string]
  if (count === 0) return
  await sql.raw(
    `${numbers(count)} INSERT INTO users
       (app_id, identifier, anonymous, listed, install_count, first_active, last_active, created_at, updated_at)
     SELECT CAST(? AS bigint), 'user-' || i, FALSE, TRUE, 1, CAST(? AS bigint), CAST(? AS bigint), CAST(? AS bigint), CAST(? AS bigint) FROM n`,
    [appId, now, now, now, now],
  )
  await sql.raw(
    `INSERT INTO user_blocks (app_id, block, listed)
     SELECT app_id, id / ${BLOCK_IDS}, COUNT(*) FROM users WHERE app_id = ? AND listed GROUP BY 1, 2`,
    [appId],
  )
  await sql.raw(
    `INSERT INTO installs
       (app_id, install_id, user_id, platform, token, token_at, subscribed, os, timezone, last_active, created_at, updated_at)
     SELECT app_id, 'install-' || substr(identifier, 6), id, 2,
       CAST(? AS text) || substr('000000000' || substr(identifier, 6), length(identifier) - 4) || CAST(? AS text), CAST(? AS bigint), TRUE,
       'Android', 'Europe/Berlin', CAST(? AS bigint), CAST(? AS bigint), CAST(? AS bigint)
     FROM users WHERE app_id = ?`,
    [before, after, now, now, now, now, appId],
  )
}
