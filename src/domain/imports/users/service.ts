import type { createUserRows, RowResult, UserRow, UserRowOptions } from '../../crm/adoption/user-rows.ts'
import type { Comer } from '../types.ts'

/** Results of some rows of a file of users. */
export interface UsersStored {
  created: number
  changed: number
  unchanged: number
  /** Rows that were refused, by their index from 0. */
  refused: { index: number; userId: string; reason: string }[]
}

export interface UserImportOptions extends UserRowOptions {
  /** True when users who were erased here are taken in all the same. */
  includeErased: boolean
}

interface Parts {
  rows: Pick<ReturnType<typeof createUserRows>, 'store'>
  lockListing(appId: number): Promise<void>
  erasedAmong(appId: number, comers: readonly Comer[]): Promise<Set<number>>
}

const ERASED = 'was erased here: what the file knows is older than the erasure'

/** Users with their attributes from files. */
export function userImportsService({ rows, lockListing, erasedAmong }: Parts) {
  /** Indexes of users who were erased here (docs/decisions/0065-imports-and-the-erased.md). */
  async function erasedOf(appId: number, given: readonly UserRow[], { includeErased, isTrial }: UserImportOptions) {
    if (includeErased) return new Set<number>()
    // An erasure that is asked for meanwhile waits for this batch, or is seen by it.
    if (!isTrial) await lockListing(appId)
    return erasedAmong(
      appId,
      given.map(({ userId }) => ({ identifier: userId, installId: null, token: null })),
    )
  }

  return {
    /** Stores some rows in a transaction, or only says what would become of them. */
    async store(appId: number, given: readonly UserRow[], options: UserImportOptions): Promise<UsersStored> {
      const erased = await erasedOf(appId, given, options)
      const left = given.flatMap((row, index) => (erased.has(index) ? [] : [{ row, index }]))
      const found = await rows.store(
        appId,
        left.map(({ row }) => row),
        options,
      )
      const results: RowResult[] = given.map(() => ({ problem: ERASED }))
      for (const [i, { index }] of left.entries()) results[index] = found[i]!
      const stored: UsersStored = { created: 0, changed: 0, unchanged: 0, refused: [] }
      for (const [index, result] of results.entries()) {
        if (result.problem === undefined) stored[result.as]++
        else stored.refused.push({ index, userId: given[index]!.userId, reason: result.problem })
      }
      return stored
    },
  }
}
