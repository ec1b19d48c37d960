import { readPage } from '../../../platform/db/pages.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Pace } from '../../../platform/long-reads/pace.ts'
import { BLOCK_IDS, type UserBlock } from '../../crm/store/directory.ts'
import type { ProfilesRepository, SeenUser } from '../repository.ts'
import type { FoundProfiles, ProfileSearch } from '../types.ts'

type Page = Pick<FoundProfiles, 'ids' | 'next'>

interface Parts {
  repo: Pick<ProfilesRepository, 'newest' | 'oldest' | 'byName' | 'seenLast' | 'identifierOf'>
  users: { blocks(appId: number): Promise<UserBlock[]> }
}

/** The id in a cursor. A cursor of another order leads somewhere else in the list, not to anything else. */
export const idOf = (cursor: string): number => Number.parseInt(cursor, 10) || 0

/** Reads everybody in an order, page by page. */
export function createOrders({ repo, users }: Parts) {
  async function byName(appId: number, after: string | undefined, limit: number, isDescending: boolean): Promise<Page> {
    const behind = after === undefined ? undefined : await repo.identifierOf(appId, idOf(after))
    // The user at whom the page before ended is erased: nobody knows any more where that was.
    if (after !== undefined && behind === undefined) return { ids: [], next: null }
    const { rows, last } = await readPage(limit, (most) => repo.byName(appId, { behind, isDescending }, most))
    return { ids: rows, next: last === undefined ? null : String(last) }
  }

  /**
   * Finds who was active last by looking at every user, in short statements: an index by activity would be written with every upload
   * (docs/decisions/0126-many-users-at-once.md). Throws `unavailable` when the time is over.
   */
  async function byActivity(appId: number, after: string | undefined, limit: number, pace: Pace): Promise<Page> {
    const [at, id] = after?.split('-').map(Number) ?? []
    const before = at === undefined || id === undefined ? undefined : { at, id }
    let found: SeenUser[] = []
    for (const { block } of await users.blocks(appId)) {
      if (!(await pace.turn())) {
        throw new AppError('unavailable', 'the users could not be sorted in time: try again', {
          headers: { 'Retry-After': '5' },
        })
      }
      const ids = { from: block * BLOCK_IDS, to: (block + 1) * BLOCK_IDS }
      const some = await repo.seenLast(appId, ids, before, limit + 1)
      if (some.length > 0) found = [...found, ...some].sort(lastFirst).slice(0, limit + 1)
    }
    const rows = found.slice(0, limit)
    const last = found.length > limit ? rows.at(-1)! : undefined
    return { ids: rows.map((user) => user.id), next: last ? `${last.at}-${last.id}` : null }
  }

  return {
    /** The next users of everybody, in the order that is asked for. */
    async page(appId: number, { sort = '-created', after, limit }: ProfileSearch, pace: Pace): Promise<Page> {
      if (sort === '-lastActive') return byActivity(appId, after, limit, pace)
      if (sort === 'identifier' || sort === '-identifier') return byName(appId, after, limit, sort === '-identifier')
      const read = sort === 'created' ? repo.oldest : repo.newest
      const { rows, last } = await readPage(limit, (most) =>
        read(appId, after === undefined ? after : idOf(after), most),
      )
      return { ids: rows, next: last === undefined ? null : String(last) }
    },
  }
}

const lastFirst = (a: SeenUser, b: SeenUser): number => b.at - a.at || b.id - a.id
