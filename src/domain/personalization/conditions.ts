import type { Comparison, Condition, Operand, Test } from './read/syntax.ts'
import { type Get, type Run, spend, spendSearch } from './run.ts'
import { isMissing, textOf } from './values.ts'

/** Conditions. A missing value is false by itself, and a comparison with it is false, except `!=`, which is true. Pure. */

type Holds = (run: Run) => boolean
type Compare = (left: unknown, right: unknown, run: Run) => boolean

/** Comparisons of two values neither of which is missing; numbers and texts are compared as JavaScript does. */
const COMPARE: Readonly<Record<Exclude<Comparison, 'contains'>, Compare>> = {
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '<': (left, right) => (left as number) < (right as number),
  '>': (left, right) => (left as number) > (right as number),
  '<=': (left, right) => (left as number) <= (right as number),
  '>=': (left, right) => (left as number) >= (right as number),
}

/** A condition as a function. `valueOf` compiles its values. */
export function conditionOf({ tests, joins }: Condition, valueOf: (operand: Operand) => Get): Holds {
  const holds = tests.map((test) => testOf(test, valueOf))
  if (holds.length === 1) return holds[0]!
  // From the right to the left, as in Liquid: `a and b or c` is `a and (b or c)`. So a false before `and` and a true before `or` decide.
  return (run) => {
    for (let i = 0; i < joins.length; i++) {
      const isTrue = holds[i]!(run)
      if (isTrue === (joins[i] === 'or')) return isTrue
    }
    return holds.at(-1)!(run)
  }
}

function testOf({ left, comparison }: Test, valueOf: (operand: Operand) => Get): Holds {
  const get = valueOf(left)
  if (comparison === undefined) {
    return (run) => {
      const value = get(run)
      return value !== false && !isMissing(value)
    }
  }
  const { name } = comparison
  const other = valueOf(comparison.right)
  if (name === 'contains') return (run) => contains(get(run), other(run), run)
  const compare = COMPARE[name]
  const ifMissing = name === '!='
  return (run) => {
    const one = get(run)
    const two = other(run)
    return isMissing(one) || isMissing(two) ? ifMissing : compare(one, two, run)
  }
}

/** Tells whether a text has a text in it, or a list an item. */
function contains(value: unknown, searched: unknown, run: Run): boolean {
  if (isMissing(searched)) return false
  if (Array.isArray(value)) {
    spend(run, value.length)
    return value.includes(searched)
  }
  if (typeof value !== 'string' || value === '') return false
  const search = textOf(searched)
  spendSearch(run, value, search)
  return value.includes(search)
}
