import { type FieldErrors, invalid, isAppError } from '../../../platform/errors.ts'
import {
  CONDITION_KEYS,
  isOrder,
  type Operator,
  readOperation,
  textOperators,
} from '../../../platform/filters/operators.ts'
import { isPlainObject, parseJsonBytes } from '../../../platform/json/json.ts'
import {
  atMost,
  below,
  gatherProblems,
  IS_REQUIRED,
  joined,
  list,
  MUST_BE,
  type Reader,
  refuseOthers,
  tooDeep,
} from '../../../platform/values/reader.ts'
import { sortKeyOf } from '../definition/collation.ts'
import { readValue } from '../definition/columns.ts'
import { fieldsOf, listed } from '../definition/names.ts'
import type { Field, FilterNode, Table } from '../types.ts'

/**
 * The `filter` of a list: `{"field": "n", "operator": "atLeast", "value": 3}`; a list of them means all; `and`, `or`
 * and `not` join them. JSON in, a checked tree out; names become fields of the table here, values stay values. Pure.
 */

const MAX_CONDITIONS = 100
const MAX_DEPTH = 8
const MAX_VALUES = 1000

/** Throws `invalid` with every wrong place, below the key `filter`. */
export function parseFilter(table: Table, text: string): FilterNode {
  const { node, conditions, errors } = readFilter(fieldsOf(table), jsonOf(text))
  if (conditions > MAX_CONDITIONS) throw invalid({ filter: [atMost(MAX_CONDITIONS, 'conditions')] })
  if (node === undefined || Object.keys(errors).length > 0) throw invalid(errors)
  return node
}

function jsonOf(text: string): unknown {
  try {
    return parseJsonBytes(Buffer.from(text))
  } catch (error) {
    if (!isAppError(error)) throw error
    const { '': syntax, ...places } = error.details.fields ?? {}
    if (Object.keys(places).length > 0) throw invalid(below('filter', places))
    const why = syntax?.[0] ?? 'is not valid JSON'
    throw invalid({ filter: [`${why}; write {"field": …, "operator": …, "value": …}`] })
  }
}

function readFilter(
  fields: ReadonlyMap<string, Field>,
  filter: unknown,
): { node: FilterNode | undefined; conditions: number; errors: FieldErrors } {
  const problems = gatherProblems()
  let conditions = 0

  function readNode(given: unknown, at: string, depth: number): FilterNode | undefined {
    if (depth > MAX_DEPTH) return problems.say(at, tooDeep(MAX_DEPTH))
    if (Array.isArray(given)) return readAll('and', given, at, depth)
    if (!isPlainObject(given)) return problems.say(at, 'must be a condition {"field": …, "operator": …, "value": …}')
    for (const kind of ['and', 'or'] as const) {
      if (!Object.hasOwn(given, kind)) continue
      refuseOthers(given, [kind], 'a condition', at, problems)
      return readAll(kind, given[kind], joined(at, kind), depth)
    }
    if (!Object.hasOwn(given, 'not')) return readCondition(given, at)
    refuseOthers(given, ['not'], 'a condition', at, problems)
    const node = readNode(given.not, joined(at, 'not'), depth + 1)
    return node && { kind: 'not', node }
  }

  function readAll(kind: 'and' | 'or', given: unknown, at: string, depth: number): FilterNode | undefined {
    const readOne: Reader<FilterNode> = (one, place) => readNode(one, place, depth + 1)
    const nodes = list(readOne, { max: MAX_CONDITIONS, what: 'conditions' })(given, at, problems)
    return isWhole(nodes) ? { kind, nodes } : undefined
  }

  function readCondition(given: Record<string, unknown>, at: string): FilterNode | undefined {
    conditions++
    refuseOthers(given, CONDITION_KEYS, 'a condition', at, problems)
    const field = typeof given.field === 'string' ? fields.get(given.field) : undefined
    if (!field) problems.say(joined(at, 'field'), `must be a field of the table (${listed([...fields.keys()])})`)
    const possible = field ? operatorsOf(field) : TEXT_OPERATORS
    const about = field ? ` for ${field.name}` : ''
    const asked = readOperation(given, { usual: 'operator', possible, about }, at, problems)
    if (!field || !asked) return undefined
    const { operator, value } = asked
    const condition = { kind: 'condition', field, operator } as const
    const valueAt = joined(at, 'value')
    if (operator === 'exists') {
      if (typeof value !== 'boolean') return problems.say(valueAt, value === undefined ? IS_REQUIRED : MUST_BE.boolean)
      // There is a key where there is a value, and the order is that of the keys.
      return { ...condition, field: field.keys ?? field, values: [], isEmpty: !value }
    }
    const readOne: Reader<Known> = (one, place) => readOperand(field, one, place)
    if (operator !== 'in') {
      const read = readOperand(field, value, valueAt)
      if (read && field.keys?.keysOf && isOrder(operator)) {
        const key = sortKeyOf(field.keys.keysOf.collate, read.value as string)
        return { ...condition, field: field.keys, values: [key] }
      }
      return read && { ...condition, values: [read.value] }
    }
    const read = list(readOne, { max: MAX_VALUES, what: 'values' })(value, valueAt, problems)
    return isWhole(read) ? { ...condition, values: read.map((one) => one.value) } : undefined
  }

  function readOperand(field: Field, given: unknown, at: string): Known | undefined {
    if (given === undefined) return problems.say(at, IS_REQUIRED)
    if (given === null) return problems.say(at, 'must not be null: the operator exists finds records without a value')
    // More than 255 characters are wrong in a column; in a condition they merely match nothing.
    const read = readValue(field.type === 'string' ? 'text' : field.type, given)
    return read.fault === undefined ? { value: read.value } : problems.say(at, `${field.name} ${read.fault}`)
  }

  const node = readNode(filter, 'filter', 0)
  return { node, conditions, errors: problems.errors() }
}

/** A value of a field, which may be false or 0. */
interface Known {
  value: unknown
}

/** Tells whether every item could be read. */
function isWhole<T>(items: (T | undefined)[] | undefined): items is T[] {
  return items?.every((one) => one !== undefined) ?? false
}

const EQUALITY = ['equals', 'notEquals', 'in', 'exists'] as const
const ORDERED = ['equals', 'notEquals', 'lessThan', 'atMost', 'greaterThan', 'atLeast', 'in', 'exists'] as const
const TEXT_OPERATORS = [...ORDERED, ...textOperators] as const

/** The operators that a field takes. */
function operatorsOf({ type }: Field): readonly Operator[] {
  if (type === 'json') return ['exists']
  if (type === 'boolean') return EQUALITY
  return type === 'string' || type === 'text' ? TEXT_OPERATORS : ORDERED
}
