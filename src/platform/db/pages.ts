import type { Knex } from 'knex'

/** For `query.modify`: the newest rows first, at most `limit`; those with an id below `before` when it is given. */
export const newestFirst =
  (before: number | undefined, limit: number) =>
  (query: Knex.QueryBuilder): void => {
    if (before !== undefined) void query.where('id', '<', before)
    void query.orderBy('id', 'desc').limit(limit)
  }

/** A page of a list, and its last row when there are more behind it. `read` gets how many to read: one more than the page has. */
export async function readPage<T>(
  limit: number,
  read: (most: number) => Promise<readonly T[]>,
): Promise<{ rows: T[]; last: T | undefined }> {
  const found = await read(limit + 1)
  const rows = found.slice(0, limit)
  return { rows, last: found.length > limit ? rows.at(-1) : undefined }
}
