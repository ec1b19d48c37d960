import type { FieldErrors } from '../../platform/errors.ts'
import { CONDITION_KEYS } from '../../platform/filter-operators.ts'
import { isPlainObject } from '../../platform/json.ts'
import { gatherProblems, joined, list, tooDeep, unknownField } from '../../platform/reader.ts'
import { readLeaf } from './leaf.ts'
import type { Condition } from './types.ts'

/** Maximum number of levels of a filter (a single condition is one level), and of conditions in total. */
export const MAX_DEPTH = 16
export const MAX_CONDITIONS = 200

const KEYS = ['and', 'or', 'not', ...CONDITION_KEYS]
const FORM = 'must be an object with one of and, or, not, or with field, op and value'

/** A filter that was read: its meaning, or its problems by path (`and[1].value`; `''` is the whole filter). */
export type ReadFilter = { condition: Condition; errors?: never } | { condition?: never; errors: FieldErrors }

/** Reads a filter. Reports every problem; never throws. */
export function readFilter(filter: unknown): ReadFilter {
  const problems = gatherProblems()
  let conditions = 0

  function readNode(node: unknown, at: string, depth: number): Condition | undefined {
    if (!isPlainObject(node)) return problems.say(at, FORM)
    if (depth > MAX_DEPTH) return problems.say(at, tooDeep(MAX_DEPTH))
    for (const key of Object.keys(node)) {
      if (!KEYS.includes(key)) problems.say(joined(at, key), unknownField(KEYS, 'a filter'))
    }
    const kinds = (['and', 'or', 'not'] as const).filter((key) => Object.hasOwn(node, key))
    const isLeaf = CONDITION_KEYS.some((key) => Object.hasOwn(node, key))
    if (kinds.length + (isLeaf ? 1 : 0) !== 1) return problems.say(at, FORM)
    const kind = kinds[0]
    if (kind === undefined) {
      conditions++
      return conditions > MAX_CONDITIONS ? undefined : readLeaf(node, at, problems)
    }
    const given = node[kind]
    if (kind === 'not') {
      const part = readNode(given, joined(at, kind), depth + 1)
      return part && { kind, part }
    }
    // A list that exceeds the limit by itself is only counted. Its items are not checked.
    if (Array.isArray(given) && given.length > MAX_CONDITIONS) {
      conditions += given.length
      return undefined
    }
    const readPart = (part: unknown, place: string) => readNode(part, place, depth + 1)
    const parts = list(readPart, { max: MAX_CONDITIONS })(given, joined(at, kind), problems)
    return parts && { kind, parts: parts.filter((part) => part !== undefined) }
  }

  const condition = readNode(filter, '', 1)
  if (conditions > MAX_CONDITIONS) problems.say('', `has more than ${MAX_CONDITIONS} conditions`)
  const errors = problems.errors()
  return condition && Object.keys(errors).length === 0 ? { condition } : { errors }
}
