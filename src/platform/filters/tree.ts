import type { FieldErrors } from '../errors.ts'
import { isPlainObject } from '../json/json.ts'
import { gatherProblems, joined, list, type Problems, refuseOthers, tooDeep } from '../values/reader.ts'
import { CONDITION_KEYS } from './operators.ts'

/** Conditions that `and`, `or` and `not` join. */
export type FilterTree<Leaf> =
  | Leaf
  | { kind: 'and' | 'or'; parts: FilterTree<Leaf>[] }
  | { kind: 'not'; part: FilterTree<Leaf> }

/** A filter that was read: its meaning, or its problems by path (`and[1].value`; `''` is the whole filter). */
export type ReadTree<Leaf> =
  | { condition: FilterTree<Leaf>; errors?: never }
  | { condition?: never; errors: FieldErrors }

interface Language<Leaf> {
  /** Reads the condition at the path `at`; undefined after reporting every problem. */
  readLeaf(node: Record<string, unknown>, at: string, problems: Problems): FilterTree<Leaf> | undefined
  /** Maximum number of levels; a single condition is one level. */
  maxDepth: number
  /** Maximum number of conditions in total. */
  maxConditions: number
  /** Further keys of this condition, besides those of every condition. */
  moreKeys?(node: Record<string, unknown>): readonly string[]
}

const KEYS = ['and', 'or', 'not', ...CONDITION_KEYS]
const FORM = 'must be an object with one of and, or, not, or with field, op and value'

/** Reads a filter of any language. Reports every problem; never throws. */
export function readFilterTree<Leaf>(filter: unknown, language: Language<Leaf>): ReadTree<Leaf> {
  const { readLeaf, maxDepth, maxConditions, moreKeys } = language
  const problems = gatherProblems()
  let conditions = 0

  function readNode(node: unknown, at: string, depth: number): FilterTree<Leaf> | undefined {
    if (!isPlainObject(node)) return problems.say(at, FORM)
    if (depth > maxDepth) return problems.say(at, tooDeep(maxDepth))
    refuseOthers(node, [...KEYS, ...(moreKeys?.(node) ?? [])], 'a filter', at, problems)
    const kinds = (['and', 'or', 'not'] as const).filter((key) => Object.hasOwn(node, key))
    const isLeaf = CONDITION_KEYS.some((key) => Object.hasOwn(node, key))
    if (kinds.length + (isLeaf ? 1 : 0) !== 1) return problems.say(at, FORM)
    const kind = kinds[0]
    if (kind === undefined) {
      conditions++
      return conditions > maxConditions ? undefined : readLeaf(node, at, problems)
    }
    const given = node[kind]
    if (kind === 'not') {
      const part = readNode(given, joined(at, kind), depth + 1)
      return part && { kind, part }
    }
    // A list that exceeds the limit by itself is only counted. Its items are not checked.
    if (Array.isArray(given) && given.length > maxConditions) {
      conditions += given.length
      return undefined
    }
    const readPart = (part: unknown, place: string) => readNode(part, place, depth + 1)
    const parts = list(readPart, { max: maxConditions })(given, joined(at, kind), problems)
    return parts && { kind, parts: parts.filter((part) => part !== undefined) }
  }

  const condition = readNode(filter, '', 1)
  if (conditions > maxConditions) problems.say('', `has more than ${maxConditions} conditions`)
  const errors = problems.errors()
  return condition && Object.keys(errors).length === 0 ? { condition } : { errors }
}
