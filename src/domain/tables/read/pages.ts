import { type Pace, unhurried } from '../../../platform/long-reads/pace.ts'
import { seekPage } from '../../crm/store/directory.ts'
import type { BlocksRepository } from '../definition/blocks.repository.ts'
import type { FoundRecord } from '../definition/sql-values.ts'
import { type ListOptions, type RecordsRepository, sortValue } from '../store/records.repository.ts'
import type { Cursor, Sort, Table, TableRecord } from '../types.ts'
import type { PageMarks } from './page-marks.ts'
import { OutOfTime } from './slices.ts'

/** Offset below which a page is found by stepping over the records before it. */
export const FAR = 1000

export interface PageParts {
  records: RecordsRepository
  blocks: BlocksRepository
  /** Cache of page offsets; absent inside a transaction, whose uncommitted state must not be cached. */
  marks: PageMarks | undefined
  /** Number of index entries to step over between two marks. */
  step?: number
  /** The pace of the steps. */
  pace?: Pace | undefined
}

/**
 * The page with `before` records before it. A distant page costs no more than the first: by id, the blocks tell where
 * it begins; in the order of another indexed field, the place is counted from the nearest page that was read before.
 */
export async function pageAt(
  parts: PageParts,
  table: Table,
  options: ListOptions,
  before: number,
): Promise<FoundRecord[]> {
  const { sort, filter } = options
  if (before === 0) return parts.records.after(table, options, undefined)
  // A filter cannot add records, so there is nothing after the last record of the table.
  if (before >= FAR && before >= (await parts.blocks.census(table)).total) return []
  if (before < FAR || filter) return pageByOffset(parts, table, options, before)
  if (sort.field.name === 'id') return pageByBlocks(parts, table, options, before)
  if (sort.field.indexed && parts.marks) return pageByMarks(parts, parts.marks, table, options, before)
  return pageByOffset(parts, table, options, before)
}

/** Steps over the ids in an index, then fetches the records. */
async function pageByOffset(
  { records }: PageParts,
  table: Table,
  options: ListOptions,
  before: number,
): Promise<FoundRecord[]> {
  if (!Number.isSafeInteger(before)) return []
  return wholePage(records, table, options, () => records.idsFrom(table, options, before))
}

async function pageByBlocks(
  { records, blocks }: PageParts,
  table: Table,
  options: ListOptions,
  before: number,
): Promise<FoundRecord[]> {
  const { descending } = options.sort
  return wholePage(records, table, options, async () => {
    const census = await blocks.census(table)
    // A reversed page is a page counted from the other end.
    const first = descending ? Math.max(0, census.total - before - options.limit) : before
    const limit = descending ? Math.min(options.limit, census.total - before) : options.limit
    const start = limit > 0 ? seekPage(census.blocks, first) : undefined
    if (!start) return []
    const ascending = { ...options, limit, sort: { ...options.sort, descending: false } }
    const ids = await records.idsFrom(table, ascending, start.skip, { value: null, id: start.fromId })
    return descending ? ids.reverse() : ids
  })
}

const STEP = 50_000

async function pageByMarks(
  parts: PageParts,
  marks: PageMarks,
  table: Table,
  options: ListOptions,
  before: number,
): Promise<FoundRecord[]> {
  const { changes, total } = await parts.blocks.census(table)
  if (before >= total) return []
  const { field, descending } = options.sort
  const { step = STEP, pace = unhurried } = parts
  const order = `${table.id} ${descending ? '-' : ''}${field.name}`
  let mark = marks.nearest(order, changes, before) ?? { before: 0, place: undefined }
  while (before - mark.before > step) {
    const [record] = await pageFrom(parts, table, { ...options, limit: 1 }, mark, mark.before + step)
    if (!record) break
    mark = { before: mark.before + step, place: placeOf(table, record, options.sort) }
    marks.remember(order, changes, { before: mark.before, place: mark.place })
    if (!(await pace.turn())) throw new OutOfTime(mark.before)
  }
  const page = await pageFrom(parts, table, options, mark, before)
  if (page[0]) marks.remember(order, changes, { before, place: placeOf(table, page[0], options.sort) })
  return page
}

async function pageFrom(
  { records }: PageParts,
  table: Table,
  options: ListOptions,
  mark: { before: number; place: Cursor | undefined },
  before: number,
): Promise<FoundRecord[]> {
  return wholePage(records, table, options, () => records.idsFrom(table, options, before - mark.before, mark.place))
}

/** Maximum attempts to find a page while its records are being deleted. */
const MAX_TRIES = 5

/**
 * The records of the ids that `find` returns. It tries again if some were deleted in between, because a page that is
 * too short looks like the last one.
 */
async function wholePage(
  records: Pick<RecordsRepository, 'page'>,
  table: Table,
  options: ListOptions,
  find: () => Promise<number[]>,
): Promise<FoundRecord[]> {
  for (let tries = 1; ; tries++) {
    const ids = await find()
    const page = await records.page(table, options, ids)
    if (page.length === ids.length || tries === MAX_TRIES) return page
  }
}

function placeOf(table: Table, record: TableRecord, sort: Sort): Cursor {
  return { value: sortValue(table, record, sort), id: record.id }
}
