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

/** Meaning of an operator that looks for a text in a text: here, and in SQL, where `{value}` and `{text}` may stand several times. */
interface TextMeaning {
  holds(value: string, text: string): boolean
  postgres: string
  sqlite: string
}

/** The operators of texts. Both databases and this program agree: they compare by code point, in cases as they are. */
export const TEXT_OPERATORS = {
  startsWith: {
    holds: (value, text) => value.startsWith(text),
    postgres: 'strpos({value}, {text}) = 1',
    sqlite: 'instr({value}, {text}) = 1',
  },
  contains: {
    holds: (value, text) => value.includes(text),
    postgres: 'strpos({value}, {text}) > 0',
    sqlite: 'instr({value}, {text}) > 0',
  },
} as const satisfies Record<string, TextMeaning>
export type TextOperator = keyof typeof TEXT_OPERATORS
export const textOperators = Object.keys(TEXT_OPERATORS) as TextOperator[]

export function isTextOperator(operator: string): operator is TextOperator {
  return Object.hasOwn(TEXT_OPERATORS, operator)
}

/** The SQL of an operator of texts in pieces: between them stand the value and the text, in this order. */
export function textSql(operator: TextOperator, database: 'postgres' | 'sqlite') {
  const sql = TEXT_OPERATORS[operator][database]
  return {
    between: sql.split(/\{value\}|\{text\}/),
    parts: [...sql.matchAll(/\{(value|text)\}/g)].map(([, part]) => part as 'value' | 'text'),
  }
}

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

/** The question of a condition. If the condition has no value, `value` is absent. */
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
