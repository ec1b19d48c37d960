/** Words of conditions, in filters of segments and of tables. */

/** A pair is the wording for numbers and texts, and that for times. */
const WORDS: Readonly<Record<string, string | readonly [usual: string, ofTimes: string]>> = {
  equals: 'is',
  notEquals: 'is not',
  in: 'is one of',
  lessThan: ['is less than', 'before'],
  atMost: ['is at most', 'until'],
  greaterThan: ['is more than', 'after'],
  atLeast: ['is at least', 'since'],
  startsWith: 'begins with',
  contains: 'contains',
  exists: 'has a value',
  isNull: 'has no value',
  known: 'is known',
  withinDays: 'in the last',
  olderThanDays: 'longer ago than',
}

/** Operators that look for a text in a text. */
export const TEXT_OPS = ['startsWith', 'contains']

const ALIASES: Readonly<Record<string, string>> = {
  eq: 'equals',
  ne: 'notEquals',
  lt: 'lessThan',
  before: 'lessThan',
  lte: 'atMost',
  gt: 'greaterThan',
  gte: 'atLeast',
  since: 'atLeast',
}

/** The usual name of an operator. */
export const operatorOf = (op: string): string => ALIASES[op] ?? op

/** An operator in words, as they follow the name of the field. */
export function operatorWords(op: string, isTime: boolean): string {
  const words = WORDS[operatorOf(op)] ?? op
  return typeof words === 'string' ? words : words[isTime ? 1 : 0]
}
