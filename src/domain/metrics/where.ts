import { isTextOperator, readOperation, TEXT_OPERATORS } from '../../platform/filters/operators.ts'
import { type FilterTree, type ReadTree, readFilterTree } from '../../platform/filters/tree.ts'
import { readValueTest, VALUE_OPS, type ValueTest } from '../../platform/filters/value-test.ts'
import { pathRule, readJsonPath, valueAt } from '../../platform/json/path.ts'
import { IS_REQUIRED, joined, MUST_BE, type Problems } from '../../platform/values/reader.ts'
import type { EventData } from '../events/types.ts'
import type { DataTest, Where } from './types.ts'

/** The first part of paths into the data of an event. */
export const DATA = 'data'

const MAX_DEPTH = 4
const MAX_CONDITIONS = 20

/** Reads the `where` of a metric. Reports every problem; never throws. */
export function readWhere(where: unknown): ReadTree<DataTest> {
  return readFilterTree<DataTest>(where, { readLeaf, maxDepth: MAX_DEPTH, maxConditions: MAX_CONDITIONS })
}

function readLeaf(node: Record<string, unknown>, at: string, problems: Problems): FilterTree<DataTest> | undefined {
  const { field } = node
  const fieldAt = joined(at, 'field')
  if (typeof field !== 'string') return problems.say(fieldAt, field === undefined ? IS_REQUIRED : MUST_BE.string)
  const path = readJsonPath(DATA, field)
  if (!path) return problems.say(fieldAt, `must be ${pathRule(DATA)}`)
  const asked = readOperation(node, { usual: 'op', possible: VALUE_OPS, about: ` for ${field}` }, at, problems)
  const place = joined(at, 'value')
  if (!(asked ? 'value' in asked : Object.hasOwn(node, 'value'))) return problems.say(place, IS_REQUIRED)
  if (!asked) return undefined
  const say = (problem: string, item = '') => problems.say(`${place}${item}`, problem)
  const read = readValueTest({ op: asked.operator, value: asked.value, say })
  if (!read) return undefined
  const leaf: DataTest = { kind: 'data', path, test: read.test }
  return read.negated ? { kind: 'not', part: leaf } : leaf
}

/** Tells whether an event with this data counts. The rules are those of segments: values of another type never match. */
export function matches(where: Where, data: EventData | null): boolean {
  switch (where.kind) {
    case 'and':
      return where.parts.every((part) => matches(part, data))
    case 'or':
      return where.parts.some((part) => matches(part, data))
    case 'not':
      return !matches(where.part, data)
    case 'data':
      return fits(where.test, valueAt(where.path, data))
  }
}

function fits(test: ValueTest, value: unknown): boolean {
  if (test.op === 'exists') return value !== undefined && value !== null
  if (test.op === 'among') return test.values.some((one) => one === value)
  if (typeof value !== typeof test.value) return false
  if (isTextOperator(test.op)) return TEXT_OPERATORS[test.op].holds(value as string, test.value as string)
  const order = compare(value as string | number, test.value)
  switch (test.op) {
    case '<':
      return order < 0
    case '<=':
      return order <= 0
    case '>':
      return order > 0
    case '>=':
      return order >= 0
  }
}

/** Compares texts by code point, as both databases do; JavaScript alone would compare UTF-16. */
function compare(one: string | number, other: string | number): number {
  if (typeof one === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(other as string))
  return one - (other as number)
}
