import { AppError, type FieldErrors, invalid } from '../../../platform/errors.ts'
import { showValue } from '../definition/columns.ts'
import { columnOfPart } from '../definition/names.ts'
import type { Column, Table } from '../types.ts'

/** Translates errors of database constraints, which are the last line of defence when two transactions collide. */

export function takenMessage(column: Column, value: unknown): string {
  const shown = JSON.stringify(showValue(column.type, value))
  return `must be unique: another record has ${shown.length > 60 ? 'the same value' : shown}`
}

export function missingMessage(target: Table, id: number): string {
  return `must be the id of a record of ${target.name}: there is none with ${id}`
}

/**
 * An error of an INSERT or UPDATE -> `invalid` with the column if the database names it; otherwise the error itself.
 */
export function asRefusedWrite(table: Table, error: unknown): unknown {
  const { code, constraint } = codesOf(error)
  const column = constraint === undefined ? undefined : columnOfPart(table, constraint)
  if (code === '23505' && column) return refused(column, 'must be unique: another record has the same value')
  if (code === '23503' && column) return refused(column, 'must be the id of a record: that one was just deleted')
  return error
}

/** An error of a DELETE -> `conflict` if other records refer to the deleted one. */
export function asRefusedDelete(error: unknown): unknown {
  const { code } = codesOf(error)
  return code === '23503' || code === 'SQLITE_CONSTRAINT_FOREIGNKEY' ? stillReferred('records of another table') : error
}

export function stillReferred(by: string): AppError {
  return new AppError('conflict', `the record cannot be deleted: ${by} refer to it; change or delete those first`)
}

/**
 * The error of a query that PostgreSQL cancelled after its time limit, or whose table was altered repeatedly ->
 * `unavailable`.
 */
export function asUnanswered(error: unknown): unknown {
  if (isStaleSchema(error)) return new AppError('unavailable', 'the table is being altered: try again')
  if (codesOf(error).code !== '57014') return error
  return new AppError(
    'unavailable',
    'the query takes too long: index the columns that it sorts and filters by, or use after',
  )
}

/** Tells whether the table was altered after its definition was read. */
export function isStaleSchema(error: unknown): boolean {
  const { code, message } = codesOf(error)
  return code === '42703' || code === '42P01' || (code === 'SQLITE_ERROR' && /no such (table|column)/.test(message))
}

function refused(column: Column, message: string): AppError {
  const fields: FieldErrors = { [column.name]: [message] }
  return invalid(fields)
}

function codesOf(error: unknown): { code?: string; constraint?: string; message: string } {
  const { code, constraint, message } = (error ?? {}) as { code?: unknown; constraint?: unknown; message?: unknown }
  return {
    ...(typeof code === 'string' && { code }),
    ...(typeof constraint === 'string' && { constraint }),
    message: String(message),
  }
}
