import type { Sql } from '../../../platform/db/connect.ts'
import { among, isPostgres, type List, listOf, unindexed, whereIds } from '../../../platform/db/dialect.ts'
import { preparedLookUp, preparedPlan } from '../../../platform/db/prepared.ts'
import type { TokenEnvironment } from '../../gateways/gateway.ts'
import type { Recipient, TokenRegistration } from '../types.ts'
import { INSTALLS } from './installs.repository.ts'

/** The columns of an install that deliveries read. */
export const RECIPIENTS = INSTALLS.pick(
  'row',
  'platform',
  'token',
  'tokenKeys',
  'environment',
  'topic',
  'subscribed',
  'tokenAt',
  'refusals',
  'runsIn',
)

/** A recipient as a SELECT of the aliases returns it. */
type Stored = Omit<Recipient, 'subscribed'> & { subscribed: boolean | number }

/** The columns of a recipient under their names, which PostgreSQL would write in lower case. */
export const RECIPIENT_COLUMNS = RECIPIENTS.aliases.map((alias) => alias.replace(/ as (\w+)$/, ' AS "$1"')).join(', ')

const RECIPIENTS_OF = preparedPlan<{ appId: number; rows: List }, Stored>(
  (kind) =>
    `SELECT ${RECIPIENT_COLUMNS} FROM installs
     WHERE ${unindexed('app_id')} = :appId AND ${among(kind, 'id', 'rows')} ORDER BY id`,
)

/** The columns of a retired token that are kept. */
const RETIRED = INSTALLS.pick('platform', 'token', 'tokenKeys', 'topic', 'environment', 'tokenAt', 'appVersion')

/** Removes a token from an install. Its user and the time of its last report about a token stay. */
const NO_TOKEN = INSTALLS.toRow({
  platform: null,
  token: null,
  tokenKeys: null,
  topic: null,
  environment: null,
  refusals: 0,
  subscribed: false,
})

/** The statement for PostgreSQL. */
const TAKE_ALL = preparedLookUp<{ appId: number; now: number }>(
  ['bigint', 'text'],
  (given) =>
    `WITH given ("row", token) AS (${given})
     UPDATE installs SET ${Object.entries(NO_TOKEN)
       .map(([name, value]) => `${name} = ${String(value)}`)
       .join(', ')}, updated_at = :now
     FROM given WHERE installs.app_id = :appId AND installs.token = given.token AND installs.id <> given."row"`,
)

export type TokensRepository = ReturnType<typeof tokensRepository>

/** Push tokens of installs. Tables: docs/reference/schema.md#installs, #retired_tokens. */
export function tokensRepository(sql: Sql) {
  const installs = () => INSTALLS.in(sql)

  /** Removes the token from every install but `row`. */
  async function takeFromOthers(appId: number, row: number, token: string, now: number): Promise<void> {
    await installs()
      .where({ app_id: appId, token })
      .whereNot({ id: row })
      .update({ ...NO_TOKEN, updated_at: now })
  }

  return {
    /** Stores the token, unless the device reported something newer. Returns whether it was stored. */
    async register(appId: number, row: number, token: TokenRegistration, at: number, now: number): Promise<boolean> {
      const enabled = token.notificationsEnabled
      const changed = await installs()
        .where({ app_id: appId, id: row })
        .whereRaw('coalesce(token_at, 0) <= ?', [at])
        .update({
          ...INSTALLS.toRow({
            platform: token.platform,
            token: token.token,
            tokenKeys: token.keys,
            topic: token.topic,
            environment: token.environment,
            tokenAt: at,
            refusals: 0,
            updatedAt: now,
          }),
          ...(enabled === undefined
            ? { subscribed: sql.ref('notifications_enabled') as unknown as boolean }
            : { notifications_enabled: enabled, notifications_at: at, subscribed: enabled }),
        })
      return changed > 0
    },

    takeFromOthers,

    /** The same for several tokens, each given once. */
    async takeAllFromOthers(
      appId: number,
      list: readonly { row: number; token: string }[],
      now: number,
    ): Promise<void> {
      if (!isPostgres(sql)) {
        for (const { row, token } of list) await takeFromOthers(appId, row, token, now)
      } else if (list.length > 0) {
        await TAKE_ALL.run(sql, { appId, lines: JSON.stringify(list.map(({ row, token }) => [row, token])), now })
      }
    },

    /** Removes the token, unless the device registered one later. */
    async unregister(appId: number, row: number, at: number, now: number): Promise<void> {
      await installs()
        .where({ app_id: appId, id: row })
        .whereRaw('coalesce(token_at, 0) <= ?', [at])
        .update({ ...NO_TOKEN, token_at: at, updated_at: now })
    },

    /** Removes the tokens of these installs for good: nothing is sent to them until they register again. */
    async strip(appId: number, rows: readonly number[], now: number): Promise<void> {
      await whereIds(installs(), sql, appId, rows).update({ ...NO_TOKEN, updated_at: now })
    },

    /** Stores whether the system shows the app's notifications. The token stays. */
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
     * Stores whether the system shows notifications, for the installs with this token. It counts as a registration of
     * the token. Returns the number of installs.
     */
    async setEnabledOf(
      appId: number,
      { platform, token }: Pick<TokenRegistration, 'platform' | 'token'>,
      enabled: boolean,
      now: number,
    ): Promise<number> {
      return installs()
        .where({ app_id: appId, token })
        .whereRaw(`${unindexed('platform')} = ?`, [platform])
        .update({
          notifications_enabled: enabled,
          notifications_at: now,
          subscribed: enabled,
          token_at: now,
          updated_at: now,
        })
    },

    /** Moves the token to `retired_tokens` if the install still has it. Returns whether it had. */
    async retire(appId: number, row: number, token: string, reason: string, now: number): Promise<boolean> {
      // The UPDATE comes first: it locks the row on PostgreSQL, so that no registration can come in between.
      const [found] = await installs()
        .where({ app_id: appId, id: row, token })
        .update({ updated_at: now })
        .returning(RETIRED.names)
      if (!found) return false
      await sql('retired_tokens').insert({ app_id: appId, install_row: row, ...found, reason, retired_at: now })
      await installs()
        .where({ app_id: appId, id: row })
        .update({ ...NO_TOKEN, updated_at: now })
      return true
    },

    async setEnvironment(appId: number, row: number, token: string, environment: TokenEnvironment): Promise<void> {
      await installs()
        .where({ app_id: appId, id: row, token })
        .update({ token_environment: environment, token_refusals: 0 })
    },

    /** Counts a refusal of this exact token. Returns the new number; 0 when the install has another token. */
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

    async recipients(appId: number, rows: readonly number[]): Promise<Recipient[]> {
      // The database names the properties: a send reads many rows, and converting each would cost more.
      const found = await RECIPIENTS_OF.all(sql, { appId, rows: listOf(sql, rows) })
      for (const recipient of found) recipient.subscribed = Boolean(recipient.subscribed)
      return found as Recipient[]
    },
  }
}
