import type { Clock } from '../../../platform/clock.ts'
import { makeRoomForSlices, slicesOf } from '../../../platform/db/pages.ts'
import { AppError, type FieldErrors, invalid } from '../../../platform/errors.ts'
import type { RegistryRepository } from '../definition/registry.repository.ts'
import { parseFilter } from '../read/filter.ts'
import { hasCursors, parseSort, readCursor, writeCursor } from '../read/order.ts'
import type { PageMarks } from '../read/page-marks.ts'
import { pageAt } from '../read/pages.ts'
import {
  candidateSets,
  checksPerRecord,
  ENTRIES_PER_CHECK,
  isOneRange,
  longFields,
  tooDistantPage,
  tooManyChecks,
  tooManyToCount,
} from '../read/scan.ts'
import { unknownTable } from '../service.ts'
import type { FilterNode, Sort, Table, TableRecord } from '../types.ts'
import type { BlocksRepository } from './blocks.repository.ts'
import { conflictsOf } from './conflicts.ts'
import { byId, type NewRecord, type RecordsRepository, sortValue } from './records.repository.ts'
import { checkChange, checkNew, joinErrors, MAX_RECORDS, ofItem, type Values } from './records.ts'
import { asRefusedDelete, asRefusedWrite, asUnanswered, isStaleSchema, stillReferred } from './refusals.ts'
import type { FoundRecord } from './sql-values.ts'

/** The query for a page, before its texts are checked against the table. */
export interface ListQuery {
  page?: number | undefined
  numberPerPage: number
  sortBy?: string | undefined
  filter?: string | undefined
  after?: string | undefined
  /** Whether to count the matching records. */
  count?: boolean | undefined
}

/**
 * The records of a page: an array, or a stream if some are large. The ids are fixed; large records are read later, in
 * slices and in their state at that time, and records deleted by then are left out.
 */
export type Records = readonly TableRecord[] | AsyncIterable<TableRecord>

/** A page; `next` is the `after` of the following page, or null on the last. */
export interface RecordsPage {
  table: Table
  records: Records
  next: string | null
  /** Number of matching records on all pages; undefined if not requested. */
  total: number | undefined
}

/** A record of a file, or its problems. */
export type ReadRecord = { record: NewRecord; errors?: undefined } | { record?: undefined; errors: FieldErrors }

/**
 * How a list is read: from a range of an index that holds exactly its records, or among the records that meet a
 * condition.
 */
interface Reading {
  isOneRange: boolean
  among?: readonly FilterNode[]
}

/** Maximum attempts of a query whose table is altered meanwhile. */
const MAX_TRIES = 5

const NOTHING: Values = new Map()

export type RecordsService = ReturnType<typeof recordsService>

