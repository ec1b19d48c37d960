import { readPage } from '../../../platform/db/pages.ts'
import { readObject } from '../../../platform/json/json.ts'
import type { Pace } from '../../../platform/long-reads/pace.ts'
import { unhurried } from '../../../platform/long-reads/pace.ts'
import { isIdentifier } from '../../crm/schema.ts'
import type { CrmService } from '../../crm/service.ts'
import type { UserBlock } from '../../crm/store/directory.ts'
import type { User, UserWithInstalls } from '../../crm/types.ts'
import type { UserSearch } from '../../segments/user-search/schema.ts'
import type { FoundUsers } from '../../segments/user-search/service.ts'
import type { NamedUser, ProfilesRepository } from '../repository.ts'
import type { FoundProfiles, ProfileSearch, Suggestion, Understood } from '../types.ts'
import { createOrders, idOf } from './order.ts'
import { understand } from './search-text.ts'

/** Users whose attributes are looked at for names and values. */
const SAMPLE = 300
const MOST_USERS = 6
/** Attributes that get a column of their own in a file. */
const MOST_NAMES = 100
const MOST_ATTRIBUTES = 6
/** Longest value that is suggested: nobody looks for a longer one. */
const LONGEST_VALUE = 60
/** The beginning of a cursor among users who have the text inside. */
const INSIDE = 'in:'
/** Length of a text from which it is looked for inside of words. */
const SHORTEST_INSIDE = 2

type Page = Pick<FoundProfiles, 'ids' | 'next'>

interface Parts {
  repo: ProfilesRepository
  users: {
    find(appId: number, identifier: string): Promise<Pick<User, 'id' | 'anonymous' | 'installCount'> | undefined>
    blocks(appId: number): Promise<UserBlock[]>
  }
  installs: { find(appId: number, installId: string): Promise<{ userId: number } | undefined> }
  book: Pick<CrmService, 'usersByIds'>
  search: { find(appId: number, search: UserSearch, pace?: Pace): Promise<FoundUsers> }
}

