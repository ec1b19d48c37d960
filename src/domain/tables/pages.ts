import { setImmediate } from 'node:timers/promises'
import { seekPage } from '../crm/directory.ts'
import type { BlocksRepository } from './blocks.repository.ts'
import type { PageMarks } from './page-marks.ts'
import { type ListOptions, type RecordsRepository, sortValue } from './records.repository.ts'
import type { FoundRecord } from './sql-values.ts'
import type { Cursor, Sort, Table, TableRecord } from './types.ts'

/** Nearer pages are found by stepping over the records before them. */
const FAR = 1000

export interface PageParts {
  records: RecordsRepository
  blocks: BlocksRepository
  /** Absent inside a transaction: what it sees may never come true. */
  marks: PageMarks | undefined
  /** So many index entries are stepped over without leaving a mark. */
  step?: number
}

/**
 * The page with `before` records before it. Far down it costs what the first one costs: by id the blocks say where it begins;
 * in the order of another indexed field the place is counted from the nearest page that was read before.
 */
export async function pageAt(
  parts: PageParts,
  table: Table,
  options: ListOptions,
  before: number,
): Promise<FoundRecord[]> {
  const { sort, filter } = options
  if (before === 0) return parts.records.after(table, options, undefined)
  // No filter adds records: behind the last one there is nothing to look for.
  if (before >= FAR && before >= (await parts.blocks.census(table)).total) return []
  if (before < FAR || filter) return pageByOffset(parts, table, options, before)
  if (sort.field.name === 'id') return pageByBlocks(parts, table, options, before)
  if (sort.field.indexed && parts.marks) return pageByMarks(parts, parts.marks, table, options, before)
  return pageByOffset(parts, table, options, before)
}

/** Steps over ids only, which an index has; then fetches the records. */
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
    // Counted from the other end, a reversed page is a page as well.
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
  const { step = STEP } = parts
  const order = `${table.id} ${descending ? '-' : ''}${field.name}`
  let mark = marks.nearest(order, changes, before) ?? { before: 0, place: undefined }
  while (before - mark.before > step) {
    const [record] = await pageFrom(parts, table, { ...options, limit: 1 }, mark, mark.before + step)
    if (!record) break
    mark = { before: mark.before + step, place: placeOf(table, record, options.sort) }
    marks.remember(order, changes, { before: mark.before, place: mark.place })
    // On SQLite each step is done at once, on the thread of all requests.
    await setImmediate()
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

/** So often the ids of a page are looked for while its records are being deleted. */
const MOST_TRIES = 5

/**
 * The records of the ids that `find` finds. It looks anew when some were deleted in between: a page that comes out too short
 * looks like the last one.
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
    if (page.length === ids.length || tries === MOST_TRIES) return page
  }
}

function placeOf(table: Table, record: TableRecord, sort: Sort): Cursor {
  return { value: sortValue(table, record, sort), id: record.id }
}