/** Records of data tables. To an app, tables of other apps do not exist. */
export function recordsService({
  registry,
  repo,
  blocks,
  marks,
  scanLimit,
  clock,
}: {
  registry: RegistryRepository
  repo: RecordsRepository
  blocks: BlocksRepository
  /** Absent inside a transaction. */
  marks: PageMarks | undefined
  /** `limits.tableScan`. */
  scanLimit: number
  clock: Clock
}) {
  const conflicts = conflictsOf(registry, repo)

  /**
   * Rounded to seconds, the precision in which the interface prints times, so that printed times can be used in
   * filters.
   */
  const now = () => Math.floor(clock.now() / 1000) * 1000

  async function find(appId: number, alias: string): Promise<Table> {
    const table = isAlias(alias) ? await registry.find(appId, { alias }) : undefined
    if (!table) throw unknownTable(alias)
    return table
  }

  /** The table, locked against alterations until the commit. */
  async function hold(appId: number, alias: string): Promise<Table> {
    const table = isAlias(alias) ? await registry.lock(appId, { alias }, 'write') : undefined
    if (!table) throw unknownTable(alias)
    return table
  }

  /** Runs a read, and repeats it if the table was altered after its definition was read. */
  async function reading<T>(appId: number, alias: string, work: (table: Table) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await work(await find(appId, alias))
      } catch (error) {
        if (tries === MAX_TRIES || !isStaleSchema(error)) throw asUnanswered(error)
      }
    }
  }

  /** Throws `invalid` with the wrong places; the keys of a single record have no index. */
  function refuse(all: readonly FieldErrors[], isList: boolean): void {
    const errors = joinErrors(all.map((one, i) => (isList ? ofItem(i, one) : one)))
    if (Object.keys(errors).length > 0) throw invalid(errors)
  }

  /**
   * Decides how to read a list so that few records besides the results are checked: the conditions whose records
   * include all results, if any. Throws `invalid` if too many records would be checked. A list that an index answers
   * alone needs no counting.
   */
  async function plan(table: Table, asked: { sort: Sort; filter?: FilterNode | undefined }): Promise<Reading> {
    const { sort, filter } = asked
    if (filter ? isOneRange(filter, sort) : sort.field.indexed) return { isOneRange: true }
    const { total } = await blocks.census(table)
    const bytes = await repo.averageBytes(table, longFields(asked))
    const most = Math.floor(scanLimit / checksPerRecord(asked, bytes))
    if (total <= most) return { isOneRange: false }
    // Each record is found in an index first, and then by its id.
    const few = Math.floor(most / 2)
    for (const among of filter ? candidateSets(filter) : []) {
      let found = 0
      for (const one of among) if (found <= few) found += await repo.count(table, one, few + 1)
      if (found <= few) return { isOneRange: false, among }
    }
    throw tooManyChecks(table, asked, total, scanLimit)
  }

  /** The number of all records is known. Matches of a filter must be checked, or stepped over in an index. */
  async function count(table: Table, filter: FilterNode | undefined, { isOneRange, among }: Reading): Promise<number> {
    if (!filter) return (await blocks.census(table)).total
    const most = scanLimit * ENTRIES_PER_CHECK
    const found = await repo.count(table, filter, most + 1, among)
    if (isOneRange && found > most) throw tooManyToCount(most)
    return found
  }

  /** True if the range ends before that offset. Throws `invalid` if the offset is too far to step to. */
  async function isBehindAll(table: Table, filter: FilterNode, before: number): Promise<boolean> {
    const most = scanLimit * ENTRIES_PER_CHECK
    if (before <= most) return false
    if ((await repo.count(table, filter, most + 1)) > most) throw tooDistantPage(most)
    return true
  }

  function recordsOf(table: Table, found: readonly FoundRecord[]): Records {
    return found.every(({ bytes }) => bytes === 0) ? found : madeWhole(table, found)
  }

  /** The records of a list, including their large values. Throws `unavailable` if the table is altered meanwhile. */
  async function* madeWhole(table: Table, found: readonly FoundRecord[]): AsyncGenerator<TableRecord> {
    await makeRoomForSlices(found)
    try {
      for (const slice of slicesOf(found)) {
        const ids = slice.filter(({ bytes }) => bytes > 0).map(({ id }) => id)
        const late = ids.length > 0 ? await repo.byIds(table, ids) : []
        const byId = new Map(late.map((record) => [record.id, record]))
        for (const record of slice) {
          const whole = record.bytes === 0 ? record : byId.get(record.id)
          if (whole) yield whole
        }
      }
    } catch (error) {
      throw asUnanswered(error)
    }
  }

  async function insert(table: Table, records: readonly NewRecord[]): Promise<number[]> {
    try {
      const ids = await repo.insert(table, records)
      await blocks.record(table, ids, 1)
      return ids
    } catch (error) {
      throw asRefusedWrite(table, error)
    }
  }

  return {
    /** Throws `not_found` for an unknown table or record. */
    async get(appId: number, alias: string, id: number): Promise<{ table: Table; record: TableRecord }> {
      return reading(appId, alias, async (table) => {
        const record = await repo.find(table, id)
        if (!record) throw unknownRecord(table, id)
        return { table, record }
      })
    },

    /** Throws `not_found`, and `invalid` with every wrong part of the query. */
    async list(appId: number, alias: string, query: ListQuery): Promise<RecordsPage> {
      return reading(appId, alias, async (table) => {
        const { sort, filter, cursor } = readQuery(table, query)
        const limit = query.numberPerPage
        const way = await plan(table, { sort, filter })
        const options = { sort, filter, among: way.among, limit: limit + 1 }
        const before = ((query.page ?? 1) - 1) * limit
        const isEmpty = filter && way.isOneRange && (await isBehindAll(table, filter, before))
        const found = isEmpty
          ? []
          : cursor
            ? await repo.after(table, options, cursor)
            : await pageAt({ records: repo, blocks, marks }, table, options, before)
        const onPage = found.slice(0, limit)
        const last = found.length > limit && hasCursors(sort.field) ? onPage.at(-1)! : undefined
        const next = last ? writeCursor(sort, { value: sortValue(table, last, sort), id: last.id }) : null
        const total = query.count ? await count(table, filter, way) : undefined
        return { table, records: recordsOf(table, onPage), next, total }
      })
    },

    /**
     * Stores one record, or all records of a list or none. Returns their ids in order. Throws `not_found`, and
     * `invalid` with every wrong key; keys in a list begin with `[i]`.
     */
    async create(appId: number, alias: string, body: unknown): Promise<{ table: Table; ids: number[] }> {
      const table = await hold(appId, alias)
      const isList = Array.isArray(body)
      const bodies = isList ? (body as unknown[]) : [body]
      if (bodies.length === 0) throw invalid({ '': ['must not be an empty list'] })
      if (bodies.length > MAX_RECORDS) throw invalid({ '': [`must have at most ${MAX_RECORDS} records`] })
      const checked = bodies.map((one) => checkNew(table, one))
      refuse(
        checked.map((one) => one.errors ?? {}),
        isList,
      )
      const all = checked.flatMap((one) => (one.errors ? [] : [one.values]))
      const faults = await conflicts.missing(table, all)
      if (faults.some(isFaulty)) {
        const others = await conflicts.taken(table, all, [])
        refuse(
          faults.map((one, i) => ({ ...others[i], ...one })),
          isList,
        )
      }
      const at = now()
      const ids = await insert(
        table,
        all.map((values) => ({ createdAt: at, updatedAt: at, values })),
      )
      // The database skips records whose unique values are taken. Only if there are any is a query needed to name them.
      if (ids.length < all.length) {
        refuse(await conflicts.taken(table, all, ids), isList)
        throw new AppError('conflict', 'another request stored the same values and then rolled back: try again')
      }
      return { table, ids }
    },

    /**
     * Changes the fields in the body. Returns the whole record after the change. Throws `not_found`, and `invalid` with
     * every wrong key.
     */
    async update(
      appId: number,
      alias: string,
      id: number,
      body: unknown,
    ): Promise<{ table: Table; record: TableRecord }> {
      const table = await hold(appId, alias)
      const checked = checkChange(table, body)
      if (checked.errors) throw invalid(checked.errors)
      const { values } = checked
      const present = await repo.find(table, id)
      if (!present) throw unknownRecord(table, id)
      if (values.size === 0) return { table, record: present }
      const [faults, others] = [await conflicts.missing(table, [values]), await conflicts.taken(table, [values], [id])]
      refuse([{ ...others[0], ...faults[0] }], false)
      try {
        const record = await repo.update(table, id, values, now())
        if (!record) throw unknownRecord(table, id)
        await blocks.record(table, [id], 0)
        return { table, record }
      } catch (error) {
        throw asRefusedWrite(table, error)
      }
    },

    /** Throws `not_found`, and `conflict` while other records refer to it. */
    async delete(appId: number, alias: string, id: number): Promise<void> {
      const table = await hold(appId, alias)
      for (const other of await registry.list(appId)) {
        for (const column of other.columns) {
          if (column.references === table.id && (await repo.isReferred(other, column, table, id))) {
            throw stillReferred(`records of the table ${other.name} (${column.name})`)
          }
        }
      }
      try {
        if (!(await repo.delete(table, id))) throw unknownRecord(table, id)
      } catch (error) {
        throw asRefusedDelete(error)
      }
      await blocks.record(table, [id], -1)
    },

    /**
     * Stores the valid records of a file. `read` reads them for the current state of the table; with `keepIds` they
     * bring their own ids. Returns the problems of each record in order, undefined for stored ones. Throws `conflict`
     * if another request interfered; the whole list may then be passed again.
     */
    async createEach(
      appId: number,
      alias: string,
      read: (table: Table, now: number) => readonly ReadRecord[],
      keepIds: boolean,
    ): Promise<(FieldErrors | undefined)[]> {
      const table = await hold(appId, alias)
      const given = read(table, now())
      const all = given.map(({ record }) => record?.values ?? NOTHING)
      const own = keepIds ? given.map(({ record }) => record?.id) : []
      const faults = await conflicts.missing(table, all, own)
      const ids = keepIds ? await conflicts.takenIds(table, given) : []
      const wrongSoFar = given.map(({ errors }, i): FieldErrors => ({ ...faults[i], ...ids[i], ...errors }))
      const doubles = await conflicts.taken(table, all, [], (i) => isFaulty(wrongSoFar[i]!))
      const refused = own.filter((_, i) => (isFaulty(wrongSoFar[i]!) || isFaulty(doubles[i]!)) && !ids[i]?.id)
      const orphans = conflicts.orphans(table, given, new Set(refused.filter((id) => id !== undefined)))
      const wrong = wrongSoFar.map((errors, i): FieldErrors => ({ ...orphans[i], ...doubles[i], ...errors }))
      const good = given.flatMap(({ record }, i) => (record && !isFaulty(wrong[i]!) ? [record] : []))
      const stored = good.length > 0 ? await insert(table, good) : []
      if (stored.length < good.length)
        throw new AppError('conflict', 'another request stored the same values meanwhile')
      if (keepIds && stored.length > 0) await repo.skipIds(table)
      return wrong.map((errors) => (isFaulty(errors) ? errors : undefined))
    },

    /** The records after an id, in the order of ids, for exports. `last` is the id of the last one. */
    async behind(
      appId: number,
      alias: string,
      id: number,
      limit: number,
    ): Promise<{ table: Table; records: Records; last: number | undefined }> {
      return reading(appId, alias, async (table) => {
        const found = await repo.after(table, { sort: byId(table), limit }, { value: null, id })
        return { table, records: recordsOf(table, found), last: found.at(-1)?.id }
      })
    },
  }
}

/** Text that PostgreSQL refuses even in a query cannot be an alias. */
function isAlias(text: string): boolean {
  return /^\d{1,16}_\w{1,40}$/.test(text)
}

function isFaulty(errors: FieldErrors): boolean {
  return Object.keys(errors).length > 0
}

function readQuery(table: Table, query: ListQuery) {
  const wrong: FieldErrors[] = []
  const attempt = <T>(read: () => T): T | undefined => {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'invalid') throw error
      wrong.push(error.details.fields ?? {})
      return undefined
    }
  }
  const sort = attempt(() => parseSort(table, query.sortBy))
  const filter = query.filter === undefined ? undefined : attempt(() => parseFilter(table, query.filter!))
  const cursor = query.after === undefined || !sort ? undefined : attempt(() => readCursor(sort, query.after!))
  if (query.after !== undefined && query.page !== undefined) {
    wrong.push({ after: ['cannot be combined with page: it defines the page itself'] })
  }
  if (wrong.length > 0 || !sort) throw invalid(Object.assign({}, ...wrong) as FieldErrors)
  return { sort, filter, cursor }
}

function unknownRecord(table: Table, id: number): AppError {
  return new AppError('not_found', `the table ${table.alias} has no record ${id}`)
}
