import type { Sql } from '../../platform/db/connect.ts'
import { preparedPlan } from '../../platform/db/prepared.ts'
import { boolean, definition, integer, type Row, table, text } from '../../platform/db/table.ts'
import { lockApp } from '../apps/repository.ts'
import type { CredentialFacts } from './gateway.ts'
import { platformColumn } from './lanes.repository.ts'
import { PLATFORM_TYPES, type Platform } from './registry.ts'
import type { Expiry, GatewayConfig } from './types.ts'

const CONFIGS = table('gateway_configs', {
  id: integer('id'),
  appId: integer('app_id'),
  platform: platformColumn,
  version: integer('version'),
  sealed: text('sealed'),
  facts: definition('facts', { warnings: [] }).as<CredentialFacts>(),
  sendable: boolean('sendable'),
  notAfter: integer('not_after').orNull,
  notice: integer('expiry_notice').orNull,
  createdAt: integer('created_at'),
  updatedAt: integer('updated_at'),
})
/** Columns without the credential itself. */
const SHOWN = CONFIGS.omit('sealed', 'notAfter', 'notice')
const WITH_CREDENTIAL = CONFIGS.omit('notAfter', 'notice')
const PLATFORM = CONFIGS.pick('platform')
const NAMES = CONFIGS.pick('appId', 'platform')
const SEALED = CONFIGS.pick('appId', 'platform', 'sealed')
const EXPIRIES = CONFIGS.pick('appId', 'platform', 'notAfter', 'notice')

const FIND = preparedPlan<{ appId: number; type: number }, Row<typeof WITH_CREDENTIAL>>(
  `SELECT ${WITH_CREDENTIAL.names.join(', ')} FROM gateway_configs WHERE app_id = :appId AND platform = :type`,
)

export type GatewaysRepository = ReturnType<typeof gatewaysRepository>

/** Tables: docs/reference/schema.md#gateway_configs. */
export function gatewaysRepository(sql: Sql) {
  const configs = () => CONFIGS.in(sql)

  return {
    async list(appId: number): Promise<GatewayConfig[]> {
      return (await configs().where({ app_id: appId }).orderBy('platform')).map(SHOWN.fromRow)
    },

    async platforms(appId: number): Promise<Platform[]> {
      const rows = await configs().where({ app_id: appId }).orderBy('platform').select('platform')
      return rows.map((row) => PLATFORM.fromRow(row).platform)
    },

    async find(appId: number, platform: Platform): Promise<(GatewayConfig & { sealed: string }) | undefined> {
      const row = await FIND.first(sql, { appId, type: PLATFORM_TYPES[platform] })
      return row && WITH_CREDENTIAL.fromRow(row)
    },

    /** The gateways that were configured last. */
    async newest(limit: number): Promise<{ appId: number; platform: Platform }[]> {
      const rows = await configs()
        .orderBy('id', 'desc')
        .limit(limit)
        .select(...NAMES.names)
      return rows.map(NAMES.fromRow)
    },

    async sealed(limit: number): Promise<{ appId: number; platform: Platform; sealed: string }[]> {
      const rows = await configs()
        .orderBy('id', 'desc')
        .limit(limit)
        .select(...SEALED.names)
      return rows.map(SEALED.fromRow)
    },

    /** Locks the app's configuration until the end of the transaction, so that `merge` sees the latest one. */
    async lock(appId: number): Promise<void> {
      await lockApp(sql, appId)
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
      await configs()
        .insert({ app_id: appId, platform: PLATFORM_TYPES[platform], version: 1, created_at: now, ...values })
        .onConflict(['app_id', 'platform'])
        .merge({ ...values, version: sql.raw('gateway_configs.version + 1') as unknown as number })
    },

    /** Credentials of all apps that expire, soonest first; with `before` (ms), only those that expire until then. */
    async expiries(before?: number): Promise<Expiry[]> {
      const rows = await configs()
        .whereNotNull('not_after')
        .modify((q) => {
          if (before !== undefined) q.where('not_after', '<=', before)
        })
        .orderBy(['not_after', 'id'])
        .select(...EXPIRIES.names)
      return rows.map((row: Row<typeof EXPIRIES>) => ({ ...EXPIRIES.fromRow(row), notAfter: row.not_after! }))
    },

    /** Records a warning. False if another was recorded since `expiry` was read, or the credential changed. */
    async markNotice({ appId, platform, notAfter, notice: before }: Expiry, notice: number): Promise<boolean> {
      const changed = await configs()
        .where({ app_id: appId, platform: PLATFORM_TYPES[platform], not_after: notAfter, expiry_notice: before })
        .update({ expiry_notice: notice })
      return changed > 0
    },

    async remove(appId: number, platform: Platform): Promise<boolean> {
      const where = { app_id: appId, platform: PLATFORM_TYPES[platform] }
      return (await configs().where(where).delete()) > 0
    },
  }
}
