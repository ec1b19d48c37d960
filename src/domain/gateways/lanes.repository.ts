import type { Sql } from '../../platform/db/connect.ts'
import { PLATFORM_TYPES, type Platform, platformOf } from './registry.ts'
import type { HoldKind, Lane } from './types.ts'

interface LaneRow {
  id: number
  app_id: number
  platform: number
  held_until: number
  hold_kind: HoldKind | null
  hold_reason: string | null
  holds: number
  updated_at: number
}

const toLane = (row: LaneRow): Lane => ({
  id: row.id,
  appId: row.app_id,
  platform: platformOf(row.platform)!,
  heldUntil: row.held_until,
  holdKind: row.hold_kind,
  holdReason: row.hold_reason,
  holds: row.holds,
})

export type LanesRepository = ReturnType<typeof lanesRepository>

export function lanesRepository(sql: Sql) {
  return {
    /** The lane of an app's gateway, created on first use. */
    async ensure(appId: number, platform: Platform, now: number): Promise<Lane> {
      const where = { app_id: appId, platform: PLATFORM_TYPES[platform] }
      const found = await sql<LaneRow>('lanes').where(where).first()
      if (found) return toLane(found)
      await sql<LaneRow>('lanes')
        .insert({ ...where, held_until: 0, holds: 0, updated_at: now })
        .onConflict(['app_id', 'platform'])
        .ignore()
      return toLane((await sql<LaneRow>('lanes').where(where).first())!)
    },

    async find(id: number): Promise<Lane | undefined> {
      const row = await sql<LaneRow>('lanes').where({ id }).first()
      return row && toLane(row)
    },

    async list(appId?: number): Promise<Lane[]> {
      const rows = await sql<LaneRow>('lanes')
        .modify((q) => {
          if (appId !== undefined) q.where({ app_id: appId })
        })
        .orderBy('id')
      return rows.map(toLane)
    },

    /** Holds a lane until a time; `holds` is the number of consecutive holds. */
    async hold(
      id: number,
      hold: { until: number; kind: HoldKind; reason: string; holds: number },
      now: number,
    ): Promise<void> {
      await sql<LaneRow>('lanes').where({ id }).update({
        held_until: hold.until,
        hold_kind: hold.kind,
        hold_reason: hold.reason,
        holds: hold.holds,
        updated_at: now,
      })
    },

    /** Opens a lane after an acceptance or a change of its credential. */
    async open(id: number, now: number): Promise<void> {
      await sql<LaneRow>('lanes')
        .where({ id })
        .update({ held_until: 0, hold_kind: null, hold_reason: null, holds: 0, updated_at: now })
    },
  }
}
