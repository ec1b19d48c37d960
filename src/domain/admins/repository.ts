import { lockOnce } from '../../platform/db/advisory-lock.ts'
import type { Sql } from '../../platform/db/connect.ts'
import { isPostgres, whereAmong } from '../../platform/db/dialect.ts'
import { integer, table, text } from '../../platform/db/table.ts'
import type { Admin, Role, RoleIn } from './types.ts'

const ADMINS = table('admins', {
  id: integer('id'),
  email: text('email'),
  name: text('name'),
  password: text('password').orNull,
  sealedTotp: text('sealed_totp').orNull,
  totpSince: integer('totp_since').orNull,
  totpStep: integer('totp_step'),
  handle: text('handle'),
  createdAt: integer('created_at'),
  updatedAt: integer('updated_at'),
})
const NEW = ADMINS.omit('id', 'sealedTotp', 'totpSince', 'totpStep')

/** A person with the stored secrets. Never leaves the area. */
export type StoredAdmin = ReturnType<typeof ADMINS.fromRow>

/** The fields of a person that may be shown. */
export const toAdmin = ({ id, email, name, password, totpSince, createdAt }: StoredAdmin): Admin => ({
  id,
  email,
  name,
  hasPassword: password !== null,
  hasTotp: totpSince !== null,
  createdAt,
})

export type AdminsRepository = ReturnType<typeof adminsRepository>

/** Tables: docs/reference/schema.md#admins, #admin_roles, #admin_recovery_codes. */
export function adminsRepository(sql: Sql) {
  const admins = () => ADMINS.in(sql)

  /** Locks a person until the commit. SQLite has a single writer. */
  async function lock(adminId: number): Promise<void> {
    if (isPostgres(sql)) await sql('admins').where({ id: adminId }).forNoKeyUpdate().first('id')
  }

  return {
    lock,

    async any(): Promise<boolean> {
      return (await sql('admins').first('id')) !== undefined
    },

    /** Locks the making of the first owner until the commit: of two who make one at once the later one finds the other. */
    async lockFirst(): Promise<void> {
      await lockOnce(sql, 'first owner')
    },

    async find(adminId: number): Promise<StoredAdmin | undefined> {
      const row = await admins().where({ id: adminId }).first()
      return row && ADMINS.fromRow(row)
    },

    async findByEmail(email: string): Promise<StoredAdmin | undefined> {
      const row = await admins().where({ email }).first()
      return row && ADMINS.fromRow(row)
    },

    async list(after: number, limit: number): Promise<StoredAdmin[]> {
      return (await admins().where('id', '>', after).orderBy('id').limit(limit)).map(ADMINS.fromRow)
    },

    /** Stores a person unless somebody has the address (then undefined). */
    async insert(admin: Parameters<typeof NEW.toRow>[0]): Promise<StoredAdmin | undefined> {
      const [row] = await admins().insert(NEW.toRow(admin)).onConflict('email').ignore().returning('*')
      return row && ADMINS.fromRow(row)
    },

    async update(adminId: number, change: Parameters<typeof ADMINS.toRow>[0]): Promise<void> {
      await admins().where({ id: adminId }).update(ADMINS.toRow(change))
    },

    async remove(adminId: number): Promise<boolean> {
      return (await admins().where({ id: adminId }).delete()) > 0
    },

    async roles(adminId: number): Promise<RoleIn[]> {
      const rows = await sql('admin_roles').where({ admin_id: adminId }).orderBy('id').select('app_id', 'role')
      return rows.map(({ app_id, role }: { app_id: number | null; role: Role }) => ({ appId: app_id, role }))
    },

    /** The roles of some people, by their ids. */
    async rolesOf(adminIds: readonly number[]): Promise<Map<number, RoleIn[]>> {
      const found = new Map<number, RoleIn[]>()
      if (adminIds.length === 0) return found
      const roles = sql('admin_roles').select('admin_id', 'app_id', 'role')
      const rows = await whereAmong(roles, sql, 'admin_id', [...new Set(adminIds)])
      for (const { admin_id, app_id, role } of rows as { admin_id: number; app_id: number | null; role: Role }[]) {
        found.set(admin_id, [...(found.get(admin_id) ?? []), { appId: app_id, role }])
      }
      return found
    },

    async setRoles(adminId: number, roles: readonly RoleIn[]): Promise<void> {
      await sql('admin_roles').where({ admin_id: adminId }).delete()
      const rows = roles.map(({ appId, role }) => ({ admin_id: adminId, app_id: appId, role }))
      if (rows.length > 0) await sql('admin_roles').insert(rows)
    },

    /**
     * Locks the owners of the whole server, then this person, until the commit: of two owners who take the role from each other at once the
     * later one sees that nobody else has it, and of two who give a person roles the later one replaces those of the other.
     */
    async lockRoles(adminId: number): Promise<void> {
      if (!isPostgres(sql)) return
      await sql('admin_roles').whereNull('app_id').where({ role: 'owner' }).orderBy('id').forUpdate().select('id')
      await lock(adminId)
    },

    /** Tells whether the whole server has an owner. */
    async anyOwner(): Promise<boolean> {
      const row = await sql('admin_roles').whereNull('app_id').where({ role: 'owner' }).first('id')
      return row !== undefined
    },

    /** Notes the time step whose code was used; false when another request was first. */
    async useTotpStep(adminId: number, step: number): Promise<boolean> {
      return (await sql('admins').where({ id: adminId }).where('totp_step', '<', step).update({ totp_step: step })) > 0
    },

    async setRecoveryCodes(adminId: number, digests: readonly string[]): Promise<void> {
      await sql('admin_recovery_codes').where({ admin_id: adminId }).delete()
      if (digests.length > 0)
        await sql('admin_recovery_codes').insert(digests.map((digest) => ({ admin_id: adminId, digest })))
    },

    /** Uses a recovery code up; false when the person has none with this digest. */
    async useRecoveryCode(adminId: number, digest: string): Promise<boolean> {
      return (await sql('admin_recovery_codes').where({ admin_id: adminId, digest }).delete()) > 0
    },

    async countRecoveryCodes(adminId: number): Promise<number> {
      const row = await sql('admin_recovery_codes').where({ admin_id: adminId }).count({ count: '*' }).first()
      return Number(row?.count ?? 0)
    },
  }
}
