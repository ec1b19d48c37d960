import type { Sql } from '../../platform/db/connect.ts'
import { prepared, preparedPlan } from '../../platform/db/prepared.ts'
import { integer, type Row, table, text } from '../../platform/db/table.ts'
import { PLATFORM_TYPES, type Platform, platformOf } from './registry.ts'
import type { HoldKind, Lane } from './types.ts'

/** A platform, stored as the number that devices send. */
export const platformColumn = integer('platform').through<Platform>(
  (type) => platformOf(type)!,
  (platform) => PLATFORM_TYPES[platform],
)

const LANES = table('lanes', {
  id: integer('id'),
  appId: integer('app_id'),
  platform: platformColumn,
  heldUntil: integer('held_until'),
  holdKind: text('hold_kind').as<HoldKind>().orNull,
  holdReason: text('hold_reason').orNull,
  holds: integer('holds'),
})

const FIND = preparedPlan<{ laneId: number }, Row<typeof LANES>>(
  `SELECT ${LANES.names.join(', ')} FROM lanes WHERE id = :laneId`,
)

const OF_GATEWAY = prepared<{ appId: number; platform: number }, Row<typeof LANES>>(
  `SELECT ${LANES.names.join(', ')} FROM lanes WHERE app_id = :appId AND platform = :platform`,
)

const SENDABLE = preparedPlan<{ appId: number; platform: number }, { id: number }>(
  `SELECT lanes.id FROM lanes JOIN gateway_configs AS gateway
     ON gateway.app_id = lanes.app_id AND gateway.platform = lanes.platform AND gateway.sendable
   WHERE lanes.app_id = :appId AND lanes.platform = :platform`,
  { appId: 'bigint', platform: 'bigint' },
)

export type LanesRepository = ReturnType<typeof lanesRepository>

/** Tables: docs/reference/schema.md#lanes. */
export function lanesRepository(sql: Sql) {
  return {
    /** The lane of an app's gateway, created on first use. */
    async ensure(appId: number, platform: Platform, now: number): Promise<Lane> {
      const gateway = { appId, platform: PLATFORM_TYPES[platform] }
      const found = await OF_GATEWAY.first(sql, gateway)
      if (found) return LANES.fromRow(found)
      await sql('lanes')
        .insert({ app_id: appId, platform: gateway.platform, held_until: 0, holds: 0, updated_at: now })
        .onConflict(['app_id', 'platform'])
        .ignore()
      return LANES.fromRow((await OF_GATEWAY.first(sql, gateway))!)
    },

    /** The id of the lane of a gateway that can send; undefined without one. */
    async sendable(appId: number, platform: Platform): Promise<number | undefined> {
      return (await SENDABLE.first(sql, { appId, platform: PLATFORM_TYPES[platform] }))?.id
    },

    async find(laneId: number): Promise<Lane | undefined> {
      const row = await FIND.first(sql, { laneId })
      return row && LANES.fromRow(row)
    },

    async list(appId?: number): Promise<Lane[]> {
      const rows = await sql('lanes')
        .modify((q) => {
          if (appId !== undefined) q.where({ app_id: appId })
        })
        .orderBy('id')
      return rows.map(LANES.fromRow)
    },

    /** Holds a lane until a time; `holds` is the number of consecutive holds. */
    async hold(
      laneId: number,
      hold: { until: number; kind: HoldKind; reason: string; holds: number },
      now: number,
    ): Promise<void> {
      await sql('lanes')
        .where({ id: laneId })
        .update({
          ...LANES.toRow({ heldUntil: hold.until, holdKind: hold.kind, holdReason: hold.reason, holds: hold.holds }),
          updated_at: now,
        })
    },

    /** Ends the hold of the lane of an app's gateway, if it has one. */
    async openOf(appId: number, platform: Platform, now: number): Promise<void> {
      await sql('lanes')
        .where({ app_id: appId, platform: PLATFORM_TYPES[platform] })
        .update({ held_until: 0, hold_kind: null, hold_reason: null, holds: 0, updated_at: now })
    },

    /** Ends the hold of a lane: a message was accepted, or its credential was changed. */
    async open(laneId: number, now: number): Promise<void> {
      await sql('lanes')
        .where({ id: laneId })
        .update({ held_until: 0, hold_kind: null, hold_reason: null, holds: 0, updated_at: now })
    },
  }
}
