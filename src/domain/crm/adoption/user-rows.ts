import { isDeepStrictEqual } from 'node:util'
import { mergePatch, readObject, type SizeLimit, sizeProblem } from '../../../platform/json/json.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { IDENTIFIER_RULE, isIdentifier } from '../schema.ts'
import type { UsersRepository } from '../store/users.repository.ts'
import type { Attributes } from '../types.ts'
import type { AdoptionRepository, StoredUser } from './repository.ts'

/** A row of a file of users. An attribute that is null is removed. */
export interface UserRow {
  userId: string
  attributes: Attributes
}

/** The result of a row. */
export type RowResult = { as: 'created' | 'changed' | 'unchanged'; problem?: undefined } | { problem: string }

export interface UserRowOptions {
  /** True when the attributes of a row replace those of the user; false when they are merged into them (RFC 7396). */
  replaces: boolean
  /** True when rows of users who are not there are refused instead of creating them. */
  knownOnly: boolean
  /** True when nothing is written. */
  isTrial: boolean
}

interface Parts {
  adoption: Pick<AdoptionRepository, 'stored' | 'makeUsers' | 'setAttributes'>
  users: Pick<UsersRepository, 'lockListing' | 'list'>
  clock: Clock
  maxAttributes?: SizeLimit | undefined
}

/** A user whom rows name: the row in the database, if there is one, and the attributes after the rows so far. */
interface Named {
  stored: StoredUser | undefined
  attributes: Attributes
  isAccepted: boolean
}

/** Stores rows of attributes of known users, many with a few statements and without events. */
export function createUserRows({ adoption, users, clock, maxAttributes }: Parts) {
  /** Applies a row to the attributes of its user, in memory. */
  function apply(one: Named, { attributes }: UserRow, { replaces, knownOnly }: UserRowOptions): RowResult {
    if (knownOnly && !one.stored) return { problem: 'there is no such user' }
    const after = mergePatch(replaces ? {} : one.attributes, attributes) as Attributes
    const tooLarge = sizeProblem(after, maxAttributes)
    if (tooLarge !== undefined) return { problem: `attributes ${tooLarge}` }
    const isNew = !one.stored && !one.isAccepted
    // Other columns may come first in a file: their order says nothing.
    const isSame = isDeepStrictEqual(after, one.attributes)
    if (!isSame) one.attributes = after
    one.isAccepted = true
    return { as: isNew ? 'created' : isSame ? 'unchanged' : 'changed' }
  }

  /** Writes what has changed. Returns the users who could not be created, because somebody else did at this moment. */
  async function write(appId: number, named: ReadonlyMap<string, Named>): Promise<Set<string>> {
    const now = clock.now()
    const accepted = [...named].filter(([, { isAccepted }]) => isAccepted)
    const fresh = accepted.filter(([, { stored }]) => !stored)
    const times = { anonymous: false, installs: 0, firstActive: now, lastActive: now, isDated: false }
    const made = await adoption.makeUsers(
      appId,
      fresh.map(([identifier, { attributes }]) => ({ identifier, attributes, ...times })),
      now,
    )
    if (made.length > 0) {
      await users.list(
        appId,
        made.map(({ id }) => id),
      )
    }
    const changed = accepted.flatMap(([, { stored, attributes }]) => {
      const text = JSON.stringify(attributes)
      return stored && stored.attributes !== text ? [{ id: stored.id, attributes: text }] : []
    })
    await adoption.setAttributes(appId, changed, now)
    const names = new Set(made.map(({ identifier }) => identifier))
    return new Set(fresh.flatMap(([identifier]) => (names.has(identifier) ? [] : [identifier])))
  }

  return {
    /** Stores rows in a transaction. Returns a result for each; a row that is refused keeps no other from being stored. */
    async store(appId: number, rows: readonly UserRow[], options: UserRowOptions): Promise<RowResult[]> {
      if (!options.isTrial) await users.lockListing(appId)
      const wanted = new Set(rows.map(({ userId }) => userId).filter(isIdentifier))
      const found = await adoption.stored(appId, [...wanted])
      const stored = new Map(found.map((user) => [user.identifier, user]))
      const named = new Map<string, Named>()
      const results = rows.map((row): RowResult => {
        if (!isIdentifier(row.userId)) return { problem: `the user id ${IDENTIFIER_RULE}` }
        const user = stored.get(row.userId)
        const attributes = user ? readObject(user.attributes) : {}
        if (!attributes) return { problem: 'the stored attributes of this user cannot be read' }
        const one = named.get(row.userId) ?? { stored: user, attributes, isAccepted: false }
        named.set(row.userId, one)
        return apply(one, row, options)
      })
      if (options.isTrial) return results
      const missed = await write(appId, named)
      if (missed.size === 0) return results
      const problem = 'somebody else created this user at the same moment: import the line again'
      return results.map((result, i) => (missed.has(rows[i]!.userId) ? { problem } : result))
    },
  }
}
