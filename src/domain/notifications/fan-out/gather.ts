import { chunks } from '../../../platform/concurrency/chunks.ts'
import { ascending } from '../../audience/target.ts'
import type { Step } from '../../audience/walk/walk.ts'
import type { Platform } from '../../gateways/registry.ts'
import type { Way } from './ways.ts'

/** Recipients of one page, ascending, and their way: to a gateway, or straight to an outcome. */
export type ReadyPage = { rows: number[]; byUser?: true } & Way

/** Recipients that can be on one page. */
interface Found {
  platform: Platform | undefined
  byUser: boolean
  rows: number[]
}

/** Gathers what the steps of a walk find, until it makes pages. */
export function createGathering() {
  const found = new Map<string, Found>()
  const moved: number[] = []
  let count = 0

  /**
   * Returns the installs that were found, without those in `reached`: each once and ascending. `isOrdered`: the walk found everybody once, in the order
   * of their rows.
   */
  function parts(reached: ReadonlySet<number> = NOBODY, isOrdered = false): Found[] {
    const met = new Set<number>()
    return [...found.values()].sort(usersFirst).map(({ platform, byUser, rows: all }) => {
      const isPlain = isOrdered && !byUser && reached.size === 0 && met.size === 0
      const rows = isPlain ? all : ascending(new Set(all).difference(reached).difference(met))
      if (byUser) for (const row of rows) met.add(row)
      return { platform, byUser, rows }
    })
  }

  return {
    add(steps: readonly Step[]): void {
      for (const { platform, rows, byUser = false, moved: changed = [] } of steps) {
        const key = `${platform} ${byUser}`
        const before = found.get(key)
        found.set(key, { platform, byUser, rows: before ? before.rows.concat(rows) : rows })
        moved.push(...changed)
        count += rows.length
      }
    },

    /** Number of recipients found so far. */
    get count(): number {
      return count
    },

    /** Recipients that another run of the notification may have reached, too. */
    moved: (): Set<number> => new Set(moved),

    parts,

    /** The pages of the recipients but those in `reached`. `isOrdered` as in `parts`; `wayOf` finds the way of a platform. */
    async pages(
      reached: ReadonlySet<number>,
      isOrdered: boolean,
      pageSize: number,
      wayOf: (platform: Platform | undefined) => Promise<Way>,
    ): Promise<ReadyPage[]> {
      const pages: ReadyPage[] = []
      for (const { platform, byUser, rows } of parts(reached, isOrdered)) {
        const way = await wayOf(platform)
        for (const some of chunks(rows, pageSize)) pages.push({ ...way, rows: some, ...(byUser && { byUser }) })
      }
      return pages
    },
  }
}

const NOBODY: ReadonlySet<number> = new Set()
const usersFirst = (a: Found, b: Found) => Number(b.byUser) - Number(a.byUser)
