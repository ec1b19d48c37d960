import type { Knex } from 'knex'
import type { Sql } from '../../platform/db/connect.ts'
import { rowsOf } from '../../platform/db/dialect.ts'

/** Subscribed installs of an app and a platform, in the order of their rows, from behind one of them. */
export interface Stretch {
  appId: number
  platform: number
  after: number
}

const AMONG = 'app_id = ? AND platform = ? AND subscribed'

/** How many the next installs are, at most `size`, and the last of them; null when there are none. From the partial index alone. */
export async function nextStretch(
  sql: Sql,
  { appId, platform, after }: Stretch,
  size: number,
): Promise<{ last: number | null; seen: number }> {
  const end = await sql.raw(
    `SELECT MAX(id) AS last, COUNT(*) AS seen FROM
       (SELECT id FROM installs WHERE ${AMONG} AND id > ? ORDER BY id LIMIT ${size}) AS next`,
    [appId, platform, after],
  )
  const [row] = rowsOf<{ last: number | null; seen: number }>(end)
  return row!
}

/**
 * Of the next `size` installs those of whom all conditions hold, ascending, and the last one that was looked at; null when the
 * stretch is at its end. Two statements, so that neither looks at more than that however few are meant, and only those who are
 * meant leave the database. Conditions speak of `installs`.
 */
export async function meantAmong(
  sql: Sql,
  { appId, platform, after }: Stretch,
  size: number,
  conditions: readonly Knex.Raw[],
): Promise<{ rows: number[]; last: number | null }> {
  const { last, seen } = await nextStretch(sql, { appId, platform, after }, size)
  if (last === null) return { rows: [], last: null }
  const found = await sql.raw(
    `SELECT id FROM installs WHERE ${AMONG} AND id > ? AND id <= ?${' AND ?'.repeat(conditions.length)} ORDER BY id`,
    [appId, platform, after, last, ...conditions] as Knex.RawBinding[],
  )
  return { rows: rowsOf<{ id: number }>(found).map(({ id }) => id), last: seen < size ? null : last }
}
