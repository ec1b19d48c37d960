import type { FieldErrors } from '../../platform/errors.ts'
import { isPlainObject } from '../../platform/json.ts'
import { readLeaf } from './leaf.ts'
import type { Condition } from './types.ts'

/** Levels of a filter, a single condition being one; and conditions in all. */
export const DEEPEST = 16
export const MOST_CONDITIONS = 200

const LEAF_KEYS = ['field', 'op', 'value']
const KEYS = ['and', 'or', 'not', ...LEAF_KEYS]
const FORM = 'must be an object with one of and, or, not, or with field, op and value'

/** A filter that was read: what it means, or what is wrong with it by path (`and[1].value`; `''` is the whole filter). */
export type ReadFilter = { condition: Condition; errors?: never } | { condition?: never; errors: FieldErrors }

/** JSON -> what it means. Names everything that is wrong; never throws. */
export function readFilter(filter: unknown): ReadFilter {
  const wrong: [path: string, message: string][] = []
  let conditions = 0

  function readNode(node: unknown, at: string, depth: number): Condition | undefined {
    const say = (key: string, message: string) => void wrong.push([key === '' ? at : joined(at, key), message])
    if (!isPlainObject(node)) return say('', FORM)
    if (depth > DEEPEST) return say('', `is nested deeper than ${DEEPEST} levels`)
    for (const key of Object.keys(node)) {
      if (!KEYS.includes(key)) say(key, `is not a part of a filter (${KEYS.join(', ')})`)
    }
    const kinds = ['and', 'or', 'not'].filter((key) => Object.hasOwn(node, key))
    const isLeaf = LEAF_KEYS.some((key) => Object.hasOwn(node, key))
    if (kinds.length + (isLeaf ? 1 : 0) !== 1) return say('', FORM)
    if (isLeaf) {
      conditions++
      return conditions > MOST_CONDITIONS ? undefined : readLeaf(node, at, say)
    }
    const kind = kinds[0]!
    if (kind === 'not') {
      const part = readNode(node.not, joined(at, 'not'), depth + 1)
      return part && { kind: 'not', part }
    }
    const given = node[kind]
    if (!Array.isArray(given) || given.length === 0) return say(kind, 'must be a list of at least one filter')
    // What is too much is only counted, not judged one by one.
    if (given.length > MOST_CONDITIONS) {
      conditions += given.length
      return undefined
    }
    const parts = given.map((part, i) => readNode(part, `${joined(at, kind)}[${i}]`, depth + 1))
    return { kind: kind as 'and' | 'or', parts: parts.filter((part) => part !== undefined) }
  }

  const condition = readNode(filter, '', 1)
  if (conditions > MOST_CONDITIONS) wrong.push(['', `has more than ${MOST_CONDITIONS} conditions`])
  if (condition && wrong.length === 0) return { condition }
  const byPath = Map.groupBy(wrong, ([path]) => path)
  return { errors: Object.fromEntries([...byPath].map(([path, all]) => [path, all.map(([, message]) => message)])) }
}

function joined(at: string, key: string): string {
  return at === '' ? key : `${at}.${key}`
}
