import type { Sql } from '../../../platform/db/connect.ts'
import { isPostgres } from '../../../platform/db/dialect.ts'
import { TABLES, type Table } from '../types.ts'

/** Identifies a table of an app: its alias, its name or its id. */
export type TableKey = { alias: string } | { name: string } | { id: number }

export type RegistryRepository = ReturnType<typeof registryRepository>

/** The registry of data tables: the tables of each app, and their columns. Tables: docs/reference/schema.md#data_tables. */
export function registryRepository(sql: Sql) {
  const tables = () => TABLES.in(sql)

  return {
    async find(appId: number, key: TableKey): Promise<Table | undefined> {
      const row = await tables()
        .where({ app_id: appId, ...key })
        .first()
      return row && TABLES.fromRow(row)
    },

    /**
     * The table, locked until the commit: to be altered by this transaction only (`alter`), or to be altered by none,
     * while several may write records (`write`). SQLite has a single writer.
     */
    async lock(appId: number, key: TableKey, purpose: 'write' | 'alter'): Promise<Table | undefined> {
      const row = await tables()
        .where({ app_id: appId, ...key })
        .modify((query) => {
          if (isPostgres(sql)) void (purpose === 'alter' ? query.forUpdate() : query.forShare())
        })
        .first()
      return row && TABLES.fromRow(row)
    },

    /** Tells whether the app has a table with this name, ignoring case. */
    async isTaken(appId: number, name: string): Promise<boolean> {
      const row = await tables().where({ app_id: appId }).whereRaw('lower(name) = ?', [name.toLowerCase()]).first('id')
      return row !== undefined
    },

    /** All tables of the app, ordered by name. */
    async list(appId: number): Promise<Table[]> {
      return (await tables().where({ app_id: appId }).orderBy('name').orderBy('id')).map(TABLES.fromRow)
    },

    async insert(table: Omit<Table, 'id'>): Promise<Table> {
      const [row] = await tables().insert(TABLES.toRow(table)).returning('*')
      return TABLES.fromRow(row!)
    },

    async update({ id, ...table }: Table): Promise<void> {
      await tables().where({ app_id: table.appId, id }).update(TABLES.toRow(table))
    },

    async delete({ appId, id }: Table): Promise<void> {
      await tables().where({ app_id: appId, id }).delete()
    },
  }
}
