import type { Pace } from '../../../platform/long-reads/pace.ts'
import type { FoundRecord } from '../definition/sql-values.ts'
import type { RecordsRepository } from '../store/records.repository.ts'
import { compareInOrder, fastestWalk, partOfIndex } from '../store/scan.ts'
import type { Cursor, FilterNode, Sort, Table } from '../types.ts'
import type { SlicesRepository, Stop, Stretch } from './slices.repository.ts'

/** What a list asks for, read from its query. */
export interface AskedList {
  sort: Sort
  filter: FilterNode | undefined
  cursor: Cursor | undefined
  /** Number of records to skip. */
  before: number
  /** Number of records to return. */
  limit: number
}

/** The time of a read is over. `examined`: about how many records it has checked. */
export class OutOfTime extends Error {
  readonly examined: number

  constructor(examined: number) {
    super('out of time')
    this.examined = examined
  }
}

/** Numbers of records that tests reduce. */
export interface SliceSizes {
  /** Of the first statement: a few milliseconds, unless they are large. */
  first: number
  /** See `WALKED_PART`. */
  minWalked: number
  /** How many are sorted without an index, at most: a page cannot end further down. */
  maxSorted: number
}

export const SIZES: SliceSizes = { first: 1000, minWalked: 20_000, maxSorted: 20_000 }
const MIN_SIZE = 50
const MAX_SIZE = 50_000
/** How long a statement should take (ms): other reads of the same thread wait for it. */
const STATEMENT_MS = 15

/** Records that are kept beyond those on the page, in place of those that are deleted meanwhile. */
const SPARE = 20
/**
 * A walk in the order of an index finds each record somewhere else in the table. Once it has examined this part of the
 * table, and at least `minWalked` records, it is faster to check all records in the order of their ids (eight times,
 * measured with half a million records).
 */
const WALKED_PART = 1 / 8

/** Reads of any length, in statements that are short. Each part of the table is read in its state at that time. */
export function readsInSlices(
  slices: SlicesRepository,
  records: Pick<RecordsRepository, 'page'>,
  pace: Pace,
  { first: firstSize, minWalked, maxSorted }: SliceSizes,
) {
  let seen = 0

  /** Calls `read` for one stretch after the other until it returns false or the records end. Throws `OutOfTime`. */
  async function walk(
    way: Pick<Stretch, 'walk' | 'range' | 'rest'>,
    from: Cursor | undefined,
    read: (stretch: Stretch) => Promise<{ stop: Stop; goOn: boolean }>,
    most = Number.POSITIVE_INFINITY,
  ): Promise<'ended' | 'most'> {
    const until = seen + most
    let at: Stop = { place: from, part: 0 }
    for (let size = firstSize; at; ) {
      if (!(await pace.turn())) throw new OutOfTime(seen)
      const began = pace.monotonic()
      const { stop, goOn } = await read({ ...way, ...at, size })
      if (!goOn) return 'ended'
      if (stop?.part === 0) seen += size
      if (stop && seen >= until) return 'most'
      size = nextSize(size, pace.monotonic() - began)
      at = stop
    }
    return 'ended'
  }

  /** The records in the order of an index, when there are enough within the next `most`; otherwise undefined. */
  async function walkInOrder(
    table: Table,
    { sort, filter, cursor, before, limit }: AskedList,
    most: number,
  ): Promise<FoundRecord[] | undefined> {
    const found: FoundRecord[] = []
    let skip = before
    const read = async (stretch: Stretch) => {
      const { hits, stop } = await slices.find(table, stretch, { order: sort, most: skip + limit - found.length })
      const ids = hits.slice(skip).map(({ id }) => id)
      skip = Math.max(0, skip - hits.length)
      // Read at once, so that records which are deleted later are not missed.
      found.push(...(await records.page(table, { sort, limit }, ids)))
      return { stop, goOn: found.length < limit }
    }
    const end = await walk({ walk: sort, ...partOfIndex(filter, sort) }, cursor, read, most)
    return end === 'ended' ? found : undefined
  }

  /** The records in any order: checks all of them, and keeps the first ones. */
  async function sortAll(table: Table, { sort, filter, cursor, before, limit }: AskedList): Promise<FoundRecord[]> {
    const most = before + limit + SPARE
    const way = fastestWalk(table, filter)
    let first: Cursor[] = []
    await walk(way, undefined, async (stretch) => {
      const { hits, stop } = await slices.find(table, stretch, { order: sort, after: cursor, most })
      if (hits.length > 0) first = [...first, ...hits].sort(compareInOrder(sort)).slice(0, most)
      return { stop, goOn: true }
    })
    const ids = first.slice(before).map(({ id }) => id)
    return (await records.page(table, { sort, limit }, ids)).slice(0, limit)
  }

  return {
    /**
     * The records of a list of a table with `total` records. Throws `OutOfTime`. Without an index for the order,
     * `before` and `limit` must not exceed `maxSorted` together.
     */
    async list(table: Table, asked: AskedList, total: number): Promise<FoundRecord[]> {
      const { field } = asked.sort
      if (!field.indexed) return sortAll(table, asked)
      const canSort = field.name !== 'id' && asked.before + asked.limit <= maxSorted
      const most = canSort ? Math.max(minWalked, total * WALKED_PART) : Number.POSITIVE_INFINITY
      return (await walkInOrder(table, asked, most)) ?? sortAll(table, asked)
    },

    /** The number of matching records. Throws `OutOfTime`. */
    async count(table: Table, filter: FilterNode): Promise<number> {
      let total = 0
      await walk(fastestWalk(table, filter), undefined, async (stretch) => {
        const { matching, stop } = await slices.count(table, stretch)
        total += matching
        return { stop, goOn: true }
      })
      return total
    },
  }
}

function nextSize(size: number, ms: number): number {
  if (ms > 2 * STATEMENT_MS) return Math.max(MIN_SIZE, Math.floor((size * STATEMENT_MS) / ms))
  return ms < STATEMENT_MS / 2 ? Math.min(size * 2, MAX_SIZE) : size
}
