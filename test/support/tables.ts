import type { Permission } from '../../src/domain/apps/issued-keys.ts'
import { PERMISSIONS } from '../../src/domain/apps/issued-keys.ts'
import type { ColumnType, NewColumn, Table } from '../../src/domain/tables/types.ts'
import { basic } from './http.ts'
import type { TestProgram } from './program.ts'

/** A column as `tables create` makes it of a flag: `column('title', 'string', { required: true })`. */
export function column(name: string, type: ColumnType, more: Partial<NewColumn> = {}): NewColumn {
  return { name, type, required: false, unique: false, indexed: false, default: null, references: null, ...more }
}

/** A table of the first app. */
export function makeTable(
  { program, first }: Pick<TestProgram, 'program' | 'first'>,
  name: string,
  columns: NewColumn[],
): Promise<Table> {
  return program.inTransaction((tx) => tx.tables.create(first.id, name, columns))
}

/** The Authorization header of a new REST key. */
export async function restKey(
  { program, first }: TestProgram,
  permissions: readonly Permission[] = PERMISSIONS,
  appId = first.id,
): Promise<string> {
  const { key } = await program.inTransaction((tx) => tx.restKeys.create(appId, { permissions }))
  return basic(key, 'whatever')
}
