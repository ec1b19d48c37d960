import { type ReadTree, readFilterTree } from '../../platform/filters/tree.ts'
import { isMetricField, readLeaf } from './leaf.ts'
import type { Leaf } from './types.ts'

/** Maximum number of levels of a filter (a single condition is one level), and of conditions in total. */
export const MAX_DEPTH = 16
export const MAX_CONDITIONS = 200

/** A filter that was read: its meaning, or its problems by path (`and[1].value`; `''` is the whole filter). */
export type ReadFilter = ReadTree<Leaf>

/** Reads a filter. Reports every problem; never throws. */
export function readFilter(filter: unknown): ReadFilter {
  return readFilterTree<Leaf>(filter, {
    readLeaf,
    maxDepth: MAX_DEPTH,
    maxConditions: MAX_CONDITIONS,
    moreKeys: ({ field }) => (isMetricField(field) ? ['withinDays'] : []),
  })
}
