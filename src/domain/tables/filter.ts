import { type FieldErrors, invalid, isAppError } from '../../platform/errors.ts'
import { isPlainObject, parseJsonBytes } from '../../platform/json.ts'
import { readValue } from './columns.ts'
import { fieldsOf, listed } from './names.ts'
import { COMPARISONS, type Field, type FilterNode, OPERATORS, type Operator, type Table } from './types.ts'

/**
 * The `filter` of a list: `{"field": "n", "operator": "gte", "value": 3}`; a list of them means all; `and`, `or` and `not`
 * join them. JSON in, a checked tree out; names become fields of the table here, values stay values. Pure.
 */

const MOST_CONDITIONS = 100
const DEEPEST = 8
const MOST_VALUES = 1000

/** Throws `invalid` with every wrong place, below the key `filter`. */
export function parseFilter(table: Table, text: string): FilterNode {
  const reader = filterReader(fieldsOf(table))
  const node = reader.read(jsonOf(text), 'filter', 0)
  if (reader.conditions() > MOST_CONDITIONS) {
    throw invalid({ filter: [`must have at most ${MOST_CONDITIONS} conditions`] })
  }
  if (node === undefined || Object.keys(reader.errors).length > 0) throw invalid(reader.errors)
  return node
}

function jsonOf(text: string): unknown {
  try {
    return parseJsonBytes(Buffer.from(text))
  } catch (error) {
    if (!isAppError(error)) throw error
    const why = error.details.fields?.['']?.[0] ?? 'is not valid JSON'
    throw invalid({ filter: [`${why}; write {"field": …, "operator": …, "value": …}`] })
  }
}

function filterReader(fields: ReadonlyMap<string, Field>) {
  const errors: FieldErrors = {}
  let count = 0

  function refuse(path: string, message: string): undefined {
    errors[path] = [message]
  }

  function read(given: unknown, path: string, depth: number): FilterNode | undefined {
    if (depth > DEEPEST) return refuse(path, `is nested deeper than ${DEEPEST} levels`)
    if (Array.isArray(given)) return readAll('and', given, path, depth)
    if (!isPlainObject(given)) return refuse(path, 'must be a condition {"field": …, "operator": …, "value": …}')
    for (const kind of ['and', 'or'] as const) {
      if (Object.hasOwn(given, kind)) return readJoined(kind, given, path, depth)
    }
    if (!Object.hasOwn(given, 'not')) return readCondition(given, path)
    refuseOthers(given, ['not'], path)
    const node = read(given.not, `${path}.not`, depth + 1)
    return node && { kind: 'not', node }
  }

  function readJoined(
    kind: 'and' | 'or',
    given: Record<string, unknown>,
    path: string,
    depth: number,
  ): FilterNode | undefined {
    refuseOthers(given, [kind], path)
    const list = given[kind]
    if (!Array.isArray(list)) return refuse(`${path}.${kind}`, 'must be a list of conditions')
    return readAll(kind, list, `${path}.${kind}`, depth)
  }

  function readAll(kind: 'and' | 'or', list: unknown[], path: string, depth: number): FilterNode | undefined {
    if (list.length === 0) return refuse(path, 'must not be empty')
    if (list.length > MOST_CONDITIONS) return refuse(path, `must have at most ${MOST_CONDITIONS} conditions`)
    const nodes = list.map((one, i) => read(one, `${path}[${i}]`, depth + 1))
    return nodes.every((node) => node !== undefined) ? { kind, nodes } : undefined
  }

  function readCondition(given: Record<string, unknown>, path: string): FilterNode | undefined {
    count++
    refuseOthers(given, ['field', 'operator', 'value'], path)
    const field = typeof given.field === 'string' ? fields.get(given.field) : undefined
    if (!field) refuse(`${path}.field`, `must be a field of the table (${listed([...fields.keys()])})`)
    const operator = OPERATORS.find((one) => one === given.operator)
    if (!operator) refuse(`${path}.operator`, `must be one of ${OPERATORS.join(', ')}`)
    if (!field || !operator) return undefined
    const possible = operatorsOf(field)
    if (!possible.includes(operator)) {
      return refuse(`${path}.operator`, `must be one of ${possible.join(', ')} for ${field.name}`)
    }
    return readOperand(field, operator, given.value, `${path}.value`)
  }

  function readOperand(field: Field, operator: Operator, given: unknown, path: string): FilterNode | undefined {
    const condition = { kind: 'condition' as const, field, operator, wanted: true }
    if (operator === 'isNull') {
      if (given !== undefined && typeof given !== 'boolean') return refuse(path, 'must be true or false')
      return { ...condition, values: [], wanted: given !== false }
    }
    if (operator !== 'in') {
      const value = readOne(field, given, path)
      return value && { ...condition, values: [value.value] }
    }
    if (!Array.isArray(given) || given.length === 0 || given.length > MOST_VALUES) {
      return refuse(path, `must be a list of 1 to ${MOST_VALUES} values`)
    }
    const values = given.map((one, i) => readOne(field, one, `${path}[${i}]`))
    return values.every((one) => one !== undefined)
      ? { ...condition, values: values.map((one) => one.value) }
      : undefined
  }

  function readOne(field: Field, given: unknown, path: string): { value: unknown } | undefined {
    if (given === undefined) return refuse(path, 'is required')
    if (given === null) return refuse(path, 'must not be null: the operator isNull finds records without a value')
    // More than 255 characters are wrong in a column and merely find nothing in a question.
    const read = readValue(field.type === 'string' ? 'text' : field.type, given)
    return read.fault === undefined ? { value: read.value } : refuse(path, `${field.name} ${read.fault}`)
  }

  function refuseOthers(given: Record<string, unknown>, known: readonly string[], path: string): void {
    for (const key of Object.keys(given).slice(0, MOST_VALUES)) {
      if (!known.includes(key)) refuse(`${path}.${key}`, `is not a part of a condition (${known.join(', ')})`)
    }
  }

  return { read, errors, conditions: () => count }
}

/** What can be asked about a field. */
function operatorsOf({ type }: Field): readonly Operator[] {
  if (type === 'json') return ['isNull']
  if (type === 'boolean') return ['eq', 'ne', 'in', 'isNull']
  const common = [...COMPARISONS, 'in', 'isNull'] as const
  return type === 'string' || type === 'text' ? [...common, 'contains', 'startsWith'] : common
}
