import type { FieldErrors } from '../../../platform/errors.ts'
import { COLUMN_TYPES, type Column, type NewColumn } from '../types.ts'
import { COLLATIONS } from './collation.ts'
import { readValue, showValue } from './columns.ts'
import { faultOfFieldName, fold, MAX_COLUMNS } from './names.ts'

/** Rules for columns that are created or changed. Pure. */

/** Problems of columns that are added to a table, by their names. */
export function faultsOfColumns(existing: readonly Column[], columns: readonly NewColumn[]): FieldErrors {
  const errors = new Map<string, string[]>()
  const seen = new Set(existing.map(({ name }) => fold(name)))
  for (const column of columns) {
    const faults = faultsOf(column)
    if (seen.has(fold(column.name))) faults.push('exists already; names that differ only in case are the same')
    seen.add(fold(column.name))
    if (faults.length > 0) errors.set(column.name, faults)
  }
  if (existing.length + columns.length > MAX_COLUMNS) errors.set('', [`a table has at most ${MAX_COLUMNS} columns`])
  return Object.fromEntries(errors)
}

function faultsOf(column: NewColumn): string[] {
  const faults = [faultOfFieldName(column.name)]
  if (!(COLUMN_TYPES as readonly string[]).includes(column.type)) {
    return [...faults.filter((fault) => fault !== undefined), `must be of a type: ${COLUMN_TYPES.join(', ')}`]
  }
  const { type, references } = column
  if (type === 'reference' && references === null) faults.push('must name the table that it refers to: reference=TABLE')
  if (type !== 'reference' && references !== null) faults.push('must be of the type reference to refer to a table')
  faults.push(faultOfIndex(column), faultOfDefault(column), faultOfCollate(column))
  return faults.filter((fault) => fault !== undefined)
}

/** An index entry of PostgreSQL holds less than 2704 bytes. */
export function faultOfIndex({
  type,
  unique,
  indexed,
}: Pick<Column, 'type' | 'unique' | 'indexed'>): string | undefined {
  if (type !== 'text' && type !== 'json') return undefined
  return unique || indexed ? `of the type ${type} can be neither indexed nor unique: use string` : undefined
}

/** The problem of the order of a column's text, if any. */
export function faultOfCollate({ type, collate }: Pick<Column, 'type' | 'collate'>): string | undefined {
  if (collate === undefined) return undefined
  if (type !== 'string') return `of the type ${type} cannot have collate: use string`
  return COLLATIONS.includes(collate)
    ? undefined
    : `cannot have collate=${collate}: use one of ${COLLATIONS.join(', ')} (und is for languages without their own)`
}

export function faultOfDefault({ type, default: value }: Pick<Column, 'type' | 'default'>): string | undefined {
  if (value === null) return undefined
  if (type === 'reference') return 'cannot have a default: the record may be deleted'
  const { fault } = readValue(type, value)
  return fault === undefined ? undefined : `has a default that ${fault}`
}

/** A default in its stored form, which is the one that callers get. */
export function keptDefault({ type, default: value }: Pick<Column, 'type' | 'default'>): unknown {
  const read = value === null ? { value: null } : readValue(type, value)
  return read.fault === undefined ? showValue(type, read.value) : null
}
