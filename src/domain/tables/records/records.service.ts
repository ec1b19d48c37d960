import type { LockPurpose } from '../../../platform/db/dialect.ts'
import { makeRoomForSlices, slicesOf } from '../../../platform/db/pages.ts'
import { AppError, type FieldErrors, invalid } from '../../../platform/errors.ts'
import { type Pace, unhurried } from '../../../platform/long-reads/pace.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { BlocksRepository } from '../definition/blocks.repository.ts'
import { readText, showValue } from '../definition/columns.ts'
import { fieldsOf, listed } from '../definition/names.ts'
import { checkChange, checkNew, joinErrors, MAX_RECORDS, ofItem, type Values } from '../definition/record.ts'
import type { RegistryRepository } from '../definition/registry.repository.ts'
import type { FoundRecord } from '../definition/sql-values.ts'
import { parseFilter } from '../read/filter.ts'
import type { AskedPage, FoundPage, listsOf } from '../read/lists.ts'
import type { LookUpsRepository } from '../read/look-ups.repository.ts'
import { parseSort, readCursor } from '../read/order.ts'
import { unknownTable } from '../service.ts'
import { byId, type NewRecord, type RecordsRepository } from '../store/records.repository.ts'
import type { Table, TableRecord } from '../types.ts'
import { conflictsOf } from './conflicts.ts'
import { asRefusedDelete, asRefusedWrite, asUnanswered, isStaleSchema, stillReferred } from './refusals.ts'

