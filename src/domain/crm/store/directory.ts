/**
 * The user list is divided into blocks of ids, and for each block the number of its listed users is stored. Page n
 * begins after (n - 1) * size users. The sum of the blocks finds the block where it begins, and at most one block of
 * index entries is skipped. Page 1000 therefore costs the same as page 1; OFFSET over all users would read every user
 * before the page.
 */

/** Ids in one block. A million users are 245 blocks; skipping one block reads about 4000 index entries. */
export const BLOCK_IDS = 4096

/** One block of the app's users: how many listed ones have an id in `[block * 4096, (block + 1) * 4096)`. */
export interface UserBlock {
  block: number
  listed: number
}

/** The start of a page: `skip` listed users after the first one whose id is at least `fromId`. */
export interface PageStart {
  fromId: number
  skip: number
}

export function blockOf(userId: number): number {
  return Math.floor(userId / BLOCK_IDS)
}

/** How many users the list shows, over all blocks. */
export function totalOf(blocks: readonly UserBlock[]): number {
  return blocks.reduce((sum, { listed }) => sum + listed, 0)
}

/**
 * Finds the listed user with `before` listed users before it; undefined when there are fewer. `blocks` are ascending.
 */
export function seekPage(blocks: readonly UserBlock[], before: number): PageStart | undefined {
  let skip = before
  for (const { block, listed } of blocks) {
    if (skip < listed) return { fromId: block * BLOCK_IDS, skip }
    skip -= listed
  }
  return undefined
}
