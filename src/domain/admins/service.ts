import { randomBytes } from 'node:crypto'
import type { Vault } from '../../platform/crypto/vault.ts'
import { AppError, invalid } from '../../platform/errors.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { isToken, mintOneTime } from './keys.ts'
import type { LinkKind, LinksRepository, OneTimeLink } from './links.repository.ts'
import type { PasskeysRepository } from './passkeys/repository.ts'
import { isPassword } from './passwords.ts'
import { type AdminsRepository, type StoredAdmin, toAdmin } from './repository.ts'
import { CHALLENGE } from './second-factor/second-factor.ts'
import type { SessionsService } from './sessions/service.ts'
import type { TokensService } from './tokens/service.ts'
import type { Admin, Caller, RoleIn } from './types.ts'

/** The time for which a one-time link works, but for an invitation. */
export const LINK_MS = 30 * 60_000
/** The time for which an invitation works: it waits in somebody's mail, perhaps over a weekend. */
const INVITATION_MS = 7 * 24 * 3_600_000

/** A person to add. `password` is a digest of `digestPassword`, or null when they choose one themselves. */
export interface NewAdmin {
  email: string
  name: string
  password: string | null
  roles: readonly RoleIn[]
}

/** The people who may use the admin interface, their roles and their sign-ins. */
export function adminsService({
  repo,
  links,
  passkeys,
  sessions,
  tokens,
  vault,
  clock,
  appExists,
  appsThere,
}: {
  repo: AdminsRepository
  links: LinksRepository
  passkeys: PasskeysRepository
  sessions: SessionsService
  tokens: TokensService
  vault: Vault
  clock: Clock
  appExists(id: number): Promise<boolean>
  appsThere(ids: readonly number[]): Promise<number[]>
}) {
  async function stored(id: number): Promise<StoredAdmin> {
    const found = await repo.find(id)
    if (!found) throw new AppError('not_found', `there is no person ${id}: appsvc admins list shows them`)
    return found
  }

  async function checkRoles(roles: readonly RoleIn[]): Promise<void> {
    const places = roles.map(({ appId }) => appId)
    if (new Set(places).size < places.length) throw invalid({ roles: ['must name each app once'] })
    for (const [i, appId] of places.entries()) {
      if (appId !== null && !(await appExists(appId)))
        throw invalid({ [`roles.${i}.appId`]: [`there is no app ${appId}`] })
    }
  }

  /** Throws `conflict` when nobody would own the server any more. */
  async function keepAnOwner(): Promise<void> {
    if (!(await repo.anyOwner())) {
      throw new AppError('conflict', 'somebody has to own the server: give another person the role owner first')
    }
  }

  async function add({ email, name, password, roles }: NewAdmin): Promise<Admin> {
    await checkRoles(roles)
    const wanted = email.toLowerCase()
    const now = clock.now()
    const handle = randomBytes(32).toString('base64url')
    const made = await repo.insert({ email: wanted, name, password, handle, createdAt: now, updatedAt: now })
    if (!made) throw invalid({ email: ['belongs to somebody already'] })
    await repo.setRoles(made.id, roles)
    return toAdmin(made)
  }

  async function makeLink(kind: LinkKind, adminId: number | null): Promise<{ token: string; expiresAt: number }> {
    if (adminId === null) await links.removeSetup()
    else await links.removeOfAdmin(adminId)
    const token = mintOneTime()
    const expiresAt = clock.now() + (kind === 'invitation' ? INVITATION_MS : LINK_MS)
    await links.insert({ kind, adminId, digest: vault.digest(token), expiresAt })
    return { token, expiresAt }
  }

  async function openLink(token: string, kinds: readonly LinkKind[]): Promise<OneTimeLink> {
    const link = await links.find(vault.digest(token))
    if (!link || link.expiresAt <= clock.now() || !kinds.includes(link.kind)) {
      throw spent()
    }
    return link
  }

  async function use(link: OneTimeLink): Promise<void> {
    if (!(await links.remove(link.id))) {
      throw spent()
    }
  }

  return {
    add,
    any: () => repo.any(),

    async get(id: number): Promise<Admin> {
      return toAdmin(await stored(id))
    },

    async findByEmail(email: string): Promise<Admin | undefined> {
      const found = await repo.findByEmail(email.toLowerCase())
      return found && toAdmin(found)
    },

    /** People in the order of their creation; `next` leads on. */
    async list({ after = 0, limit }: { after?: number | undefined; limit: number }) {
      const found = await repo.list(after, limit)
      const people = await Promise.all(
        found.map(async (one) => ({ admin: toAdmin(one), roles: await repo.roles(one.id) })),
      )
      return { people, next: found.length < limit ? null : found.at(-1)!.id }
    },

    countPasskeys: async (id: number): Promise<number> => (await passkeys.list(id)).length,

    roles: (id: number): Promise<RoleIn[]> => repo.roles(id),

    /** The person, locked until the commit as `change` does first. Throws `not_found`. */
    async lock(id: number): Promise<Admin> {
      await repo.lock(id)
      return toAdmin(await stored(id))
    },

    /** The person and their roles, locked until the commit as `setRoles` and `remove` do first. Throws `not_found`. */
    async lockRoles(id: number): Promise<{ admin: Admin; roles: RoleIn[] }> {
      await repo.lockRoles(id)
      return { admin: toAdmin(await stored(id)), roles: await repo.roles(id) }
    },

    /** Throws `not_found`, `invalid` for an app that there is not, `conflict` when nobody would own the server. */
    async setRoles(id: number, roles: readonly RoleIn[]): Promise<void> {
      await repo.lockRoles(id)
      await stored(id)
      await checkRoles(roles)
      await repo.setRoles(id, roles)
      await keepAnOwner()
    },

    /** Throws `not_found`, and `conflict` when nobody would own the server. */
    async remove(id: number): Promise<void> {
      await repo.lockRoles(id)
      await stored(id)
      await repo.remove(id)
      await keepAnOwner()
    },

    /** Changes name or password (a digest). Another password ends all sessions but `keep`, and personal tokens stay. */
    async change(
      id: number,
      change: { name?: string | undefined; password?: string | undefined },
      keep?: number,
    ): Promise<Admin> {
      await stored(id)
      await repo.update(id, { ...change, updatedAt: clock.now() })
      if (change.password !== undefined) await sessions.endAll(id, keep)
      return toAdmin(await stored(id))
    },

    /**
     * The person with this address if the password is theirs. Takes as long when nobody has the address. Call it outside of a
     * transaction: it is slow. `from` is the network that asks: networks take turns. Throws `unavailable` when too many wait.
     */
    async isPasswordOf(email: string, password: string, from?: string): Promise<Admin | undefined> {
      const found = await repo.findByEmail(email.toLowerCase())
      return (await isPassword(password, found?.password, from)) ? found && toAdmin(found) : undefined
    },

    /** Throws `invalid` that names the field unless it is the person's password. Without one nothing is asked for. `from` as in `isPasswordOf`. */
    async checkPassword(id: number, password: string | undefined, field: string, from?: string): Promise<void> {
      const { password: digest } = await stored(id)
      if (digest === null) return
      if (password === undefined) throw invalid({ [field]: ['is required'] })
      if (!(await isPassword(password, digest, from))) throw invalid({ [field]: ['is not your password'] })
    },

    /** The person who shows this session cookie. */
    async bySession(id: string): Promise<Caller | undefined> {
      const session = await sessions.find(id)
      const admin = session && (await repo.find(session.adminId))
      return admin && { admin: toAdmin(admin), roles: await repo.roles(admin.id), session, token: undefined }
    },

    /** The person who shows this personal token. */
    async byToken(text: string): Promise<Caller | undefined> {
      const token = isToken(text) ? await tokens.find(text) : undefined
      const admin = token && (await repo.find(token.adminId))
      return admin && { admin: toAdmin(admin), roles: await repo.roles(admin.id), session: undefined, token }
    },

    /**
     * Sessions and personal tokens that still have access, with the roles of each, and apps that still exist. Four
     * short reads, however many are asked for.
     */
    async stillIn(asked: { sessions: readonly number[]; tokens: readonly number[]; apps: readonly number[] }) {
      const [open, valid, apps] = await Promise.all([
        sessions.stillOpen(asked.sessions),
        tokens.stillValid(asked.tokens),
        appsThere(asked.apps),
      ])
      const roles = await repo.rolesOf([...open, ...valid].map(({ adminId }) => adminId))
      const rolesById = (found: readonly { id: number; adminId: number }[]) =>
        new Map(found.map(({ id, adminId }) => [id, roles.get(adminId) ?? []]))
      return { bySession: rolesById(open), byToken: rolesById(valid), apps: new Set(apps) }
    },

    /** A new one-time link for the first sign-in; the one before ends. */
    async setupLink(): Promise<{ token: string; expiresAt: number }> {
      await repo.lockFirst()
      return makeLink('setup', null)
    },

    /**
     * A new one-time link for a person; the one before ends. Who has never had a way to sign in has nothing to reset, and is invited
     * again. Throws `not_found`.
     */
    async linkFor(id: number, kind: Exclude<LinkKind, 'setup'>): Promise<{ token: string; expiresAt: number }> {
      const { password, sealedTotp } = await stored(id)
      const isNew = password === null && sealedTotp === null && (await passkeys.list(id)).length === 0
      return makeLink(kind === 'reset' && isNew ? 'invitation' : kind, id)
    },

    /** The purpose of a one-time link, which stays unused. Throws `unauthorized` when it does not work. */
    async readLink(token: string): Promise<{ kind: LinkKind; admin: Admin | undefined }> {
      const link = await openLink(token, ['setup', 'invitation', 'reset', 'demo'])
      return { kind: link.kind, admin: link.adminId === null ? undefined : toAdmin(await stored(link.adminId)) }
    },

    /** Makes the first owner. Throws `unauthorized` when the address does not work, `conflict` when there is somebody already. */
    async setUp(
      token: string,
      { email, name, password }: { email: string; name: string; password: string },
    ): Promise<Admin> {
      await repo.lockFirst()
      const link = await openLink(token, ['setup'])
      await use(link)
      if (await repo.any()) throw new AppError('conflict', 'this server has an owner already: sign in')
      return add({ email, name, password, roles: [{ appId: null, role: 'owner' }] })
    },

    /** Makes the first owner from the settings of a container; undefined when there is somebody already. */
    async first(owner: Omit<NewAdmin, 'roles'>): Promise<Admin | undefined> {
      await repo.lockFirst()
      if (await repo.any()) return undefined
      return add({ ...owner, roles: [{ appId: null, role: 'owner' }] })
    },

    /**
     * Signs the person of a one-time link in. `reset` takes a new password (a digest), ends all sessions, personal tokens and passkeys, and
     * takes the second factor away; `invitation` takes a password too. Throws `unauthorized` when the address does not work.
     */
    async useLink(token: string, chosen: { name?: string | undefined; password?: string | undefined }): Promise<Admin> {
      const link = await openLink(token, ['invitation', 'reset', 'demo'])
      const id = link.adminId!
      if (link.kind !== 'demo' && chosen.password === undefined) throw invalid({ password: ['is required'] })
      await use(link)
      if (link.kind === 'reset') {
        await sessions.endAll(id)
        await tokens.endAll(id)
        await passkeys.removeAll(id)
        await repo.update(id, { sealedTotp: null, totpSince: null, totpStep: 0 })
        await repo.setRecoveryCodes(id, [])
      }
      if (link.kind !== 'demo') await repo.update(id, { ...chosen, updatedAt: clock.now() })
      return toAdmin(await stored(id))
    },

    /** A one-time token with which the owner of the demo is signed in; makes that person when nobody is there. */
    async signInLink(owner: { email: string; name: string }): Promise<{ token: string; expiresAt: number }> {
      await repo.lockFirst()
      const found = await repo.findByEmail(owner.email.toLowerCase())
      const { id } = found ?? (await add({ ...owner, password: null, roles: [{ appId: null, role: 'owner' }] }))
      return makeLink('demo', id)
    },
  }
}

function spent(): AppError {
  return new AppError('unauthorized', 'this one-time link was used already or is too old: ask for a new one', CHALLENGE)
}
