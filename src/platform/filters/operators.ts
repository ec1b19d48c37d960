import { IS_REQUIRED, joined, oneOfThese, type Problems } from '../values/reader.ts'

/**
 * The operators of every filter language (segments, data tables): the name that documents and errors use, and its other
 * spellings. A language takes those that suit its fields, and may add its own.
 */
export const OPERATORS = {
  equals: ['eq'],
  notEquals: ['ne'],
  lessThan: ['lt', 'before'],
  atMost: ['lte'],
  greaterThan: ['gt'],
  atLeast: ['gte', 'since'],
  in: [],
  startsWith: [],
  contains: [],
  // `isNull` asks the opposite.
  exists: ['isNull'],
} as const

export type Operator = keyof typeof OPERATORS

/** Comparisons by order, in SQL. */
export const ORDER = { lessThan: '<', atMost: '<=', greaterThan: '>', atLeast: '>=' } as const
export type OrderOperator = keyof typeof ORDER

export function isOrder(operator: string): operator is OrderOperator {
  return Object.hasOwn(ORDER, operator)
}

const NAMES: ReadonlyMap<string, Operator> = new Map(
  (Object.keys(OPERATORS) as Operator[]).flatMap((name) => [name, ...OPERATORS[name]].map((one) => [one, name])),
)

/** The keys of a condition; `op` and `operator` are the same. */
export const CONDITION_KEYS = ['field', 'op', 'operator', 'value']

/** What a condition asks. If the condition has no value, `value` is absent. */
export interface Operation<Name extends string> {
  operator: Name
  value?: unknown
}

/**
 * Reads the operator of a condition and the value to compare with. Returns undefined after reporting a wrong operator.
 * When the operator is missing, the report names the key `usual`. When it is unknown, the report lists the `possible`
 * ones and ends with `about`.
 */
export function readOperation<Name extends string>(
  condition: Record<string, unknown>,
  { usual, possible, about }: { usual: 'op' | 'operator'; possible: readonly Name[]; about: string },
  at: string,
  problems: Problems,
): Operation<Name> | undefined {
  const [key = usual, second] = (['op', 'operator'] as const).filter((one) => Object.hasOwn(condition, one))
  if (second) return problems.say(joined(at, second), 'is the same as op: give one of them')
  const given = condition[key]
  const name = typeof given === 'string' ? (NAMES.get(given) ?? given) : undefined
  const operator = possible.find((one) => one === name)
  if (!operator) {
    return problems.say(joined(at, key), given === undefined ? IS_REQUIRED : `${oneOfThese(possible)}${about}`)
  }
  const value = Object.hasOwn(condition, 'value') ? { value: condition.value } : {}
  if (given !== 'isNull') return { operator, ...value }
  const { value: isNull = true } = value
  return { operator, value: typeof isNull === 'boolean' ? !isNull : isNull }
}
