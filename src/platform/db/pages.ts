import type { Knex } from 'knex'
import { makeRoom } from '../room.ts'
import type { Sql } from './database.ts'
import { isPostgres } from './dialect.ts'

/** For `query.modify`: the newest rows first, at most `limit`; those with an id below `before` when it is given. */
export const newestFirst =
  (before: number | undefined, limit: number) =>
  (query: Knex.QueryBuilder): void => {
    if (before !== undefined) void query.where('id', '<', before)
    void query.orderBy('id', 'desc').limit(limit)
  }

/** For `query.modify`: the oldest rows first, at most `limit`; those with an id above `after`. */
export const oldestFirst =
  (after: number, limit: number) =>
  (query: Knex.QueryBuilder): void =>
    void query.where('id', '>', after).orderBy('id').limit(limit)

/** A page of a list, and its last row when there are more behind it. `read` gets how many to read: one more than the page has. */
export async function readPage<T>(
  limit: number,
  read: (most: number) => Promise<readonly T[]>,
): Promise<{ rows: T[]; last: T | undefined }> {
  const found = await read(limit + 1)
  const rows = found.slice(0, limit)
  return { rows, last: found.length > limit ? rows.at(-1) : undefined }
}

/** Where a row of a list is, and how many bytes it has in the columns that may be large. */
export interface WeighedRow {
  id: number
  bytes: number
}

/** Bytes of a page that has a `next`. What is larger alone is a page of its own. */
export const PAGE_BYTES = 2 * 1024 * 1024

/** Bytes that one statement reads of a list which must come whole: what a caller holds in memory, and how long others wait. */
export const SLICE_BYTES = 512 * 1024

/**
 * SELECT expression `bytes`: how many bytes these columns of text have in a row, and `others` (SQL) more. Neither database reads the
 * texts for that: SQLite knows from the head of the row, PostgreSQL from the pointer to what is stored elsewhere.
 */
export function bytesOf(sql: Sql, columns: readonly string[], others = '0'): Knex.Raw {
  const lengths = columns.map((column) => `COALESCE(octet_length(${column}), 0)`)
  return sql.raw(`CAST(${[...lengths, others].join(' + ')} AS ${isPostgres(sql) ? 'integer' : 'INTEGER'}) AS bytes`)
}

/** Rows in pieces of at most `most` bytes, of one row at least. */
export function* slicesOf<R extends WeighedRow>(rows: readonly R[], most = SLICE_BYTES): Generator<R[]> {
  let slice: R[] = []
  let bytes = 0
  for (const row of rows) {
    if (slice.length > 0 && bytes + row.bytes > most) {
      yield slice
      slice = []
      bytes = 0
    }
    slice.push(row)
    bytes += row.bytes
  }
  if (slice.length > 0) yield slice
}

/** Makes room for a slice of these rows before one is read. Throws `unavailable` when there is none for too long. */
export async function makeRoomForSlices(rows: readonly WeighedRow[]): Promise<void> {
  let [all, largest] = [0, SLICE_BYTES]
  for (const { bytes } of rows) {
    all += bytes
    largest = Math.max(largest, bytes)
  }
  await makeRoom(Math.min(all, largest))
}

/**
 * A page of a list whose rows may be large: at most `limit` rows and `PAGE_BYTES`, one row at least. `weigh` gets how many rows to look
 * at, `read` the ids of those that are on the page. `next` is the id of its last row when there are more behind it.
 */
export async function readWeighedPage<T extends { id: number }>(
  limit: number,
  weigh: (most: number) => Promise<readonly WeighedRow[]>,
  read: (ids: readonly number[]) => Promise<readonly T[]>,
): Promise<{ rows: T[]; next: number | null }> {
  const found = await weigh(limit + 1)
  const [page = []] = slicesOf(found.slice(0, limit), PAGE_BYTES)
  const ids = page.map(({ id }) => id)
  await makeRoom(page.reduce((all, { bytes }) => all + bytes, 0))
  return { rows: await readInOrder(ids, read), next: page.length < found.length ? ids.at(-1)! : null }
}

/** The rows of a list that must come whole, a slice in memory at a time; those that are gone by then are left out. */
export async function* readSlices<T extends { id: number }>(
  rows: readonly WeighedRow[],
  read: (ids: readonly number[]) => Promise<readonly T[]>,
): AsyncGenerator<T> {
  await makeRoomForSlices(rows)
  for (const slice of slicesOf(rows)) {
    const ids = slice.map(({ id }) => id)
    // Not `yield*`, which waits three times for each of what is there already.
    for (const row of await readInOrder(ids, read)) yield row
  }
}

async function readInOrder<T extends { id: number }>(
  ids: readonly number[],
  read: (ids: readonly number[]) => Promise<readonly T[]>,
): Promise<T[]> {
  if (ids.length === 0) return []
  const byId = new Map((await read(ids)).map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}
