import { type FieldErrors, MOST_NAMED } from '../../../platform/errors.ts'
import { isPlainObject } from '../../../platform/json/json.ts'
import { IS_REQUIRED } from '../../../platform/values/reader.ts'
import type { Column, Table } from '../types.ts'
import { readValue } from './columns.ts'
import { listed, OWN_FIELDS } from './names.ts'

/** Reads the columns of a table from a request body: those it names, or all columns of a new record. Pure. */
export type Values = ReadonlyMap<Column, unknown>

/** Maximum number of records that one request creates. */
export const MAX_RECORDS = 1000

/** Maximum number of wrong places that are named; the others are counted. */
const MAX_NAMED = MOST_NAMED - 1

/** The values, or every wrong key of the body. */
export type CheckedRecord = { values: Values; errors?: undefined } | { errors: FieldErrors }

/** Fields that every record has. They are ignored in a body, so that a whole record may be sent back. */
const OWN = new Set(OWN_FIELDS.map(({ name }) => name))

/** Reads a body as a new record; absent fields get their defaults. */
export function checkNew(table: Table, body: unknown): CheckedRecord {
  return check(table, body, (column) => column.default)
}

/** Reads a body as a change of a record; absent fields are left unchanged. */
export function checkChange(table: Table, body: unknown): CheckedRecord {
  return check(table, body, () => undefined)
}

function check(table: Table, body: unknown, otherwise: (column: Column) => unknown): CheckedRecord {
  if (!isPlainObject(body)) return { errors: { '': ['must be an object with the fields of the table'] } }
  const values = new Map<Column, unknown>()
  const errors = new Map<string, string[]>()
  for (const column of table.columns) {
    const given = Object.hasOwn(body, column.name) ? body[column.name] : otherwise(column)
    if (given === undefined) continue
    const fault = given === null ? undefined : take(values, column, given)
    if (fault !== undefined) errors.set(column.name, [fault])
    if (given !== null) continue
    if (column.required) errors.set(column.name, [Object.hasOwn(body, column.name) ? NOT_NULL : IS_REQUIRED])
    else values.set(column, null)
  }
  nameUnknown(table, body, errors)
  return errors.size > 0 ? { errors: Object.fromEntries(errors) } : { values }
}

const NOT_NULL = 'must not be null: the column is required'

function take(values: Map<Column, unknown>, column: Column, given: unknown): string | undefined {
  const checked = readValue(column.type, given)
  if (checked.fault === undefined) values.set(column, checked.value)
  return checked.fault
}

function nameUnknown({ columns }: Table, body: Record<string, unknown>, errors: Map<string, string[]>): void {
  const known = new Set(columns.map(({ name }) => name))
  const unknown = Object.keys(body).filter((key) => !known.has(key) && !OWN.has(key))
  if (unknown.length === 0) return
  const message = `is not a field of this table (${listed([...known])})`
  for (const key of unknown.slice(0, MAX_NAMED)) errors.set(key, [message])
  if (unknown.length > MAX_NAMED) errors.set('', [`has ${unknown.length - MAX_NAMED} more unknown fields`])
}

/** Wrong keys of the item `i` as paths in the whole list: `[3].title`. */
export function ofItem(i: number, errors: FieldErrors): FieldErrors {
  return Object.fromEntries(
    Object.entries(errors).map(([key, messages]) => [key === '' ? `[${i}]` : `[${i}].${key}`, messages]),
  )
}

/** All wrong keys of a list; above `MAX_NAMED`, the first ones and the number of the others. */
export function joinErrors(all: readonly FieldErrors[]): FieldErrors {
  const entries = all.flatMap((errors) => Object.entries(errors))
  const rest = entries.length - MAX_NAMED
  if (rest <= 0) return Object.fromEntries(entries)
  return { ...Object.fromEntries(entries.slice(0, MAX_NAMED)), '': [`has ${rest} more wrong fields`] }
}
