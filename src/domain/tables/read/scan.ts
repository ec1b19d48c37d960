import { type AppError, type FieldErrors, invalid } from '../../../platform/errors.ts'
import { listed } from '../definition/names.ts'
import type { Cursor, FilterNode, Sort, Table } from '../types.ts'
import { behindPrefix } from './filter-sql.ts'

/**
 * The cost of a read that no index answers: the number of records to check, times the checks on each. Pure. An index
 * can help in two ways: it holds the results themselves in the right order, or it narrows the records to check.
 */

type Condition = Extract<FilterNode, { kind: 'condition' }>

/** Stepping over an index entry costs a tenth of checking a record. */
export const ENTRIES_PER_CHECK = 10

/** Maximum number of candidate sets whose records are counted to find a small one. */
const MAX_TRIED = 4

/** Bytes of a text that cost as much as another check. */
const BYTES_PER_CHECK = 512

type Asked = { sort: Sort; filter?: FilterNode | undefined }

/**
 * Number of checks per record: its conditions, and one for sorting without an index. `bytes` holds the average size of
 * the text in each field.
 */
export function checksPerRecord({ sort, filter }: Asked, bytes: ReadonlyMap<string, number>): number {
  const price = (name: string) => 1 + Math.floor((bytes.get(name) ?? 0) / BYTES_PER_CHECK)
  const conditions = filter ? conditionsOf(filter) : []
  const looks = conditions.reduce((sum, one) => sum + (one.operator === 'in' ? 2 : 1) * price(one.field.name), 0)
  return Math.max(1, looks + (sort.field.indexed ? 0 : price(sort.field.name)))
}

/** The fields of the query that may hold long text. */
export function longFields({ sort, filter }: Asked): string[] {
  const fields = [sort.field, ...(filter ? conditionsOf(filter) : []).map(({ field }) => field)]
  return [...new Set(fields.filter(({ type }) => type === 'text').map(({ name }) => name))]
}

function conditionsOf(node: FilterNode): Condition[] {
  if (node.kind === 'condition') return [node]
  return node.kind === 'not' ? conditionsOf(node.node) : node.nodes.flatMap(conditionsOf)
}

/** Which ends of an index range an operator sets. Other operators cannot use an index range. */
const ENDS: Partial<Record<Condition['operator'], readonly ('lower' | 'upper')[]>> = {
  equals: ['lower', 'upper'],
  startsWith: ['lower', 'upper'],
  greaterThan: ['lower'],
  atLeast: ['lower'],
  lessThan: ['upper'],
  atMost: ['upper'],
}

/** True if the matching records are one range of an index in this order, so that no other record is checked. */
export function isOneRange(filter: FilterNode, { field }: Sort): boolean {
  const conditions = filter.kind === 'and' ? filter.nodes : [filter]
  const ends: string[] = []
  for (const one of conditions) {
    if (one.kind !== 'condition' || !one.field.indexed || one.field.name !== nameOf(conditions[0]!)) return false
    const own = one.isEmpty ? ENDS.equals : ENDS[one.operator]
    if (!own) return false
    ends.push(...own)
  }
  // Of two lower ends SQLite uses one, and checks the records from there to the other.
  if (new Set(ends).size < ends.length) return false
  const first = conditions[0] as Condition
  const isPoint = first.operator === 'equals' || first.operator === 'exists'
  return field.name === first.field.name || (field.name === 'id' && isPoint)
}

const nameOf = (node: FilterNode) => (node.kind === 'condition' ? node.field.name : undefined)

/**
 * The filter for the records after a place in the order. All of them satisfy an end that lies before the place, so that
 * end is marked as loose: otherwise SQLite might enter the index there, and step from it to the place.
 */
export function behind(node: FilterNode, { field, descending }: Sort, place: Cursor): FilterNode {
  if (node.kind === 'and')
    return { kind: 'and', nodes: node.nodes.map((one) => behind(one, { field, descending }, place)) }
  if (node.kind !== 'condition' || node.field.name !== field.name || place.value === null) return node
  const end = descending ? 'upper' : 'lower'
  if (!ENDS[node.operator]?.includes(end) || node.operator === 'equals') return node
  const [value] = node.values
  const text = node.operator === 'startsWith' && descending ? (behindPrefix(value as string) ?? value) : value
  const order = compare(text, place.value)
  return (descending ? order >= 0 : order <= 0) ? { ...node, loose: end } : node
}

/** Compares values of a field as both databases do: text by code point. */
function compare(a: unknown, b: unknown): number {
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b as string))
  return Number(a) - Number(b)
}

/**
 * Sets of indexed conditions such that every matching record satisfies at least one condition of the set. To read the
 * list, it is enough to check the records of one set. The most promising set comes first; there are none if the filter
 * has no such part.
 */
export function candidateSets(node: FilterNode): Condition[][] {
  if (node.kind === 'not') return []
  if (node.kind === 'condition') return isAnswered(node) ? [[node]] : []
  if (node.kind === 'and') {
    const sets = node.nodes.flatMap(candidateSets)
    return sets.sort((a, b) => promise(a) - promise(b)).slice(0, MAX_TRIED)
  }
  const sets = node.nodes.map((one) => candidateSets(one)[0])
  return sets.every((set) => set !== undefined) ? [sets.flat()] : []
}

function isAnswered({ field, operator, isEmpty }: Condition): boolean {
  return field.indexed && (operator === 'in' || operator in ENDS || isEmpty === true)
}

const promise = (set: readonly Condition[]) => Math.max(...set.map(({ operator }) => PROMISE.indexOf(operator)))
const PROMISE: Condition['operator'][] = [
  'equals',
  'in',
  'startsWith',
  'exists',
  'greaterThan',
  'atLeast',
  'lessThan',
  'atMost',
]

/** The error of a read that would check too many records; it names the parts without an index, and the remedy. */
export function tooManyChecks(table: Table, { sort, filter }: Asked, total: number, limit: number): AppError {
  const why = `${total} records would be checked, more than limits.tableScan (${limit}) allows for this many conditions on each`
  const remedy = (name: string) =>
    `index the column: appsvc tables alter ${table.appId} ${table.name} --set ${name}:indexed`
  const fields: FieldErrors = {}
  if (!sort.field.indexed) {
    const isLong = sort.field.type === 'text'
    const act = isLong ? 'a text column has no index: sort by another field' : remedy(sort.field.name)
    fields.sortBy = [`${why}; ${act}`]
  }
  if (filter) {
    const conditions = conditionsOf(filter)
    const names = [...new Set(conditions.filter((one) => !one.field.indexed).map(({ field }) => field.name))]
    const [first] = conditions.filter(
      (one) => !one.field.indexed && one.field.type !== 'text' && one.field.type !== 'json',
    )
    const act = first
      ? remedy(first.field.name)
      : 'add a condition on an indexed column that matches few records, or use fewer conditions'
    fields.filter = [`${why}${names.length > 0 ? ` (${listed(names)} without an index)` : ''}; ${act}`]
  }
  return invalid(fields)
}

/** The error of a page that is too distant in a filtered list. */
export function tooDistantPage(most: number): AppError {
  return invalid({
    page: [`must not begin after more than ${most} records of a filtered list: continue with after, page by page`],
  })
}

/** The error of a count that is too large. */
export function tooManyToCount(most: number): AppError {
  return invalid({
    count: [`more than ${most} records match, too many to count: leave count out, or narrow the filter`],
  })
}
