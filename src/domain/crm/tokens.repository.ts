import type { Sql } from '../../platform/db/connect.ts'
import { whereAmong } from '../../platform/db/dialect.ts'
import type { TokenEnvironment } from '../gateways/gateway.ts'
import type { PlatformType } from '../gateways/registry.ts'
import type { DeliveryRecipient, TokenRegistration } from './types.ts'

interface TokenRow {
  id: number
  app_id: number
  platform: PlatformType | null
  token: string | null
  token_keys: string | null
  token_topic: string | null
  token_environment: TokenEnvironment | null
  token_at: number | null
  token_refusals: number
  notifications_enabled: boolean | number
  notifications_at: number
  subscribed: boolean | number
  app_version: string | null
  updated_at: number
}

/** An install without a token; who it was and when it last spoke of a token stay. */
const NO_TOKEN = {
  platform: null,
  token: null,
  token_keys: null,
  token_topic: null,
  token_environment: null,
  token_refusals: 0,
  subscribed: false,
} as const satisfies Partial<TokenRow>

export type TokensRepository = ReturnType<typeof tokensRepository>

/** Push tokens: the part of an install that says where its notifications go. */
export function tokensRepository(sql: Sql) {
  const installs = () => sql<TokenRow>('installs')

  return {
    /** Stores the token unless the device said something newer about it. Returns whether it did. */
    async register(appId: number, row: number, token: TokenRegistration, at: number, now: number): Promise<boolean> {
      const enabled = token.notificationsEnabled
      const changed = await installs()
        .where({ app_id: appId, id: row })
        .whereRaw('coalesce(token_at, 0) <= ?', [at])
        .update({
          platform: token.platform,
          token: token.token,
          token_keys: token.keys,
          token_topic: token.topic,
          token_environment: token.environment,
          token_at: at,
          token_refusals: 0,
          ...(enabled === undefined
            ? { subscribed: sql.ref('notifications_enabled') as unknown as boolean }
            : { notifications_enabled: enabled, notifications_at: at, subscribed: enabled }),
          updated_at: now,
        })
      return changed > 0
    },

    /** The token belongs to `row` now: whoever else had it loses it. */
    async takeFromOthers(appId: number, row: number, token: string, now: number): Promise<void> {
      await installs()
        .where({ app_id: appId, token })
        .whereNot({ id: row })
        .update({ ...NO_TOKEN, updated_at: now })
    },

    /** Drops the token unless the device registered one later. */
    async unregister(appId: number, row: number, at: number, now: number): Promise<void> {
      await installs()
        .where({ app_id: appId, id: row })
        .whereRaw('coalesce(token_at, 0) <= ?', [at])
        .update({ ...NO_TOKEN, token_at: at, updated_at: now })
    },

    /** Whether the system shows the app's notifications; the token stays. */
    async setEnabled(appId: number, row: number, enabled: boolean, at: number, now: number): Promise<void> {
      await installs()
        .where({ app_id: appId, id: row })
        .where('notifications_at', '<=', at)
        .update({
          notifications_enabled: enabled,
          notifications_at: at,
          subscribed: (enabled ? sql.raw('token IS NOT NULL') : false) as boolean,
          updated_at: now,
        })
    },

    /**
     * Whether the system shows notifications to the install with this token, said by the token itself: counts as a registration
     * of it. Returns how many installs have it.
     */
    async setEnabledOf(
      appId: number,
      { platform, token }: Pick<TokenRegistration, 'platform' | 'token'>,
      enabled: boolean,
      now: number,
    ): Promise<number> {
      return installs().where({ app_id: appId, token }).whereRaw('+platform = ?', [platform]).update({
        notifications_enabled: enabled,
        notifications_at: now,
        subscribed: enabled,
        token_at: now,
        updated_at: now,
      })
    },

    /** Moves the token to `retired_tokens` when the install still has it. */
    async retire(appId: number, row: number, token: string, reason: string, now: number): Promise<void> {
      // Updated first: that locks the row on PostgreSQL, so that no registration slips in between.
      const [found] = await installs()
        .where({ app_id: appId, id: row, token })
        .update({ updated_at: now })
        .returning('*')
      if (!found) return
      const old = found
      await sql('retired_tokens').insert({
        app_id: appId,
        install_row: row,
        platform: old.platform,
        token: old.token,
        token_keys: old.token_keys,
        token_topic: old.token_topic,
        token_environment: old.token_environment,
        token_at: old.token_at,
        app_version: old.app_version,
        reason,
        retired_at: now,
      })
      await installs().where({ app_id: appId, id: row }).update(NO_TOKEN)
    },

    async setEnvironment(appId: number, row: number, token: string, environment: TokenEnvironment): Promise<void> {
      await installs()
        .where({ app_id: appId, id: row, token })
        .update({ token_environment: environment, token_refusals: 0 })
    },

    /** Counts a refusal of this very token; returns how many there are now, 0 when the install has another one. */
    async countRefusal(appId: number, row: number, token: string): Promise<number> {
      const [found] = await installs()
        .where({ app_id: appId, id: row, token })
        .update({ token_refusals: sql.raw('token_refusals + 1') })
        .returning('token_refusals')
      return found?.token_refusals ?? 0
    },

    async clearRefusals(appId: number, row: number): Promise<void> {
      await installs().where({ app_id: appId, id: row }).update({ token_refusals: 0 })
    },

    async recipients(appId: number, rows: readonly number[]): Promise<DeliveryRecipient[]> {
      // The plus keeps SQLite from walking all installs of the app by another index instead of fetching these by id.
      const found: TokenRow[] = await whereAmong(sql('installs').whereRaw('+app_id = ?', [appId]), sql, 'id', rows)
        .orderBy('id')
        .select(
          'id',
          'platform',
          'token',
          'token_keys',
          'token_environment',
          'token_topic',
          'subscribed',
          'token_at',
          'token_refusals',
        )
      return found.map((row) => ({
        row: row.id,
        platform: row.platform,
        token: row.token,
        tokenKeys: row.token_keys,
        environment: row.token_environment,
        topic: row.token_topic,
        subscribed: Boolean(row.subscribed),
        tokenAt: row.token_at,
        refusals: row.token_refusals,
      }))
    },
  }
}
