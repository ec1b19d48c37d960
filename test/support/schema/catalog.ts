import type { Database } from '../../../src/platform/db/connect.ts'
import { rowsOf } from '../../../src/platform/db/dialect.ts'

/** The tables of a database as its catalogues describe them, in a form that does not depend on how they were made. */
export type Catalog = Record<string, CatalogTable>

export interface CatalogTable {
  /** In their order. */
  columns: { name: string; type: string; isNullable: boolean; default: string | null }[]
  primaryKey: string[]
  /** The foreign keys, in the order of their columns. */
  references: Reference[]
  /** By name, without that of the primary key. */
  indexes: Record<string, { isUnique: boolean; on: string }>
  /** The whole definition by name, with that of the function. */
  triggers: Record<string, string>
  /** Further words, such as WITHOUT ROWID. */
  options: string
}

interface Reference {
  columns: string[]
  table: string
  to: string[]
  onDelete: string
}

/** Tables of the database itself, of the record of steps, and those that an R-tree keeps its nodes in. */
const OTHERS = /^(sqlite_.*|schema_migrations|geofence_boxes_.*)$/

/** Reads the catalogues. Tables and everything with a name stand in the order of their names, so that two catalogues can be compared. */
export async function readCatalog(db: Pick<Database, 'kind' | 'read'>): Promise<Catalog> {
  const rows = async <Row>(query: string, ...bindings: string[]) => rowsOf<Row>(await db.read.raw(query, bindings))
  return db.kind === 'sqlite' ? readSqlite(rows) : readPostgres(rows)
}

type Rows = <Row>(query: string, ...bindings: string[]) => Promise<Row[]>

