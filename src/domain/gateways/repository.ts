import type { Sql } from '../../platform/db/connect.ts'
import { isPostgres } from '../../platform/db/dialect.ts'
import type { CredentialFacts } from './gateway.ts'
import { PLATFORM_TYPES, type Platform, platformOf } from './registry.ts'
import type { Expiry, GatewayConfig } from './types.ts'

interface ConfigRow {
  id: number
  app_id: number
  platform: number
  sealed: string
  facts: string
  sendable: boolean | number
  version: number
  not_after: number | null
  expiry_notice: number | null
  created_at: number
  updated_at: number
}

const toExpiry = ({ app_id, platform, not_after, expiry_notice }: ConfigRow): Expiry => ({
  appId: app_id,
  platform: platformOf(platform)!,
  notAfter: not_after!,
  notice: expiry_notice,
})

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

    async platforms(appId: number): Promise<Platform[]> {
      const rows = await sql<ConfigRow>('gateway_configs')
        .where({ app_id: appId })
        .orderBy('platform')
        .select('platform')
      return rows.map(({ platform }) => platformOf(platform)!)
    },

    async find(appId: number, platform: Platform): Promise<(GatewayConfig & { sealed: string }) | undefined> {
      const row = await sql<ConfigRow>('gateway_configs')
        .where({ app_id: appId, platform: PLATFORM_TYPES[platform] })
        .first()
      return row && { ...toConfig(row), sealed: row.sealed }
    },

    async sealed(limit: number): Promise<{ appId: number; platform: Platform; sealed: string }[]> {
      const rows = await sql<ConfigRow>('gateway_configs')
        .orderBy('id', 'desc')
        .limit(limit)
        .select('app_id', 'platform', 'sealed')
      return rows.map((row) => ({ appId: row.app_id, platform: platformOf(row.platform)!, sealed: row.sealed }))
    },

    /** Locks the app's configuration until the end of the transaction, so that `merge` sees the latest one. */
    async lock(appId: number): Promise<void> {
      if (isPostgres(sql)) await sql('apps').where({ id: appId }).forNoKeyUpdate().first('id')
    },

    /** Insert or replace. */
    async save(
      appId: number,
      platform: Platform,
      { sealed, facts, sendable, now }: { sealed: string; facts: CredentialFacts; sendable: boolean; now: number },
    ): Promise<void> {
      const values = {
        sealed,
        facts: JSON.stringify(facts),
        sendable,
        not_after: facts.notAfter ?? null,
        // No warning has been given for this credential yet.
        expiry_notice: null,
        updated_at: now,
      }
      await sql<ConfigRow>('gateway_configs')
        .insert({ app_id: appId, platform: PLATFORM_TYPES[platform], version: 1, created_at: now, ...values })
        .onConflict(['app_id', 'platform'])
        .merge({ ...values, version: sql.raw('gateway_configs.version + 1') as unknown as number })
    },

    /** Credentials of all apps that expire, soonest first; with `before` (ms), only those that expire until then. */
    async expiries(before?: number): Promise<Expiry[]> {
      const rows = await sql<ConfigRow>('gateway_configs')
        .whereNotNull('not_after')
        .modify((q) => {
          if (before !== undefined) q.where('not_after', '<=', before)
        })
        .orderBy(['not_after', 'id'])
        .select('app_id', 'platform', 'not_after', 'expiry_notice')
      return (rows as ConfigRow[]).map(toExpiry)
    },

    /** Records a warning. False if another was recorded since `expiry` was read, or the credential changed. */
    async markNotice({ appId, platform, notAfter, notice: before }: Expiry, notice: number): Promise<boolean> {
      const changed = await sql<ConfigRow>('gateway_configs')
        .where({ app_id: appId, platform: PLATFORM_TYPES[platform], not_after: notAfter, expiry_notice: before })
        .update({ expiry_notice: notice })
      return changed > 0
    },

    async remove(appId: number, platform: Platform): Promise<boolean> {
      const where = { app_id: appId, platform: PLATFORM_TYPES[platform] }
      return (await sql<ConfigRow>('gateway_configs').where(where).delete()) > 0
    },
  }
}
