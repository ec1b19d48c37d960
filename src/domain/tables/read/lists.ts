import { isStatementTimeout } from '../../../platform/db/unavailable.ts'
import type { Pace } from '../../../platform/long-reads/pace.ts'
import type { BlocksRepository } from '../definition/blocks.repository.ts'
import type { FoundRecord } from '../definition/sql-values.ts'
import { type RecordsRepository, sortValue } from '../store/records.repository.ts'
import { candidateSets, checksPerRecord, isOneRange, longFields, tookTooLong, tooManyToSort } from '../store/scan.ts'
import type { FilterNode, Sort, Table } from '../types.ts'
import { hasCursors, writeCursor } from './order.ts'
import type { PageMarks } from './page-marks.ts'
import { FAR, pageAt } from './pages.ts'
import type { SlicesRepository } from './slices.repository.ts'
import { type AskedList, OutOfTime, readsInSlices, SIZES, type SliceSizes } from './slices.ts'

/** Query of a page of a list. `limit` is the number of records on it. */
export interface AskedPage extends AskedList {
  /** True to count the matching records of all pages. */
  count: boolean
}

/** A page as it was read. Its large values are read later (`FoundRecord`). */
export interface FoundPage {
  table: Table
  found: FoundRecord[]
  /** The `after` of the following page; null on the last. */
  next: string | null
  /** Number of matching records on all pages; undefined if not asked for. */
  total: number | undefined
}

/**
 * The way to read a list in one statement: from a range of an index that holds exactly its records, or among the
 * records that meet a condition.
 */
interface Reading {
  isOneRange: boolean
  among?: readonly FilterNode[]
}

/**
 * Checks that a read may make on the thread that serves requests: two or three milliseconds. It saves small tables the
 * way to the reader thread.
 */
const QUICK_CHECKS = 5000
/** Checks of one statement of a long read, at most: other reads of its thread wait for it. */
const MOST_CHECKS = 100_000
/** Stepping over an index entry costs a tenth of checking a record. */
const ENTRIES_PER_CHECK = 10

/** Lists of records: in one statement if that is short, otherwise in many. */
export function listsOf({
  repo,
  blocks,
  slices,
  marks,
  scanLimit,
  sizes = SIZES,
}: {
  repo: RecordsRepository
  blocks: BlocksRepository
  slices: SlicesRepository
  /** Cache of page offsets; absent inside a transaction. */
  marks: PageMarks | undefined
  /** `limits.tableScan`. */
  scanLimit: number
  sizes?: SliceSizes
}) {
  /**
   * Decides how to read a list in one statement that checks at most `most` records besides the results; undefined if
   * there is no way. A list that an index answers alone needs no counting.
   */
  async function plan(
    table: Table,
    asked: { sort: Sort; filter: FilterNode | undefined },
    checks: number,
  ): Promise<Reading | undefined> {
    const { sort, filter } = asked
    if (filter ? isOneRange(filter, sort) : sort.field.indexed) return { isOneRange: true }
    const { total } = await blocks.census(table)
    const bytes = await repo.averageBytes(table, longFields(asked))
    const most = Math.floor(checks / checksPerRecord(asked, bytes))
    if (total <= most) return { isOneRange: false }
    // Each record is found in an index first, and then by its id.
    const few = Math.floor(most / 2)
    for (const among of filter ? candidateSets(filter) : []) {
      let found = 0
      for (const one of among) if (found <= few) found += await repo.count(table, one, few + 1)
      if (found <= few) return { isOneRange: false, among }
    }
    return undefined
  }

  async function readAtOnce(table: Table, asked: AskedPage, { among }: Reading, pace?: Pace): Promise<FoundRecord[]> {
    const options = { sort: asked.sort, filter: asked.filter, among, limit: asked.limit + 1 }
    if (asked.cursor) return repo.after(table, options, asked.cursor)
    return pageAt({ records: repo, blocks, marks, pace }, table, options, asked.before)
  }

  function pageOf(
    table: Table,
    { sort, limit }: AskedPage,
    found: FoundRecord[],
    total: number | undefined,
  ): FoundPage {
    const onPage = found.slice(0, limit)
    const last = found.length > limit && hasCursors(sort.field) ? onPage.at(-1)! : undefined
    const next = last ? writeCursor(sort, { value: sortValue(table, last, sort), id: last.id }) : null
    return { table, found: onPage, next, total }
  }

  /** Tells whether a page that one statement can read is near enough, and its count small enough. */
  async function isNear(table: Table, { sort, filter, cursor, before, count }: AskedPage): Promise<boolean> {
    if (!filter) {
      // Nothing is counted, and the blocks tell where a page by id begins.
      if (cursor || before < FAR || sort.field.name === 'id') return true
    } else if (!count && (cursor || before < FAR)) return true
    return (await blocks.census(table)).total <= QUICK_CHECKS * ENTRIES_PER_CHECK
  }

  async function countOf(
    table: Table,
    filter: FilterNode | undefined,
    way: Reading | undefined,
    long: ReturnType<typeof readsInSlices> | undefined,
  ): Promise<number> {
    if (!filter) return (await blocks.census(table)).total
    if (long && (!way || way.isOneRange)) return long.count(table, filter)
    return repo.count(table, filter, Number.MAX_SAFE_INTEGER, way?.among)
  }

  return {
    /** The page, if it can be read within a few milliseconds; otherwise undefined. */
    async quick(table: Table, asked: AskedPage): Promise<FoundPage | undefined> {
      const way = await plan(table, asked, Math.min(scanLimit, QUICK_CHECKS))
      if (!way || !(await isNear(table, asked))) return undefined
      const found = await readAtOnce(table, asked, way)
      return pageOf(table, asked, found, asked.count ? await countOf(table, asked.filter, way, undefined) : undefined)
    },

    /**
     * The page, however long it takes within the time of `pace`. Throws `unavailable` with the remedy when that is over,
     * and `invalid` if the list is too large to sort without an index.
     */
    async long(table: Table, asked: AskedPage, pace: Pace): Promise<FoundPage> {
      const inSlices = readsInSlices(slices, repo, pace, sizes)
      const { sort, filter, before, limit } = asked
      try {
        if (!(await pace.turn())) throw new OutOfTime(0)
        const way = await plan(table, asked, Math.min(scanLimit, MOST_CHECKS))
        const isAtOnce = way && (!way.isOneRange || !filter || before < FAR || asked.cursor)
        const { total } = await blocks.census(table)
        const isBehindAll = before >= FAR && before >= total
        const isSorted = way || isBehindAll || sort.field.indexed
        if (!isSorted && (sort.field.type === 'text' || before + limit + 1 > sizes.maxSorted)) {
          throw tooManyToSort(table, asked, sizes.maxSorted)
        }
        const found = isBehindAll
          ? []
          : isAtOnce
            ? await readAtOnce(table, asked, way, pace)
            : await inSlices.list(table, { ...asked, limit: limit + 1 }, total)
        return pageOf(table, asked, found, asked.count ? await countOf(table, filter, way, inSlices) : undefined)
      } catch (error) {
        if (!(error instanceof OutOfTime) && !isStatementTimeout(error)) throw error
        const { total } = await blocks.census(table)
        const examined = error instanceof OutOfTime ? error.examined : total
        throw tookTooLong(table, asked, { examined, total, seconds: pace.seconds })
      }
    },
  }
}
