import type { Sql } from '../../../platform/db/connect.ts'
import { deleteSome } from '../../../platform/db/delete-some.ts'
import { definitionList, integer, table, text } from '../../../platform/db/table.ts'

const PASSKEYS = table('admin_passkeys', {
  id: integer('id'),
  adminId: integer('admin_id'),
  name: text('name'),
  credential: text('credential'),
  publicKey: text('public_key'),
  counter: integer('counter'),
  transports: definitionList('transports').as<string[]>(),
  createdAt: integer('created_at'),
  usedAt: integer('used_at').orNull,
})
const NEW = PASSKEYS.omit('id', 'usedAt')

export type Passkey = ReturnType<typeof PASSKEYS.fromRow>
export type PasskeysRepository = ReturnType<typeof passkeysRepository>

/** Tables: docs/reference/schema.md#admin_passkeys, #admin_challenges. */
export function passkeysRepository(sql: Sql) {
  const passkeys = () => PASSKEYS.in(sql)

  return {
    async find(credential: string): Promise<Passkey | undefined> {
      const row = await passkeys().where({ credential }).first()
      return row && PASSKEYS.fromRow(row)
    },

    async list(adminId: number): Promise<Passkey[]> {
      return (await passkeys().where({ admin_id: adminId }).orderBy('id')).map(PASSKEYS.fromRow)
    },

    async any(): Promise<boolean> {
      return (await sql('admin_passkeys').first('id')) !== undefined
    },

    async insert(passkey: Parameters<typeof NEW.toRow>[0]): Promise<Passkey> {
      const [row] = await passkeys().insert(NEW.toRow(passkey)).returning('*')
      return PASSKEYS.fromRow(row!)
    },

    async noteUse(passkeyId: number, counter: number, now: number): Promise<void> {
      await passkeys().where({ id: passkeyId }).update({ counter, used_at: now })
    },

    async remove(adminId: number, id: number): Promise<boolean> {
      return (await passkeys().where({ admin_id: adminId, id }).delete()) > 0
    },

    async removeAll(adminId: number): Promise<void> {
      await passkeys().where({ admin_id: adminId }).delete()
    },

    /** Notes that a challenge was answered; false when it was before. */
    async useChallenge(digest: string, expiresAt: number): Promise<boolean> {
      const made = await sql('admin_challenges')
        .insert({ digest, expires_at: expiresAt })
        .onConflict('digest')
        .ignore()
        .returning('digest')
      return made.length > 0
    },

    /** Deletes at most `limit` notes of challenges that are over; returns how many. */
    forget(now: number, limit: number): Promise<number> {
      const some = sql('admin_challenges').where('expires_at', '<', now).orderBy('expires_at').limit(limit)
      return deleteSome(sql, 'admin_challenges', some)
    },
  }
}
