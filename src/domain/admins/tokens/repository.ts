import type { Sql } from '../../../platform/db/connect.ts'
import { whereAmong } from '../../../platform/db/dialect.ts'
import { definitionList, integer, table, text } from '../../../platform/db/table.ts'
import type { TokenScope } from '../types.ts'

const TOKENS = table('admin_tokens', {
  id: integer('id'),
  adminId: integer('admin_id'),
  name: text('name'),
  digest: text('digest'),
  hint: text('hint'),
  scopes: definitionList('scopes').as<TokenScope[]>(),
  appId: integer('app_id').orNull,
  createdAt: integer('created_at'),
  usedAt: integer('used_at').orNull,
  expiresAt: integer('expires_at').orNull,
})
const SHOWN = TOKENS.omit('digest')
const NEW = TOKENS.omit('id', 'usedAt')

/** A personal token without its digest. */
export type PersonalToken = ReturnType<typeof SHOWN.fromRow>
export type TokensRepository = ReturnType<typeof tokensRepository>

/** Tables: docs/reference/schema.md#admin_tokens. */
export function tokensRepository(sql: Sql) {
  const tokens = () => TOKENS.in(sql)

  return {
    async find(digest: string): Promise<PersonalToken | undefined> {
      const row = await tokens().where({ digest }).first()
      return row && SHOWN.fromRow(row)
    },

    async byIds(ids: readonly number[]): Promise<PersonalToken[]> {
      if (ids.length === 0) return []
      return (await whereAmong(tokens(), sql, 'id', [...new Set(ids)])).map((row) => SHOWN.fromRow(row))
    },

    async list(adminId: number): Promise<PersonalToken[]> {
      return (await tokens().where({ admin_id: adminId }).orderBy('id')).map((row) => SHOWN.fromRow(row))
    },

    async insert(token: Parameters<typeof NEW.toRow>[0]): Promise<PersonalToken> {
      const [row] = await tokens().insert(NEW.toRow(token)).returning('*')
      return SHOWN.fromRow(row!)
    },

    async noteUse(tokenId: number, now: number): Promise<void> {
      await tokens().where({ id: tokenId }).update({ used_at: now })
    },

    async remove(adminId: number, id: number): Promise<boolean> {
      return (await tokens().where({ admin_id: adminId, id }).delete()) > 0
    },

    async removeAll(adminId: number): Promise<void> {
      await tokens().where({ admin_id: adminId }).delete()
    },
  }
}
