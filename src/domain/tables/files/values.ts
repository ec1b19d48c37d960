import { AppError, type FieldErrors } from '../../../platform/errors.ts'
import { isPlainObject } from '../../../platform/json/json.ts'
import { ExtendedJsonError, fromExtendedJson } from '../../../platform/text/extended-json.ts'
import { dateProblem, NUMBER_UNITS, type NumberUnit, readDate } from '../../../platform/time/dates.ts'
import { showInstant } from '../definition/instants.ts'
import { fieldsOf } from '../definition/names.ts'
import type { Field, Table } from '../types.ts'

/** Values as other programs write them into files, as the JSON that a request would have. Pure. */

/** Name of a column -> what a number in it counts since 1970. */
export type Units = ReadonlyMap<string, NumberUnit>

/**
 * The fields of a record of a file: dates in any form that can be read, and the types of MongoDB. Columns of type json
 * stay as they are. A date that cannot be read is an error.
 */
export function fieldsOfFile(
  fields: Record<string, unknown>,
  table: Table,
  units: Units,
): { fields: Record<string, unknown>; errors: FieldErrors } {
  const errors: [string, string[]][] = []
  const known = fieldsOf(table)
  const read = Object.entries(fields).map(([name, value]): [string, unknown] => {
    const type = known.get(name)?.type
    if (type === 'datetime') {
      const date = dateOf(name, value, units)
      if (date.problem !== undefined) errors.push([name, [date.problem]])
      return [name, date.value]
    }
    if (type === undefined || type === 'json' || !isPlainObject(value)) return [name, value]
    try {
      return [name, fromExtendedJson(value)]
    } catch (error) {
      if (!(error instanceof ExtendedJsonError)) throw error
      errors.push([name, [error.message.replace(/^it has /, 'is ')]])
      return [name, value]
    }
  })
  return { fields: Object.fromEntries(read), errors: Object.fromEntries(errors) }
}

/** A date as a request writes it. What is not a date stays, and is refused like any other value. */
export function dateOf(name: string, value: unknown, units: Units): { value: unknown; problem?: string } {
  const ms = readDate(value, units.get(name))
  if (ms !== undefined) return { value: showInstant(ms) }
  const problem = dateProblem(value, units.get(name))
  if (/nothing says/.test(problem)) {
    return { value, problem: `${problem}: write ISO 8601, or say --dates ${name}=seconds or ${name}=milliseconds` }
  }
  return units.has(name) && /outside of the years/.test(problem) ? { value, problem } : { value }
}

/** Reads `column=unit`. Throws `usage` naming what is wrong, and `invalid` for a column that holds no dates. */
export function readUnits(pairs: readonly string[], table: Table): Map<string, NumberUnit> {
  const units = new Map<string, NumberUnit>()
  const dates = [...fieldsOf(table).values()].filter(({ type }: Field) => type === 'datetime').map(({ name }) => name)
  for (const pair of pairs) {
    const cut = pair.lastIndexOf('=')
    const [column, unit] = [pair.slice(0, cut), pair.slice(cut + 1)]
    const known = NUMBER_UNITS.find((name) => name === unit)
    if (cut < 1 || !known) {
      throw new AppError('usage', `--dates ${pair}: write column=unit; the units are ${NUMBER_UNITS.join(', ')}`)
    }
    if (!dates.includes(column)) {
      throw new AppError('usage', `--dates ${pair}: the columns with dates are ${dates.join(', ')}`)
    }
    units.set(column, known)
  }
  return units
}
