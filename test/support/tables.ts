import type { Permission } from '../../src/domain/apps/issued-keys.ts'
import { PERMISSIONS } from '../../src/domain/apps/issued-keys.ts'
import type { ColumnType, NewColumn, Table } from '../../src/domain/tables/types.ts'
import type { TestApp } from './app.ts'
import { basic } from './http.ts'

/** A column as `tables create` makes it of a flag: `column('title', 'string', { required: true })`. */
export function column(name: string, type: ColumnType, more: Partial<NewColumn> = {}): NewColumn {
  return { name, type, required: false, unique: false, indexed: false, default: null, references: null, ...more }
}

/** A table of the first app. */
export function makeTable(
  { app, first }: Pick<TestApp, 'app' | 'first'>,
  name: string,
  columns: NewColumn[],
): Promise<Table> {
  return app.inTransaction((tx) => tx.tables.create(first.id, name, columns))
}

/** The Authorization header of a new REST key. */
export async function restKey(
  { app, first }: TestApp,
  permissions: readonly Permission[] = PERMISSIONS,
  appId = first.id,
): Promise<string> {
  const { key } = await app.inTransaction((tx) => tx.restKeys.create(appId, { permissions }))
  return basic(key, 'whatever')
}
