import type { Knex } from 'knex'
import { makeRoom } from '../concurrency/room.ts'
import type { Sql } from './database.ts'
import { isPostgres } from './dialect.ts'

/** A modifier for `query.modify`: the newest rows first, up to `limit`; only ids below `before` when it is given. */
export const newestFirst =
  (before: number | undefined, limit: number) =>
  (query: Knex.QueryBuilder): void => {
    if (before !== undefined) void query.where('id', '<', before)
    void query.orderBy('id', 'desc').limit(limit)
  }

/** A value of a row, which may be an expression that looks it up. */
type Value = number | Knex.Raw

/** The same by two columns; `after` has those of the last row of the page before. */
export const highestFirst =
  (columns: readonly [string, string], after: readonly [Value, Value] | undefined, limit: number) =>
  (query: Knex.QueryBuilder): void => {
    if (after) void query.whereRaw(`(${columns.join(', ')}) < (?, ?)`, after)
    void query.orderBy(columns.map((column) => ({ column, order: 'desc' }))).limit(limit)
  }

/** A row by the time of its creation. */
interface Created {
  id: number
  createdAt: Value
}

/** The same by the time of creation, and of rows of one time the highest id first; `after` is the last row of the page before. */
export const latestFirst = (after: Created | undefined, limit: number) =>
  highestFirst(['created_at', 'id'], after && [after.createdAt, after.id], limit)

/** A modifier for `query.modify`: the oldest rows first, up to `limit`; only ids above `after`. */
export const oldestFirst =
  (after: number, limit: number) =>
  (query: Knex.QueryBuilder): void =>
    void query.where('id', '>', after).orderBy('id').limit(limit)

/** A page of a list; `last` is its last row when more rows follow. `read` is called with `limit + 1`. */
export async function readPage<T>(
  limit: number,
  read: (most: number) => Promise<readonly T[]>,
): Promise<{ rows: T[]; last: T | undefined }> {
  const found = await read(limit + 1)
  const rows = found.slice(0, limit)
  return { rows, last: found.length > limit ? rows.at(-1) : undefined }
}

/** A row of a list by its id, and the size in bytes of its columns that may be large. */
export interface WeighedRow {
  id: number
  bytes: number
}

/** Maximum size of a page in bytes. A row that is larger than this makes a page by itself. */
export const PAGE_BYTES = 2 * 1024 * 1024

/** The bytes of a complete list that one statement reads. This bounds the memory of a caller, and the time for which others wait. */
export const SLICE_BYTES = 512 * 1024

/**
 * SELECT expression `bytes`: the total size of these text columns in a row, plus `others` (SQL). Neither database reads the texts for
 * this: SQLite finds the length in the row header, PostgreSQL in the TOAST pointer.
 */
export function bytesOf(sql: Sql, columns: readonly string[], others = '0'): Knex.Raw {
  const lengths = columns.map((column) => `COALESCE(octet_length(${column}), 0)`)
  return sql.raw(`CAST(${[...lengths, others].join(' + ')} AS ${isPostgres(sql) ? 'integer' : 'INTEGER'}) AS bytes`)
}

/** Splits rows into slices of at most `most` bytes, each with at least one row. */
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

/** Waits for memory for one slice of these rows. Throws `unavailable` when there is none for too long. */
export async function makeRoomForSlices(rows: readonly WeighedRow[]): Promise<void> {
  let [all, largest] = [0, SLICE_BYTES]
  for (const { bytes } of rows) {
    all += bytes
    largest = Math.max(largest, bytes)
  }
  await makeRoom(Math.min(all, largest))
}

/**
 * A page of a list whose rows may be large: at most `limit` rows and `PAGE_BYTES`, but at least one row. `weigh` is called with the
 * number of rows to look at, `read` with the ids on the page. `next` is the id of the last row when more rows follow.
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

/** Rows that are looked at for a page of those that fit: it ends after these, whatever it found. */
const LOOKED_AT = 500

/**
 * `readWeighedPage` of the rows that `fits` lets through, among at most 500. It may have fewer than `limit`, or none, and a `next` all the
 * same.
 */
export async function readFittingPage<R extends WeighedRow, T extends { id: number }>(
  limit: number,
  look: (most: number) => Promise<readonly R[]>,
  { fits, read }: { fits(row: R): boolean; read: (ids: readonly number[]) => Promise<readonly T[]> },
): Promise<{ rows: T[]; next: number | null }> {
  const looked = await look(LOOKED_AT)
  const found = looked.filter(fits)
  const page = await readWeighedPage(limit, async (most) => found.slice(0, most), read)
  const last = looked.length < LOOKED_AT ? null : looked.at(-1)!.id
  return { rows: page.rows, next: page.next ?? last }
}

/** All rows of a list, with one slice in memory at a time. Rows that were deleted in the meantime are left out. */
export async function* readSlices<T extends { id: number }>(
  rows: readonly WeighedRow[],
  read: (ids: readonly number[]) => Promise<readonly T[]>,
): AsyncGenerator<T> {
  await makeRoomForSlices(rows)
  for (const slice of slicesOf(rows)) {
    const ids = slice.map(({ id }) => id)
    // Not `yield*`, which awaits three times for each row that is already in memory.
    for (const row of await readInOrder(ids, read)) yield row
  }
}

/** The rows of these ids, in the order of the ids; those that are gone are left out. Without ids nothing is read. */
export async function readInOrder<T extends { id: number }>(
  ids: readonly number[],
  read: (ids: readonly number[]) => Promise<readonly T[]>,
): Promise<T[]> {
  if (ids.length === 0) return []
  const byId = new Map((await read(ids)).map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** Tells whether a list has `count` rows or more: looks for that one in the order of ids, and reads no other. */
export async function hasAtLeast(list: Knex.QueryBuilder, count: number): Promise<boolean> {
  const row: { id: number } | undefined = await list
    .orderBy('id')
    .offset(count - 1)
    .first('id')
  return row !== undefined
}
