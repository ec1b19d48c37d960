import type { Sql } from '../../platform/db/connect.ts'
import { rowsOf, whereAmong } from '../../platform/db/dialect.ts'
import { PLATFORM_TYPES, type Platform, platformOf } from '../gateways/gateway.ts'
import type { Target } from './types.ts'

/** How far a walk has come: the last install row of each platform, or the place in a list of installs. JSON. */
export interface Cursor {
  /** Platform type -> last row seen; `null` when that platform is through. */
  platforms?: Record<string, number | null>
  /** Installs of an explicit list that are through. */
  listed?: number
}

/** Recipients of one platform in ascending order; without a platform they cannot be reached any more (no token). */
export interface Step {
  platform: Platform | undefined
  rows: number[]
}

export type Audience = ReturnType<typeof audienceOf>

/** Walks an audience by key, a page at a time, holding nothing: the same cursor gives the same next page after a crash. */
export function audienceOf(sql: Sql) {
  async function subscribedAfter(appId: number, type: number, after: number, limit: number): Promise<number[]> {
    // The hottest read there is: plain SQL, answered from the partial index alone.
    const result = await sql.raw(
      'SELECT id FROM installs WHERE app_id = ? AND platform = ? AND id > ? AND subscribed ORDER BY id LIMIT ?',
      [appId, type, after, limit],
    )
    return rowsOf<{ id: number }>(result).map((row) => row.id)
  }

  async function broadcastStep(appId: number, cursor: Cursor, limit: number) {
    const platforms = {
      ...(cursor.platforms ?? Object.fromEntries(Object.values(PLATFORM_TYPES).map((type) => [type, 0]))),
    }
    const steps: Step[] = []
    // One page of each platform a step, so that lanes start side by side.
    for (const [type, after] of Object.entries(platforms)) {
      if (after === null) continue
      const rows = await subscribedAfter(appId, Number(type), after, limit)
      platforms[type] = rows.length < limit ? null : rows.at(-1)!
      if (rows.length > 0) steps.push({ platform: platformOf(Number(type)), rows })
    }
    return { steps, cursor: { platforms }, done: Object.values(platforms).every((after) => after === null) }
  }

  async function listStep(appId: number, rows: number[], cursor: Cursor, limit: number) {
    const from = cursor.listed ?? 0
    const slice = rows.slice(from, from + limit)
    const found: { id: number; platform: number | null; subscribed: boolean | number }[] = await whereAmong(
      sql('installs').where({ app_id: appId }),
      sql,
      'id',
      slice,
    )
      .orderBy('id')
      .select('id', 'platform', 'subscribed')
    const byPlatform = new Map<Platform | undefined, number[]>()
    for (const row of found) {
      const platform = row.subscribed && row.platform !== null ? platformOf(row.platform) : undefined
      const list = byPlatform.get(platform)
      if (list) list.push(row.id)
      else byPlatform.set(platform, [row.id])
    }
    const steps = [...byPlatform].map(([platform, rows]) => ({ platform, rows }))
    return { steps, cursor: { listed: from + slice.length }, done: from + slice.length >= rows.length }
  }

  return {
    /** The next pages (at most `limit` recipients each, one a platform), the cursor behind them, and whether that was all. */
    async step(
      appId: number,
      target: Target,
      cursor: Cursor,
      limit: number,
    ): Promise<{ steps: Step[]; cursor: Cursor; done: boolean }> {
      const result =
        target.kind === 'broadcast'
          ? await broadcastStep(appId, cursor, limit)
          : await listStep(appId, target.rows, cursor, limit)
      if (target.exclude.length === 0) return result
      const excluded = new Set(target.exclude)
      const steps = result.steps
        .map(({ platform, rows }) => ({ platform, rows: rows.filter((row) => !excluded.has(row)) }))
        .filter(({ rows }) => rows.length > 0)
      return { ...result, steps }
    },

    /** How many installs the target means now, by platform; for previews. Counts without holding them. */
    async count(appId: number, target: Target, limit = 1000): Promise<Partial<Record<Platform, number>>> {
      const counts: Partial<Record<Platform, number>> = {}
      let cursor: Cursor = {}
      for (let done = false; !done; ) {
        const step = await this.step(appId, target, cursor, limit)
        for (const { platform, rows } of step.steps)
          if (platform) counts[platform] = (counts[platform] ?? 0) + rows.length
        cursor = step.cursor
        done = step.done
      }
      return counts
    },
  }
}
