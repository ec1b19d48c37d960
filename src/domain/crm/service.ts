import { makeRoomForSlices, slicesOf, type WeighedRow } from '../../platform/db/pages.ts'
import { AppError, invalid } from '../../platform/errors.ts'
import { isPlainObject, mergePatch, sizeProblem } from '../../platform/json/json.ts'
import { readStored } from '../../platform/values/unreadable.ts'
import { activityService } from './activity.service.ts'
import { installsService } from './installs.service.ts'
import { IDENTIFIER_RULE, isIdentifier } from './schema.ts'
import { seekPage, totalOf } from './store/directory.ts'
import type { CrmParts } from './store/parts.ts'
import { tokensService } from './tokens.service.ts'
import type { Attributes, Install, User, UserPage, UserWithInstalls } from './types.ts'

const ATTRIBUTES = 'the attributes of this user'

export type CrmService = ReturnType<typeof crmService>

/** Users, their attributes and active hours, their installs, and the installs' push tokens. */
export function crmService(parts: CrmParts) {
  return { ...usersService(parts), ...installsService(parts), ...tokensService(parts), ...activityService(parts) }
}

function usersService({ users, installs, clock, maxAttributes, news }: CrmParts) {
  /** Finds a user. An identifier that no user can have is not looked up, because PostgreSQL refuses NUL. */
  async function find(appId: number, identifier: string): Promise<User | undefined> {
    return isIdentifier(identifier) ? users.find(appId, identifier) : undefined
  }

  async function ensureUsers(appId: number, identifiers: readonly string[]): Promise<void> {
    const known = new Set((await users.idsOf(appId, identifiers)).map(({ identifier }) => identifier))
    const unknown = identifiers.filter((identifier) => !known.has(identifier))
    if (unknown.length === 0) return
    const now = clock.now()
    await users.lockListing(appId)
    const created: string[] = []
    for (const identifier of unknown) {
      // Another transaction may have been faster.
      if (await users.create(appId, identifier, { anonymous: false, at: now, now })) created.push(identifier)
    }
    if (created.length > 0) await news?.usersCreated(appId, created)
  }

  async function replaceAttributes(appId: number, identifier: string, attributes: Attributes): Promise<boolean> {
    if (!isIdentifier(identifier)) throw invalid({ userId: [IDENTIFIER_RULE] })
    const tooLarge = sizeProblem(attributes, maxAttributes)
    if (tooLarge !== undefined) throw invalid({ attributes: [tooLarge] })
    return users.setAttributes(appId, identifier, attributes, clock.now())
  }

  async function putAttributes(appId: number, identifier: string, attributes: Attributes): Promise<void> {
    if (await replaceAttributes(appId, identifier, attributes)) return
    await ensureUsers(appId, [identifier])
    await replaceAttributes(appId, identifier, attributes)
  }

  async function attributesText(appId: number, identifier: string): Promise<string> {
    const found = isIdentifier(identifier) ? await users.attributesOf(appId, identifier) : undefined
    if (found === undefined) throw unknownUser('not_found', identifier)
    return found
  }

  async function withInstalls(appId: number, found: User[]): Promise<UserWithInstalls[]> {
    if (found.length === 0) return []
    const all = await installs.ofUsers(
      appId,
      found.map((user) => user.id),
    )
    const byUser = Map.groupBy(all, (install) => install.userId)
    return found.map((user) => ({ ...user, installs: byUser.get(user.id) ?? [] }))
  }

  async function* readUsers(appId: number, found: readonly WeighedRow[]): AsyncGenerator<UserWithInstalls> {
    await makeRoomForSlices(found)
    for (const slice of slicesOf(found)) {
      const some = await users.byIds(
        appId,
        slice.map(({ id }) => id),
      )
      some.sort((a, b) => a.id - b.id)
      // Not `yield*`, which awaits three times for each value that is already in memory.
      for (const user of await withInstalls(appId, some)) yield user
    }
  }

  return {
    /**
     * Page `currentPage` (from 1) of the user list: known users, and anonymous ones that are the current user of an
     * install, in the order of their creation. Every page costs the same. A page past the end is empty. The ids on the
     * page and the total are those at the time of the call; the users are then read in slices, each as it is at that
     * time.
     */
    async listUsers(appId: number, currentPage: number, numberPerPage: number): Promise<UserPage> {
      const blocks = await users.blocks(appId)
      const start = seekPage(blocks, (currentPage - 1) * numberPerPage)
      const found = start ? await users.page(appId, start, numberPerPage) : []
      return { users: readUsers(appId, found), total: totalOf(blocks) }
    },

    /** How many users the whole list has. */
    async countUsers(appId: number): Promise<number> {
      return totalOf(await users.blocks(appId))
    },

    /** The users with these ids and their installs, in the order of their creation. They are read in slices. */
    async usersByIds(appId: number, ids: readonly number[]): Promise<AsyncIterable<UserWithInstalls>> {
      return readUsers(appId, ids.length === 0 ? [] : await users.weights(appId, ids))
    },

    /** The user with their installs. Throws `not_found`. */
    async showUser(appId: number, identifier: string): Promise<UserWithInstalls> {
      const user = await find(appId, identifier)
      if (!user) throw unknownUser('not_found', identifier)
      return (await withInstalls(appId, [user]))[0]!
    },

    /** The user's attributes; `{}` when there are none. Throws `not_found`. */
    async attributes(appId: number, identifier: string): Promise<Attributes> {
      return readStored(await attributesText(appId, identifier), isPlainObject, ATTRIBUTES)
    },

    /** The same as JSON, as it is stored: what `JSON.stringify` makes of them. */
    attributesText,

    /** `putAttributes` for a user who is there, with one statement; false when there is none. */
    replaceAttributes,

    /**
     * Replaces the attributes of the user. An unknown user is created as a known user; an anonymous user stays
     * anonymous. Throws `invalid` for an identifier that cannot be stored, and for attributes that are too large.
     */
    putAttributes,

    /**
     * Merges a patch into the attributes of the user (RFC 7396): null deletes a member, an object is merged, anything
     * else replaces. Returns the whole attributes. Creates and refuses as `putAttributes`.
     */
    async patchAttributes(appId: number, identifier: string, patch: Attributes): Promise<Attributes> {
      if (!isIdentifier(identifier)) throw invalid({ userId: [IDENTIFIER_RULE] })
      await ensureUsers(appId, [identifier])
      const stored = (await users.lockAttributes(appId, identifier)) ?? '{}'
      const merged = mergePatch(readStored(stored, isPlainObject, ATTRIBUTES), patch) as Attributes
      await putAttributes(appId, identifier, merged)
      return merged
    },

    /** Creates those of these users who are unknown, as known users. */
    ensureUsers,

    /**
     * Deletes the user's attributes, not the user. Throws `bad_request` when there is no such user (the contract's
     * 400).
     */
    async deleteAttributes(appId: number, identifier: string): Promise<void> {
      const known = isIdentifier(identifier) && (await users.setAttributes(appId, identifier, {}, clock.now()))
      if (!known) throw unknownUser('bad_request', identifier)
    },

    /** Installs in the order of their creation, after the row `after` (0 = from the start). */
    listInstalls(appId: number, after: number, limit: number): Promise<Install[]> {
      return installs.list(appId, after, limit)
    },

    /** The install and the identifier of its current user. Throws `not_found`. */
    async showInstall(appId: number, installId: string): Promise<Install & { userIdentifier: string }> {
      const install = isIdentifier(installId) ? await installs.find(appId, installId) : undefined
      if (!install) throw new AppError('not_found', `there is no install ${JSON.stringify(installId)}`)
      return { ...install, userIdentifier: (await installs.currentUser(appId, install.row))! }
    },
  }
}

function unknownUser(code: 'not_found' | 'bad_request', identifier: string): AppError {
  return new AppError(code, `there is no user ${JSON.stringify(identifier)}`)
}
