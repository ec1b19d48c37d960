import type { Sql } from '../../platform/db/connect.ts'
import { type CredentialFacts, PLATFORM_TYPES, type Platform, platformOf } from './gateway.ts'
import type { GatewayConfig } from './types.ts'

interface ConfigRow {
  id: number
  app_id: number
  platform: number
  sealed: string
  facts: string
  sendable: boolean | number
  version: number
  created_at: number
  updated_at: number
}

const toConfig = (row: ConfigRow): GatewayConfig => ({
  id: row.id,
  appId: row.app_id,
  platform: platformOf(row.platform)!,
  version: row.version,
  facts: JSON.parse(row.facts) as CredentialFacts,
  sendable: Boolean(row.sendable),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

export type GatewaysRepository = ReturnType<typeof gatewaysRepository>

export function gatewaysRepository(sql: Sql) {
  return {
    async list(appId: number): Promise<GatewayConfig[]> {
      return (await sql<ConfigRow>('gateway_configs').where({ app_id: appId }).orderBy('platform')).map(toConfig)
    },

    async find(appId: number, platform: Platform): Promise<(GatewayConfig & { sealed: string }) | undefined> {
      const row = await sql<ConfigRow>('gateway_configs')
        .where({ app_id: appId, platform: PLATFORM_TYPES[platform] })
        .first()
      return row && { ...toConfig(row), sealed: row.sealed }
    },

    /** Insert or replace. */
    async save(
      appId: number,
      platform: Platform,
      { sealed, facts, sendable, now }: { sealed: string; facts: CredentialFacts; sendable: boolean; now: number },
    ): Promise<void> {
      const values = { sealed, facts: JSON.stringify(facts), sendable, updated_at: now }
      await sql<ConfigRow>('gateway_configs')
        .insert({ app_id: appId, platform: PLATFORM_TYPES[platform], version: 1, created_at: now, ...values })
        .onConflict(['app_id', 'platform'])
        .merge({ ...values, version: sql.raw('gateway_configs.version + 1') as unknown as number })
    },

    async remove(appId: number, platform: Platform): Promise<boolean> {
      const where = { app_id: appId, platform: PLATFORM_TYPES[platform] }
      return (await sql<ConfigRow>('gateway_configs').where(where).delete()) > 0
    },
  }
}
