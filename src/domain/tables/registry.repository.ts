import type { Sql } from '../../platform/db/connect.ts'
import { isPostgres } from '../../platform/db/dialect.ts'
import type { Column, Table } from './types.ts'

interface TableRow {
  id: number
  app_id: number
  name: string
  alias: string
  columns: string
  next_column: number
  created_at: number
  updated_at: number
}

const toTable = (row: TableRow): Table => ({
  id: row.id,
  appId: row.app_id,
  name: row.name,
  alias: row.alias,
  columns: JSON.parse(row.columns) as Column[],
  nextColumn: row.next_column,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

const toRow = (table: Omit<Table, 'id'>): Omit<TableRow, 'id'> => ({
  app_id: table.appId,
  name: table.name,
  alias: table.alias,
  columns: JSON.stringify(table.columns),
  next_column: table.nextColumn,
  created_at: table.createdAt,
  updated_at: table.updatedAt,
})

/** How a table is named: by its alias, by its name within the app, or by its id. */
export type TableKey = { alias: string } | { name: string } | { id: number }

export type RegistryRepository = ReturnType<typeof registryRepository>

/** Which tables an app has, and what their columns are. */
export function registryRepository(sql: Sql) {
  const tables = () => sql<TableRow>('data_tables')

  return {
    async find(appId: number, key: TableKey): Promise<Table | undefined> {
      const row = await tables()
        .where({ app_id: appId, ...key })
        .first()
      return row && toTable(row)
    },

    /** The table, until the commit altered by nobody else (`alter`), or by nobody (`write`). SQLite has one writer. */
    async lock(appId: number, key: TableKey, purpose: 'write' | 'alter'): Promise<Table | undefined> {
      const row = await tables()
        .where({ app_id: appId, ...key })
        .modify((query) => {
          if (isPostgres(sql)) void (purpose === 'alter' ? query.forUpdate() : query.forShare())
        })
        .first()
      return row && toTable(row)
    },

    /** Whether the app has a table of that name, in any case of its letters. */
    async isTaken(appId: number, name: string): Promise<boolean> {
      const row = await tables().where({ app_id: appId }).whereRaw('lower(name) = ?', [name.toLowerCase()]).first('id')
      return row !== undefined
    },

    /** All tables of the app by name. */
    async list(appId: number): Promise<Table[]> {
      return (await tables().where({ app_id: appId }).orderBy('name').orderBy('id')).map(toTable)
    },

    async insert(table: Omit<Table, 'id'>): Promise<Table> {
      const [row] = await tables().insert(toRow(table)).returning('*')
      return toTable(row!)
    },

    async update({ id, ...table }: Table): Promise<void> {
      await tables().where({ app_id: table.appId, id }).update(toRow(table))
    },

    async delete({ appId, id }: Table): Promise<void> {
      await tables().where({ app_id: appId, id }).delete()
    },
  }
}