/** Finds users by a typed text. */
export function createFinding({ repo, users, installs, book, search }: Parts) {
  const orders = createOrders({ repo, users })

  /** The user with this identifier, and the user of the install with this id. */
  async function exact(appId: number, text: string): Promise<{ user?: number; byInstall?: number }> {
    if (!isIdentifier(text)) return {}
    const found = await users.find(appId, text)
    // Nobody is any more the anonymous user whom an install had before somebody signed in.
    const user = found && (!found.anonymous || found.installCount > 0) ? found : undefined
    const install = await installs.find(appId, text)
    return {
      ...(user && { user: user.id }),
      ...(install && install.userId !== user?.id && { byInstall: install.userId }),
    }
  }

  /** Finds users whose identifier starts with `text`, both as typed and in lower case. */
  async function beginning(appId: number, text: string, behind: string | undefined, limit: number) {
    if (!isIdentifier(text)) return []
    const found = await repo.beginning(appId, text, behind, limit)
    const small = text.toLowerCase()
    if (found.length > 0 || small === text) return found
    return repo.beginning(appId, small, behind, limit)
  }

  /** Users with the text inside of a name or a value, without those whose identifier begins with it. */
  async function inside(appId: number, text: string, from: number, limit: number, pace: Pace): Promise<Page> {
    const isTyped = (await beginning(appId, text, undefined, 1)).every(({ identifier }) => identifier.startsWith(text))
    const notBeginning = isTyped ? text : text.toLowerCase()
    const found = await search.find(appId, { inside: { text, notBeginning }, after: from, limit }, pace)
    return { ids: found.ids, next: found.next === null ? null : `${INSIDE}${found.next}` }
  }

  async function named(
    appId: number,
    { after, limit, isWholeOnly }: ProfileSearch,
    text: string,
    pace: Pace,
  ): Promise<Page> {
    if (isWholeOnly) return { ids: Object.values(await exact(appId, text)), next: null }
    if (after?.startsWith(INSIDE)) return inside(appId, text, Number(after.slice(INSIDE.length)), limit, pace)
    const whole = await exact(appId, text)
    const first = Object.values(whole)
    const behind = after === undefined ? undefined : await repo.identifierOf(appId, idOf(after))
    const { rows, last } = await readPage<NamedUser>(limit, (most) => beginning(appId, text, behind, most))
    const others = rows.map(({ id }) => id).filter((id) => !first.includes(id))
    const ids = after === undefined ? [...first, ...others] : others
    if (last) return { ids, next: String(last.id) }
    // Who gives a whole name means it.
    return { ids, next: first.length > 0 || text.length < SHORTEST_INSIDE ? null : `${INSIDE}0` }
  }

  async function byAttribute(
    appId: number,
    { after, limit }: ProfileSearch,
    { name, op, value }: Extract<Understood, { kind: 'attribute' }>,
    pace: Pace,
  ): Promise<Page> {
    const filter = { field: `attributes.${name}`, op, value }
    const behind = after === undefined ? undefined : idOf(after)
    const { ids, next } = await search.find(appId, { filter, after: behind, limit }, pace)
    return { ids, next: next === null ? null : String(next) }
  }

  return {
    /**
     * The next users who fit the typed text. Everybody comes in the order that is asked for. Names come in their order; behind
     * them, and in a search by an attribute, users come oldest first: such a page may end with fewer than `limit`, or none, when
     * its time is over, and then has a `next`. Throws `invalid` for an attribute that cannot be asked for.
     */
    async find(appId: number, asked: ProfileSearch, pace: Pace = unhurried): Promise<FoundProfiles> {
      const understood = understand(asked.text)
      if (understood.kind === 'everybody') {
        return { ...(await orders.page(appId, asked, pace)), understood }
      }
      // What looks like a condition may be somebody's identifier all the same.
      const whole = understood.kind === 'attribute' ? await exact(appId, asked.text.trim()) : {}
      if (whole.user !== undefined || asked.isWholeOnly || understood.kind === 'name') {
        const text = asked.text.trim()
        return { ...(await named(appId, asked, text, pace)), understood: { kind: 'name', text } }
      }
      return { ...(await byAttribute(appId, asked, understood, pace)), understood }
    },

    /** The users with these ids and their installs, in this order; users who are gone are left out. */
    async users(appId: number, ids: readonly number[]): Promise<UserWithInstalls[]> {
      const byId = new Map<number, UserWithInstalls>()
      for await (const user of await book.usersByIds(appId, ids)) byId.set(user.id, user)
      return ids.flatMap((id) => byId.get(id) ?? [])
    },

    /** Names of attributes that the newest users have, sorted, at most 100. */
    async attributeNames(appId: number): Promise<string[]> {
      const sample = await repo.sample(appId, SAMPLE)
      const names = new Set(sample.flatMap((json) => Object.keys(readObject(json) ?? {})))
      return [...names].slice(0, MOST_NAMES).sort()
    },

    /** Suggestions for the text typed so far. With `isWholeOnly` only whole names are recognised. */
    async suggest(appId: number, typed: string, isWholeOnly = false): Promise<Suggestion[]> {
      const text = typed.trim()
      if (text === '') return []
      const whole = await exact(appId, text)
      const offers: Suggestion[] = []
      if (whole.user !== undefined) offers.push({ kind: 'user', id: whole.user, identifier: text })
      if (whole.byInstall !== undefined) offers.push({ kind: 'install', id: whole.byInstall, installId: text })
      if (isWholeOnly) return offers
      for (const { id, identifier } of await beginning(appId, text, undefined, MOST_USERS)) {
        if (id !== whole.user) offers.push({ kind: 'user', id, identifier })
      }
      return [...offers, ...attributesLike(await repo.sample(appId, SAMPLE), text)]
    },
  }
}

/** Names of attributes that begin with the typed text, or values of the one that was typed. Pure. */
function attributesLike(sample: readonly string[], text: string): Suggestion[] {
  const [, name = text, sign, begun = ''] = /^([^=]+?)\s*(=)\s*(.*)$/s.exec(text) ?? []
  const found = new Map<string, Suggestion>()
  for (const json of sample) {
    for (const [key, value] of Object.entries(readObject(json) ?? {})) {
      if (sign === undefined ? !startsLike(key, name) : key !== name) continue
      if (sign === undefined) found.set(key, { kind: 'attribute', text: `${key} = `, name: key, value: null })
      else if (isPlain(value) && startsLike(String(value), begun)) {
        const shown = String(value)
        // Text that looks like a number or a truth needs quotes to stay text.
        const written = typeof value === 'string' && /^(-?\d+(\.\d+)?|true|false)$/.test(value) ? `"${value}"` : shown
        found.set(shown, { kind: 'attribute', text: `${key} = ${written}`, name: key, value: shown })
      }
      if (found.size === MOST_ATTRIBUTES) return [...found.values()]
    }
  }
  return [...found.values()]
}

const startsLike = (whole: string, start: string): boolean => whole.toLowerCase().startsWith(start.toLowerCase())
const isPlain = (value: unknown): boolean =>
  ['string', 'number', 'boolean'].includes(typeof value) && String(value).length <= LONGEST_VALUE