/** The query for a page, before its texts are checked against the table. */
export interface ListQuery {
  page?: number | undefined
  numberPerPage: number
  sortBy?: string | undefined
  filter?: string | undefined
  after?: string | undefined
  /** True to count the matching records. */
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

/** New records of a request, in the order of its body. */
export interface Created {
  table: Table
  ids: number[]
}

/** Requests that `createAll` cannot serve together. */
class NotTogether extends Error {
  constructor() {
    super('the data is against one of these requests')
  }
}

/** A record of a file, or its problems. */
export type ReadRecord = { record: NewRecord; errors?: undefined } | { record?: undefined; errors: FieldErrors }

/** Maximum attempts of a query whose table is altered meanwhile. */
const MAX_TRIES = 5

const NOTHING: Values = new Map()

export type RecordsService = ReturnType<typeof recordsService>

/** Records of data tables. To an app, tables of other apps do not exist. */
export function recordsService({
  registry,
  repo,
  blocks,
  lists,
  lookUps,
  clock,
}: {
  registry: RegistryRepository
  repo: RecordsRepository
  blocks: BlocksRepository
  lists: ReturnType<typeof listsOf>
  lookUps: LookUpsRepository
  clock: Clock
}) {
  const conflicts = conflictsOf(registry, repo)

  /** The present time, rounded to seconds: the interface prints times so, and printed times can be used in filters. */
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

  /** A page with its large values. */
  function wholePage({ table, found, next, total }: FoundPage): RecordsPage {
    return { table, records: recordsOf(table, found), next, total }
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

  /** The records of a body, one or a list. Throws `invalid` with every wrong key. */
  function readNew(table: Table, body: unknown): { all: Values[]; isList: boolean } {
    const isList = Array.isArray(body)
    const bodies = isList ? (body as unknown[]) : [body]
    if (bodies.length === 0) throw invalid({ '': ['must not be an empty list'] })
    if (bodies.length > MAX_RECORDS) throw invalid({ '': [`must have at most ${MAX_RECORDS} records`] })
    const checked = bodies.map((one) => checkNew(table, one))
    refuse(
      checked.map((one) => one.errors ?? {}),
      isList,
    )
    return { all: checked.flatMap((one) => (one.errors ? [] : [one.values])), isList }
  }

  function readOrRefusal(table: Table, body: unknown): { all: Values[] } | AppError {
    try {
      return readNew(table, body)
    } catch (error) {
      if (error instanceof AppError) return error
      throw error
    }
  }

  function insertNew(table: Table, all: readonly Values[]): Promise<number[]> {
    const at = now()
    return insert(
      table,
      all.map((values) => ({ createdAt: at, updatedAt: at, values })),
    )
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

    /**
     * Throws `not_found`, and `invalid` with every wrong part of the query. A read of many records is done in parts, at
     * the given pace; it throws `unavailable` with the remedy when its time is over.
     */
    async list(appId: number, alias: string, query: ListQuery, pace: Pace = unhurried): Promise<RecordsPage> {
      return wholePage(
        await reading(appId, alias, async (table) => {
          const asked = readQuery(table, query)
          return (await lists.quick(table, asked)) ?? lists.long(table, asked, pace)
        }),
      )
    },

    /** The same as `list`, if that takes no more than a few milliseconds; otherwise undefined. */
    async listQuickly(appId: number, alias: string, query: ListQuery): Promise<RecordsPage | undefined> {
      const page = await reading(appId, alias, (table) => lists.quick(table, readQuery(table, query)))
      return page && wholePage(page)
    },

    /** The same as `list`, for another thread: large values are left out. `wholePage` adds them. */
    async find(appId: number, alias: string, query: ListQuery, pace: Pace): Promise<FoundPage> {
      return reading(appId, alias, (table) => lists.long(table, readQuery(table, query), pace))
    },

    wholePage,

    /**
     * The problem of a look-up by the field `by` in the table with this alias, which shows these fields; undefined when there is
     * none. `at` says which part of the look-up is wrong.
     */
    async judgeLookUp(
      appId: number,
      { alias, by, wanted }: { alias: string; by: string; wanted: readonly string[] },
    ): Promise<{ at: 'table' | 'by' | 'wanted'; why: string } | undefined> {
      const table = isAlias(alias) ? await registry.find(appId, { alias }) : undefined
      if (!table) {
        const known = (await registry.list(appId)).map((one) => one.alias)
        const remedy = known.length > 0 ? `the app has ${listed(known)}` : 'the app has none yet: appsvc tables create'
        return { at: 'table', why: `must be the alias of a data table of the app: ${remedy}` }
      }
      const fields = fieldsOf(table)
      const field = fields.get(by)
      if (!field) return { at: 'by', why: `must be a field of the table (${listed([...fields.keys()])})` }
      const alter = `appsvc tables alter --app ${appId} ${table.name} --set ${by}:indexed`
      if (field.type === 'text' || field.type === 'json') {
        return { at: 'by', why: `is of the type ${field.type}, by which no record can be found: look up another field` }
      }
      if (!field.indexed) return { at: 'by', why: `has no index, so looking up would read the whole table: ${alter}` }
      const unknown = wanted.find((name) => !fields.has(name))
      if (unknown === undefined) return undefined
      return { at: 'wanted', why: `has no field ${unknown}: there are ${listed([...fields.keys()])}` }
    },

    /**
     * Finds one record for each text, which is read as the type of the field `by`: the first by id. Returns the fields `wanted`
     * as callers see them, by text. A text that does not fit, or that no record has, is missing; so is everything when the table,
     * the field or its index is gone.
     */
    async lookUp(
      appId: number,
      { alias, by, wanted }: { alias: string; by: string; wanted: readonly string[] },
      texts: readonly string[],
    ): Promise<Map<string, Readonly<Record<string, unknown>>>> {
      const found = new Map<string, Readonly<Record<string, unknown>>>()
      if (!isAlias(alias) || !(await registry.find(appId, { alias }))) return found
      return reading(appId, alias, async (table) => {
        const fields = fieldsOf(table)
        const field = fields.get(by)
        if (!field?.indexed) return found
        const read = texts.flatMap((text) => {
          const { value, fault } = { value: undefined, fault: undefined, ...readText(field.type, text) }
          return fault === undefined && value !== null ? [{ text, value }] : []
        })
        if (read.length === 0) return found
        const shown = wanted.flatMap((name) => fields.get(name) ?? [])
        const records = await lookUps.firstWith(
          table,
          field,
          read.map(({ value }) => value),
          shown,
        )
        for (const [i, record] of records) {
          const values = shown.map(({ name, type }) => [name, showValue(type, record[name] ?? null)])
          found.set(read[i]!.text, Object.fromEntries(values))
        }
        return found
      })
    },

    /**
     * Stores one record, or all records of a list or none. Returns their ids in order. Throws `not_found`, and
     * `invalid` with every wrong key; keys in a list begin with `[i]`.
     */
    async create(appId: number, alias: string, body: unknown): Promise<Created> {
      const table = await hold(appId, alias)
      const { all, isList } = readNew(table, body)
      const faults = await conflicts.missing(table, all)
      if (faults.some(isFaulty)) {
        const others = await conflicts.taken(table, all, [])
        refuse(
          faults.map((one, i) => ({ ...others[i], ...one })),
          isList,
        )
      }
      const ids = await insertNew(table, all)
      // The database skips records whose unique values are taken. Only if there are any is a query needed to name them.
      if (ids.length < all.length) {
        refuse(await conflicts.taken(table, all, ids), isList)
        throw new AppError('conflict', 'another request stored the same values and then rolled back: try again')
      }
      return { table, ids }
    },

    /**
     * `create` for the bodies of several requests in as few statements as for one. Returns the result of each, or the
     * errors of its body. Throws `not_found`, and `NotTogether` when the data is against one of them: nothing may then
     * be stored, and each has to be tried alone to know whose.
     */
    async createAll(appId: number, alias: string, bodies: readonly unknown[]): Promise<(Created | AppError)[]> {
      const table = await hold(appId, alias)
      const read = bodies.map((body) => readOrRefusal(table, body))
      const all = read.flatMap((one) => (one instanceof AppError ? [] : one.all))
      if (all.length === 0) return read.map((one) => one as AppError)
      if ((await conflicts.missing(table, all)).some(isFaulty)) throw new NotTogether()
      const ids = await insertNew(table, all)
      if (ids.length < all.length) throw new NotTogether()
      let from = 0
      return read.map((one) => {
        if (one instanceof AppError) return one
        return { table, ids: ids.slice(from, (from += one.all.length)) }
      })
    },

    /** Locks a record until the commit, and its table as a change of it does first. Throws `not_found` for an unknown table. */
    async lock(appId: number, alias: string, id: number, purpose: LockPurpose): Promise<void> {
      await repo.lock(await hold(appId, alias), id, purpose)
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

function readQuery(table: Table, query: ListQuery): AskedPage {
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
  const limit = query.numberPerPage
  return { sort, filter, cursor, before: ((query.page ?? 1) - 1) * limit, limit, count: query.count === true }
}

function unknownRecord(table: Table, id: number): AppError {
  return new AppError('not_found', `the table ${table.alias} has no record ${id}`)
}
