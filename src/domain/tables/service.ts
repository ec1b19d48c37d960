import { AppError, type FieldErrors, invalid } from '../../platform/errors.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { BlocksRepository } from './definition/blocks.repository.ts'
import type { Ddl } from './definition/ddl.ts'
import { aliasOf, faultOfFieldName, faultOfTableName, fold, listed, MAX_TABLE_NAME_LENGTH } from './definition/names.ts'
import { faultOfCollate, faultOfDefault, faultOfIndex, faultsOfColumns, keptDefault } from './definition/new-columns.ts'
import type { RegistryRepository, TableKey } from './definition/registry.repository.ts'
import type { RecordsRepository } from './store/records.repository.ts'
import type { Column, NewColumn, Table, TableChange } from './types.ts'

/** Records whose sort keys one transaction stores: a few milliseconds, in which other writers of the table wait. */
const KEYS_AT_ONCE = 1000

/** Creates, alters and drops the data tables of an app. */
export function tablesService({
  registry,
  records,
  blocks,
  ddl,
  clock,
}: {
  registry: RegistryRepository
  records: Pick<RecordsRepository, 'storeKeys'>
  blocks: BlocksRepository
  ddl: Ddl
  clock: Clock
}) {
  /** The table with this alias or name. Throws `not_found`. */
  async function get(appId: number, ref: string): Promise<Table> {
    for (const key of keysOf(ref)) {
      const table = await registry.find(appId, key)
      if (table) return table
    }
    throw unknownTable(ref)
  }

  /** The table, locked until the commit as a change of it does first. Throws `not_found`. */
  async function lock(appId: number, ref: string): Promise<Table> {
    const { id } = await get(appId, ref)
    const table = await registry.lock(appId, { id }, 'alter')
    if (!table) throw unknownTable(ref)
    return table
  }

  /** The table to which a new reference column refers; `self` is the table that gets the column. */
  async function targetOf(self: Table, { references }: NewColumn): Promise<Table | undefined> {
    if (references === null) return undefined
    if (references === self.name || references === self.alias) return self
    for (const key of keysOf(references)) {
      const table = await registry.lock(self.appId, key, 'write')
      if (table) return table
    }
    return undefined
  }

  /** New columns in their stored form, with the tables to which they refer. Throws `invalid` with every problem. */
  async function prepare(
    table: Table,
    columns: readonly NewColumn[],
  ): Promise<{ table: Table; targets: Map<Column, Table> }> {
    const errors: FieldErrors = faultsOfColumns(table.columns, columns)
    const targets = new Map<Column, Table>()
    let next = table.nextColumn
    const made: Column[] = []
    for (const column of columns) {
      const target = await targetOf(table, column)
      if (column.references !== null && !target && !errors[column.name]) {
        errors[column.name] = [`refers to the table ${JSON.stringify(column.references)}, which the app does not have`]
      }
      const kept = { ...column, id: next++, default: keptDefault(column), references: target?.id ?? null }
      made.push(kept)
      if (target) targets.set(kept, target)
    }
    if (Object.keys(errors).length > 0) throw invalid(errors)
    return { table: { ...table, columns: [...table.columns, ...made], nextColumn: next }, targets }
  }

  async function judgeName(appId: number, name: string): Promise<void> {
    const fault = faultOfTableName(name)
    if (fault !== undefined) throw invalid({ name: [fault] })
    if (await registry.isTaken(appId, name)) throw invalid({ name: [`is taken: the app has a table ${name}`] })
  }

  /** The columns of other tables that refer to this one, as `table.column`. */
  async function referrers({ appId, id }: Table): Promise<string[]> {
    const others = (await registry.list(appId)).filter((one) => one.id !== id)
    return others.flatMap(({ name, columns }) =>
      columns.filter((column) => column.references === id).map((column) => `${name}.${column.name}`),
    )
  }

  const changes = {
    async add(table: Table, { column }: TableChange & { do: 'add' }): Promise<Table> {
      const { table: after, targets } = await prepare(table, [column])
      const last = after.columns.at(-1)!
      const made = last.collate === undefined ? last : await awaitingKeys(table, last)
      if (made.required && made.default === null && (await ddl.hasRecords(table))) {
        throw invalid({
          [made.name]: [
            'is required, and the table has records: give it a default, or add it as optional, fill it, and require it then',
          ],
        })
      }
      if (made.unique && made.default !== null && (await ddl.hasRecords(table))) {
        throw invalid({ [made.name]: ['is unique, but all existing records would get the same default'] })
      }
      await ddl.addColumn(table, made, targets.get(last))
      return replace(after, last, made)
    },

    async drop(table: Table, { name }: TableChange & { do: 'drop' }): Promise<Table> {
      const column = columnOf(table, name)
      await ddl.dropColumn(table, column)
      return { ...table, columns: table.columns.filter((one) => one !== column) }
    },

    async rename(table: Table, { name, to }: TableChange & { do: 'rename' }): Promise<Table> {
      const column = columnOf(table, name)
      const fault = faultOfFieldName(to)
      const isTaken = table.columns.some((one) => one !== column && fold(one.name) === fold(to))
      if (fault !== undefined) throw invalid({ [to]: [fault] })
      if (isTaken) throw invalid({ [to]: ['exists already; names that differ only in case are the same'] })
      if (to !== name) await ddl.renameColumn(table, name, to)
      return replace(table, column, { ...column, name: to })
    },

    async set(table: Table, change: TableChange & { do: 'set' }): Promise<Table> {
      const before = columnOf(table, change.name)
      const { required = before.required, unique = before.unique, indexed = before.indexed } = change
      const given = change.default === undefined ? before.default : change.default
      const collate = change.collate === undefined ? before.collate : (change.collate ?? undefined)
      const fault =
        faultOfIndex({ ...before, unique, indexed }) ??
        faultOfDefault({ ...before, default: given }) ??
        faultOfCollate({ ...before, collate })
      if (fault !== undefined) throw invalid({ [before.name]: [fault] })
      const settled = { ...before, required, unique, indexed, default: keptDefault({ ...before, default: given }) }
      const after = change.collate === undefined ? settled : await setCollate(table, before, { ...settled, collate })
      await judgeRecords(table, before, after)
      if (required !== before.required) await ddl.setRequired(table, after, required)
      if (unique !== before.unique || indexed !== before.indexed) await ddl.setIndex(table, before, after)
      if (change.default !== undefined) await ddl.setDefault(table, after)
      return replace(table, before, after)
    },
  }

  /** A column with `collate`, whose keys have to be stored for the records that exist. */
  async function awaitingKeys(table: Table, column: Column): Promise<Column> {
    const { keyedTo: _, ...whole } = column
    return (await ddl.hasRecords(table)) ? { ...whole, keyedTo: 0 } : whole
  }

  /**
   * Gives a column the order of a language, or removes it. For the same language again, the sort keys are computed and stored
   * once more.
   */
  async function setCollate(table: Table, before: Column, after: Column): Promise<Column> {
    if (after.collate === undefined) {
      await ddl.dropKeys(table, before)
      const { collate: _, keyedTo: __, ...plain } = after
      return plain
    }
    // What was begun goes on.
    if (after.collate === before.collate && before.keyedTo !== undefined) return after
    await ddl.dropKeyIndex(table, before)
    const made = await awaitingKeys(table, after)
    if (before.collate === undefined) await ddl.addKeys(table, made)
    else await ddl.addKeyIndex(table, made)
    return made
  }

  /** Throws `invalid` with the number of records that prevent a stricter column. */
  async function judgeRecords(table: Table, before: Column, after: Column): Promise<void> {
    const empty = after.required && !before.required ? await ddl.countEmpty(table, before) : 0
    const repeated = after.unique && !before.unique ? await ddl.countRepeated(table, before) : 0
    const faults = [
      ...(empty > 0 ? [`cannot be required: ${count(empty, 'record has', 'records have')} no value`] : []),
      ...(repeated > 0 ? [`cannot be unique: ${count(repeated, 'value occurs', 'values occur')} more than once`] : []),
    ]
    if (faults.length > 0) throw invalid({ [before.name]: faults })
  }

  async function apply(table: Table, change: TableChange): Promise<Table> {
    switch (change.do) {
      case 'add':
        return changes.add(table, change)
      case 'drop':
        return changes.drop(table, change)
      case 'rename':
        return changes.rename(table, change)
      case 'set':
        return changes.set(table, change)
    }
  }

  return {
    get,
    lock,

    /** All tables of the app, by name. */
    list: (appId: number): Promise<Table[]> => registry.list(appId),

    /** The number of records of a table. */
    async count(table: Table): Promise<number> {
      return (await blocks.census(table)).total
    },

    /** Creates an empty table. Throws `invalid` with every problem of its name and columns. */
    async create(appId: number, name: string, columns: readonly NewColumn[]): Promise<Table> {
      await judgeName(appId, name)
      const now = clock.now()
      const start = {
        appId,
        name,
        alias: aliasOf(appId, name),
        columns: [],
        nextColumn: 1,
        createdAt: now,
        updatedAt: now,
      }
      if (columns.length === 0) throw invalid({ columns: ['a table has at least one column'] })
      const empty = await registry.insert(start)
      const { table, targets } = await prepare(empty, columns)
      await registry.update(table)
      await ddl.create(table, (column) => targets.get(column))
      return table
    },

    /**
     * Applies changes to a table in the order given: all of them or none. Existing records are kept. Throws `invalid`
     * if a change is wrong or if records prevent it.
     */
    async alter(appId: number, ref: string, list: readonly TableChange[], renameTo?: string): Promise<Table> {
      const before = await lock(appId, ref)
      await ddl.begin(before)
      let table = before
      for (const change of list) table = await apply(table, change)
      if (renameTo !== undefined && renameTo !== table.name) {
        if (fold(renameTo) === fold(table.name))
          throw invalid({ name: ['must differ by more than the case of its letters'] })
        await judgeName(appId, renameTo)
        const renamed = { ...table, name: renameTo, alias: aliasOf(appId, renameTo) }
        await ddl.renameTable(table, renamed)
        table = renamed
      }
      await ddl.end(table)
      await blocks.recordAlteration(table)
      const after = { ...table, updatedAt: clock.now() }
      await registry.update(after)
      return after
    },

    /**
     * Stores the sort keys of the next records for a column that got its `collate` after them. Returns the table after
     * that; it is to be repeated, each time in a transaction of its own, while `lacksKeys`. Until then the column has
     * its former order. New and changed records get their keys as they are stored.
     */
    async storeKeys(appId: number, ref: string): Promise<Table> {
      const table = await lock(appId, ref)
      const column = table.columns.find(({ keyedTo }) => keyedTo !== undefined)
      if (!column) return table
      const keyedTo = await records.storeKeys(table, column, KEYS_AT_ONCE)
      const { keyedTo: _, ...whole } = column
      if (keyedTo === undefined) {
        await ddl.begin(table)
        await ddl.addKeyIndex(table, whole)
        await ddl.end(table)
        await blocks.recordAlteration(table)
      }
      const after = replace(table, column, keyedTo === undefined ? whole : { ...column, keyedTo })
      await registry.update(after)
      return after
    },

    /** Deletes a table with its records. Throws `conflict` while another table refers to it. */
    async drop(appId: number, ref: string): Promise<Table> {
      const table = await lock(appId, ref)
      const others = await referrers(table)
      if (others.length > 0) {
        throw new AppError('conflict', `${listed(others)} refer to the table ${table.name}: drop those columns first`)
      }
      await ddl.begin(table)
      await ddl.drop(table)
      await registry.delete(table)
      return table
    },

    /** Deletes all tables of an app; they may refer to each other in cycles. */
    async dropAll(appId: number): Promise<void> {
      const tables = await registry.list(appId)
      for (const table of tables) {
        await ddl.begin(table)
        for (const column of table.columns) if (column.references !== null) await ddl.dropColumn(table, column)
      }
      for (const table of tables) {
        await ddl.drop(table)
        await registry.delete(table)
      }
    },

    /** Counts the records again, after another program wrote to the table. */
    async recount(appId: number, ref: string): Promise<Table> {
      const table = await lock(appId, ref)
      await blocks.recount(table)
      return table
    },
  }
}

/** Finds a table by alias or name. A name may look like the alias of another app's table. */
function keysOf(ref: string): TableKey[] {
  if (!/^\w{1,64}$/.test(ref)) return []
  return ref.length <= MAX_TABLE_NAME_LENGTH ? [{ alias: ref }, { name: ref }] : [{ alias: ref }]
}

function columnOf(table: Table, name: string): Column {
  const column = table.columns.find((one) => one.name === name)
  if (column) return column
  const known = table.columns.map((one) => one.name)
  throw invalid({ [name]: [`is not a column of the table ${table.name} (${listed(known)})`] })
}

function replace(table: Table, before: Column, after: Column): Table {
  return { ...table, columns: table.columns.map((column) => (column === before ? after : column)) }
}

/** Tells whether sort keys of existing records still have to be stored. */
export function lacksKeys({ columns }: Table): boolean {
  return columns.some(({ keyedTo }) => keyedTo !== undefined)
}

function count(n: number, one: string, many: string): string {
  return `${n} ${n === 1 ? one : many}`
}

/** The error for a table that the app does not have. */
export function unknownTable(ref: string): AppError {
  return new AppError('not_found', `there is no table ${JSON.stringify(ref)}`)
}
