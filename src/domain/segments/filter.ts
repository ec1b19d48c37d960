import type { FieldErrors } from '../../platform/errors.ts'
import { CONDITION_KEYS } from '../../platform/filter-operators.ts'
import { isPlainObject } from '../../platform/json.ts'
import { gatherProblems, joined, list, tooDeep, unknownField } from '../../platform/reader.ts'
import { readLeaf } from './leaf.ts'
import type { Condition } from './types.ts'

/** Levels of a filter, a single condition being one; and conditions in all. */
export const DEEPEST = 16
export const MOST_CONDITIONS = 200

const KEYS = ['and', 'or', 'not', ...CONDITION_KEYS]
const FORM = 'must be an object with one of and, or, not, or with field, op and value'

/** A filter that was read: what it means, or what is wrong with it by path (`and[1].value`; `''` is the whole filter). */
export type ReadFilter = { condition: Condition; errors?: never } | { condition?: never; errors: FieldErrors }

/** JSON -> what it means. Names everything that is wrong; never throws. */
export function readFilter(filter: unknown): ReadFilter {
  const problems = gatherProblems()
  let conditions = 0

  function readNode(node: unknown, at: string, depth: number): Condition | undefined {
    if (!isPlainObject(node)) return problems.say(at, FORM)
    if (depth > DEEPEST) return problems.say(at, tooDeep(DEEPEST))
    for (const key of Object.keys(node)) {
      if (!KEYS.includes(key)) problems.say(joined(at, key), unknownField(KEYS, 'a filter'))
    }
    const kinds = (['and', 'or', 'not'] as const).filter((key) => Object.hasOwn(node, key))
    const isLeaf = CONDITION_KEYS.some((key) => Object.hasOwn(node, key))
    if (kinds.length + (isLeaf ? 1 : 0) !== 1) return problems.say(at, FORM)
    const kind = kinds[0]
    if (kind === undefined) {
      conditions++
      return conditions > MOST_CONDITIONS ? undefined : readLeaf(node, at, problems)
    }
    const given = node[kind]
    if (kind === 'not') {
      const part = readNode(given, joined(at, kind), depth + 1)
      return part && { kind, part }
    }
    // A list that is too long alone is only counted, not judged item by item.
    if (Array.isArray(given) && given.length > MOST_CONDITIONS) {
      conditions += given.length
      return undefined
    }
    const readPart = (part: unknown, place: string) => readNode(part, place, depth + 1)
    const parts = list(readPart, { max: MOST_CONDITIONS })(given, joined(at, kind), problems)
    return parts && { kind, parts: parts.filter((part) => part !== undefined) }
  }

  const condition = readNode(filter, '', 1)
  if (conditions > MOST_CONDITIONS) problems.say('', `has more than ${MOST_CONDITIONS} conditions`)
  const errors = problems.errors()
  return condition && Object.keys(errors).length === 0 ? { condition } : { errors }
}