const oneLine = (sql: string) =>
  sql.replaceAll(/[`"]/g, '').replaceAll(/\s+/g, ' ').replaceAll(/\( /g, '(').replaceAll(/ \)/g, ')').trim()

async function readSqlite(rows: Rows): Promise<Catalog> {
  const parts = await rows<{ type: string; name: string; tbl_name: string; sql: string }>(
    'SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name',
  )
  const catalog: Catalog = {}
  for (const { type, name, sql } of parts) {
    if (type !== 'table' || OTHERS.test(name)) continue
    const columns = await rows<{ name: string; type: string; notnull: number; dflt_value: string | null; pk: number }>(
      'SELECT * FROM pragma_table_xinfo(?) WHERE hidden = 0 ORDER BY cid',
      name,
    )
    const indexes = parts.filter((one) => one.type === 'index' && one.tbl_name === name)
    const triggers = parts.filter((one) => one.type === 'trigger' && one.tbl_name === name)
    catalog[name] = {
      columns: columns.map((column) => ({
        name: column.name,
        type: column.type.toLowerCase(),
        isNullable: column.notnull === 0,
        // As Knex writes a boolean.
        default: column.dflt_value === 'true' ? "'1'" : column.dflt_value,
      })),
      primaryKey: columns
        .filter(({ pk }) => pk > 0)
        .toSorted((a, b) => a.pk - b.pk)
        .map((column) => column.name),
      references: await sqliteReferences(rows, name),
      indexes: Object.fromEntries(
        indexes.map((index) => {
          const [, unique, on] = /^create (unique )?index \w+ on \w+ (.*)$/i.exec(oneLine(index.sql))!
          return [index.name, { isUnique: unique !== undefined, on: on! }]
        }),
      ),
      triggers: Object.fromEntries(triggers.map((one) => [one.name, oneLine(one.sql)])),
      options: /\b(autoincrement|using rtree.*|without rowid)/i.exec(oneLine(sql))?.[0] ?? '',
    }
  }
  return catalog
}

async function sqliteReferences(rows: Rows, table: string): Promise<Reference[]> {
  const found = new Map<number, Reference>()
  const keys = await rows<{ id: number; table: string; from: string; to: string; on_delete: string }>(
    'SELECT * FROM pragma_foreign_key_list(?) ORDER BY id, seq',
    table,
  )
  for (const { id, table: to, from, to: column, on_delete } of keys) {
    const reference = found.get(id) ?? { columns: [], table: to, to: [], onDelete: on_delete }
    reference.columns.push(from)
    reference.to.push(column)
    found.set(id, reference)
  }
  return inOrder([...found.values()])
}

const inOrder = (references: Reference[]) =>
  references.toSorted((a, b) => (a.columns.join() < b.columns.join() ? -1 : 1))

async function readPostgres(rows: Rows): Promise<Catalog> {
  const catalog: Catalog = {}
  const columns = await rows<{ table: string; name: string; type: string; null: boolean; default: string | null }>(
    `SELECT attrelid::regclass::text AS table, attname AS name, NOT attnotnull AS null, pg_get_expr(adbin, adrelid) AS default,
       format_type(atttypid, atttypmod) || CASE WHEN collname = 'C' THEN ' COLLATE "C"' ELSE '' END AS type
     FROM pg_attribute JOIN pg_class AS c ON c.oid = attrelid
     LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum LEFT JOIN pg_collation AS l ON l.oid = attcollation
     WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
     ORDER BY relname COLLATE "C", attnum`,
  )
  for (const { table, name, type, null: isNullable, default: value } of columns) {
    if (OTHERS.test(table)) continue
    catalog[table] ??= { columns: [], primaryKey: [], references: [], indexes: {}, triggers: {}, options: '' }
    catalog[table].columns.push({ name, type, isNullable, default: value })
  }
  await addConstraints(rows, catalog)
  const indexes = await rows<{ table: string; name: string; unique: boolean; sql: string }>(
    `SELECT indrelid::regclass::text AS table, indexrelid::regclass::text AS name, indisunique AS unique, pg_get_indexdef(indexrelid) AS sql
     FROM pg_index JOIN pg_class AS c ON c.oid = indrelid WHERE relnamespace = 'public'::regnamespace AND NOT indisprimary
     ORDER BY 2`,
  )
  for (const { table, name, unique, sql } of indexes) {
    catalog[table]!.indexes[name] = { isUnique: unique, on: oneLine(sql.replace(/^.*? USING (btree )?/, '')) }
  }
  const triggers = await rows<{ table: string; name: string; sql: string }>(
    `SELECT tgrelid::regclass::text AS table, tgname AS name, pg_get_triggerdef(t.oid) || ' ' || pg_get_functiondef(tgfoid) AS sql
     FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = tgrelid
     WHERE NOT tgisinternal AND relnamespace = 'public'::regnamespace ORDER BY 2`,
  )
  for (const { table, name, sql } of triggers) catalog[table]!.triggers[name] = oneLine(sql)
  return catalog
}

async function addConstraints(rows: Rows, catalog: Catalog): Promise<void> {
  const constraints = await rows<{ table: string; name: string; sql: string }>(
    `SELECT conrelid::regclass::text AS table, conname AS name, pg_get_constraintdef(oid) AS sql FROM pg_constraint
     WHERE connamespace = 'public'::regnamespace AND contype IN ('p', 'f') ORDER BY 2`,
  )
  const list = (text: string) => text.split(', ')
  for (const { table, sql } of constraints) {
    const known = catalog[table]
    if (!known) continue
    const key = /^PRIMARY KEY \((.*)\)/.exec(sql)
    if (key) known.primaryKey = list(key[1]!)
    const [, from, to, columns, onDelete = 'NO ACTION'] =
      /^FOREIGN KEY \((.*?)\) REFERENCES (\w+)\((.*?)\)(?: ON DELETE (.*))?$/.exec(sql) ?? []
    if (from !== undefined) known.references.push({ columns: list(from), table: to!, to: list(columns!), onDelete })
  }
  for (const known of Object.values(catalog)) known.references = inOrder(known.references)
}
