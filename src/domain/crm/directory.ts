/**
 * The user list is cut into blocks of ids, and each block knows how many listed users it holds. Page n begins after (n - 1) * size
 * users: adding up blocks finds the block where that is, and at most one block of ids is stepped over inside it. So page 1000
 * costs what page 1 costs; OFFSET over the users would read every user before the page.
 */

/** Ids of one block. A million users are 245 blocks; stepping over one block is some 4000 index entries. */
export const BLOCK_IDS = 4096

/** One block of the app's users: how many listed ones have an id in `[block * 4096, (block + 1) * 4096)`. */
export interface UserBlock {
  block: number
  listed: number
}

/** Where a page begins: `skip` listed users on from the first one whose id is at least `fromId`. */
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

/** Finds the listed user with `before` listed users before it; undefined when there are not so many. `blocks` ascending. */
export function seekPage(blocks: readonly UserBlock[], before: number): PageStart | undefined {
  let skip = before
  for (const { block, listed } of blocks) {
    if (skip < listed) return { fromId: block * BLOCK_IDS, skip }
    skip -= listed
  }
  return undefined
}
