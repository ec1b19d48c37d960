import { isStorable } from '../json/json.ts'
import { list, MUST_BE, type Reader } from '../values/reader.ts'
import { isOrder, isTextOperator, ORDER, type TextOperator, textOperators } from './operators.ts'

export type Scalar = string | number | boolean

/** The operators of a condition on a JSON value, in the order in which errors list them. */
export const VALUE_OPS = ['equals', 'notEquals', 'in', ...Object.keys(ORDER), ...textOperators, 'exists']

/** A condition on a JSON value. Values of another type never match, and null is the same as absent. */
export type ValueTest =
  | { op: 'exists' }
  | { op: 'among'; values: Scalar[] }
  | { op: '<' | '<=' | '>' | '>='; value: string | number }
  | { op: TextOperator; value: string }

/** A condition being read. A reader returns undefined after reporting a problem. */
export interface Given {
  op: string
  value: unknown
  /** Reports a problem of the value, or of an item of it: `[2]`. */
  say(problem: string, item?: string): undefined
}

const MAX_VALUES = 1000
const MAX_VALUE_LENGTH = 1024

export const TEXT_RULE = `a string of 1 to ${MAX_VALUE_LENGTH} characters`

/** Tells whether a filter may compare with this text. */
export function isText(value: string): boolean {
  return (
    value !== '' && isStorable(value) && (value.length <= MAX_VALUE_LENGTH || [...value].length <= MAX_VALUE_LENGTH)
  )
}

/** Reads the value of `equals`, or each value of the list of `in`; undefined after reporting the wrong ones. */
export function readValues<T>(
  { op, value, say }: Given,
  read: (one: unknown) => T | undefined,
  rule: string,
): T[] | undefined {
  if (op !== 'in') {
    const one = read(value)
    if (one === undefined) say(`must be ${rule}${Array.isArray(value) ? '; a list goes with the operator in' : ''}`)
    return one === undefined ? undefined : [one]
  }
  const readItem: Reader<T> = (one, at, problems) => read(one) ?? problems.say(at, `must be ${rule}`)
  const all = list(readItem, { max: MAX_VALUES, what: 'values' })(value, '', {
    say: (at, problem) => say(problem, at),
  })
  return !all || all.includes(undefined) ? undefined : [...new Set(all as T[])]
}

/** The test of a condition on a JSON value; `negated`: its opposite. */
export interface ReadTest {
  test: ValueTest
  negated: boolean
}

/** Reads a condition with one of `VALUE_OPS`. */
export function readValueTest(given: Given): ReadTest | undefined {
  const { op, value, say } = given
  if (op === 'exists') {
    return typeof value === 'boolean' ? { test: { op }, negated: !value } : say(MUST_BE.boolean)
  }
  if (isTextOperator(op)) {
    if (typeof value !== 'string' || !isText(value)) return say(`must be ${TEXT_RULE}`)
    return { test: { op, value }, negated: false }
  }
  if (isOrder(op)) {
    if (typeof value === 'number' || (typeof value === 'string' && isText(value))) {
      return { test: { op: ORDER[op], value }, negated: false }
    }
    return say(`must be a number or ${TEXT_RULE}`)
  }
  const isScalar = (one: unknown): one is Scalar =>
    typeof one === 'number' || typeof one === 'boolean' || one === '' || (typeof one === 'string' && isText(one))
  const values = readValues(given, (one) => (isScalar(one) ? one : undefined), `a string, a number, true or false`)
  return values && { test: { op: 'among', values }, negated: op === 'notEquals' }
}
